"""The limit law of a model's features."""
