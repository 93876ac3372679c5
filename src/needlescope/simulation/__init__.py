"""The theory's questions answered by simulation at finite dimension, without the theory's code."""
