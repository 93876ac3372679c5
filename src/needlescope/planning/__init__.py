"""The theory, turned round: how much data an error needs."""
