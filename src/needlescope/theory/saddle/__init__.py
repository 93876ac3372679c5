"""The saddle problem of training, and what its solution achieves."""
