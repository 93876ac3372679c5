"""Bags of vectors: data structures, readers and preprocessing."""
