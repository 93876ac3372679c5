"""How all architectures are trained, in numbers: defaults of `simulate_deep` and the classifier.

They are the same for all architectures, and were settled before any figure was drawn, on a task
that no figure has: L = 12, R = 1, θ = 4.5, π = ½, d = 64, α = 4 and 16. docs/deep.md has the table.
"""

from __future__ import annotations

RATES = (3e-3, 1e-2, 3e-2)  # learning rates, of which samples held out choose one
EPOCHS = 300
PATIENCE = 30  # epochs without a lesser loss of the samples held out
BATCH = 64
DECAY = 3.0  # of weights, times the learning rate in every step
EVERY = 5  # a fifth of each class is held out
