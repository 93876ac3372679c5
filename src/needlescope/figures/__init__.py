"""Stored table to matplotlib figure; never recomputes."""

from .overview import overview

__all__ = ["overview"]
