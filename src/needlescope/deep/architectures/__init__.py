"""One small module an architecture, in torch; `needlescope.deep.catalogue` names them."""
