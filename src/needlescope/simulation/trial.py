"""One trial: draw the data, train, test."""

from __future__ import annotations

from ..errors import NoMinimiser, NotConverged
from . import from_law, from_tokens
from .erm.separable import separability
from .measures import error_rate, summarise
from .setup import Setup


def run_trial(setup: Setup) -> dict[str, float]:
    """Train and test once; return the trial's numbers by name."""
    train = from_tokens.train if setup.sampler == "tokens" else from_law.train
    try:
        trained = train(setup)
    except (NoMinimiser, NotConverged) as failure:
        place = setup.seed.spawn_key[-1:] or ("",)
        raise type(failure)(f"in trial {place[0]} at d={setup.d}, n={setup.n}: {failure}") from None
    error, numeric = error_rate(setup, trained)
    return {
        "test_error": error,
        "test_error_numeric": numeric,
        **summarise(setup, trained),
        **trained.alignment,
        "residual": trained.fit.residual,
    }


def align_trial(setup: Setup) -> dict[str, float]:
    """Take the two steps once; return the realised alignment."""
    return (from_tokens if setup.sampler == "tokens" else from_law).align(setup)


def separate_trial(setup: Setup) -> dict[str, float]:
    """Draw the training data once; say whether the model's features are separable."""
    F, y = (from_tokens if setup.sampler == "tokens" else from_law).features(setup)
    return {"separable": float(separability(F, y).separable)}
