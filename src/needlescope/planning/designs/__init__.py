"""Designs: how many instances a bag and how many bags, at a price each.

`bags_or_instances` finds the best at a constant rate of instances with the signal: by a search
(`search`), and in sentences (`verdict`).
"""
