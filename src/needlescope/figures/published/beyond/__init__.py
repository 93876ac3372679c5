"""One file for each figure of a protocol that goes beyond the paper's."""
