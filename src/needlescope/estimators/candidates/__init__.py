"""Candidate classifiers of bags, a file each; `registry` finds them."""
