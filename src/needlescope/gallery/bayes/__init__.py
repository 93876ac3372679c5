"""Figures of what the Bayes-optimal learner and AMP reach."""
