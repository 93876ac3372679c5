"""How a classifier of bags is fitted."""
