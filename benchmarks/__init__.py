"""Timings and checks of the package against code that a user would write without it."""
