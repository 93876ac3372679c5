"""Ways to look at bags: where a query comes from, and what is read of the instances."""
