"""Random valid problems over the whole range, and what must hold for each of them."""
