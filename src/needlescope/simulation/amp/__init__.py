"""The algorithm that reaches the limit of learning, run on real tokens."""
