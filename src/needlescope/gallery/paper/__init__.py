"""Figures of the paper's setting."""
