"""Figures and tables, as one page."""
