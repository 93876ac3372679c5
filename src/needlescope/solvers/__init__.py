"""Convex minimisation and separability, for any data: a linear readout, trained and certified."""
