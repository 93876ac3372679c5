"""Processes, progress and seeds."""
