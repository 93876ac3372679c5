"""The classifiers of bags beside their alternatives: ``python -m benchmarks.bags DIR``."""
