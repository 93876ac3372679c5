"""How all architectures are trained, in numbers: defaults of `simulate_deep` and the classifier.

They are the same for all architectures, but for how fast weights decay (`catalogue`), and were
settled on a task that no figure has: L = 12, R = 1, θ = 4.5, π = ½, d = 64, α = 4.
``python -m tools.deep_settings`` makes the table; docs/deep.md has it.
"""

from __future__ import annotations

RATES = (1e-2, 3e-2)  # learning rates, of which samples held out choose one
EPOCHS = 300
PATIENCE = 20  # epochs without a lesser loss of the samples held out
BATCH = 64
EVERY = 5  # a fifth of each class is held out
