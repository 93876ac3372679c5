"""Many trainings in one pass over the bags: what they ask of it, and who answers."""
