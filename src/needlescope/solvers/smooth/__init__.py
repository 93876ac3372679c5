"""Losses whose slope does not jump."""
