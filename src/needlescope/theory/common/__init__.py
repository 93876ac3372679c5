"""Arguments, grid points, provenance and groups of samples: shared by all calls of the theory."""
