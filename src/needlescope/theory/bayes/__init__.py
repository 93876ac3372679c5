"""The limit of learning: what the best of all learners reaches, who knows no signal beforehand."""
