"""Bags laid out for training, and one batched pass that serves all candidates and folds."""
