"""Protocols that go beyond the paper's, beside it."""
