"""One file for each experiment's figure."""
