"""Predictions in the high-dimensional limit, by equations derived here."""
