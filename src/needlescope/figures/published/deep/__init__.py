"""One file for each figure of fuller attention."""
