"""Least test errors with a known signal."""
