"""Where a simulation's samples come from."""
