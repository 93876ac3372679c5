"""From a table to the rows that a figure draws, or a sentence that refuses them."""
