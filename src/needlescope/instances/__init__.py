"""Labelled instances: the task that they make, its theory, and classifiers trained on them."""
