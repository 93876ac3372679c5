"""Figures of fuller attention, trained by torch; they are declared and drawn without it."""
