"""Bags of vectors: what comes in at the door, and how it is made ready."""
