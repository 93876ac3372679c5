"""Exact predictions in the high-dimensional limit."""
