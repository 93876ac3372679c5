"""Training of any architecture: samples in batches, one loop, a rule for the learning rate."""
