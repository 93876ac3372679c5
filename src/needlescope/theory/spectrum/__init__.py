"""Noise with a spectrum: its moments, and where in it signal, query and readout lie."""
