"""Figures of protocols, models and tasks that the paper does not have."""
