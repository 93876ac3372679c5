"""Sweeps over problems: declared as units of work, run by an engine, kept in a store."""
