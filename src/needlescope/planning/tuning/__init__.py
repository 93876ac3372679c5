"""The best settings of a budget: steps, readout, split and κ, found quickly and roughly."""
