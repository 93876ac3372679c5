"""Units of work: plain data, a key, a call."""
