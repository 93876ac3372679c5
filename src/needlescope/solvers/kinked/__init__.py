"""Losses with kinks."""
