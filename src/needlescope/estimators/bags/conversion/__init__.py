"""What bags are made of: rows of a table, or other bags."""
