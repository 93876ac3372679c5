"""Stored table to matplotlib figure; never recomputes."""
