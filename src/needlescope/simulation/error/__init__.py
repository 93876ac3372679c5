"""Test errors as integrals over the law of the data."""
