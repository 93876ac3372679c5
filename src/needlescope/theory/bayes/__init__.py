"""The Bayes-optimal learner of an unknown signal, AMP, and their phases."""
