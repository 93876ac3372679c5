"""Drawings by matplotlib; nothing else in the figures imports it."""
