"""Approximate message passing on generated tokens."""
