"""How all architectures are trained, in numbers: defaults of `simulate_deep` and the classifier.

They are the same for all architectures, and were settled on a task that no figure has, L = 12,
R = 1, θ = 4.5, π = ½, d = 64, α = 4, but for two that docs/deep.md describes, beside the table that
``python -m tools.deep_settings`` makes.
"""

from __future__ import annotations

RATES = (1e-2, 3e-2)  # learning rates
DECAYS = (3.0, 10.0)  # of weights, times the learning rate in every step, for tokens of 64 numbers
EPOCHS = 300
PATIENCE = 20  # epochs without a lesser loss of the samples held out,
LEARNED = 0.97  # once that is below this share of what it was at the start;
PLATEAU = 100  # before that
BATCH = 64
HELD_OUT_EVERY = 5  # a fifth of each class is held out
