"""The options that commands share: those of a problem, and of its noise."""
