"""A few bags of several sizes, and candidates that are fitted to them, for tests of the engine."""

from __future__ import annotations

import numpy as np

from needlescope.estimators import Bags
from needlescope.estimators.bags.preprocessing import Preprocessor
from needlescope.estimators.bags.scaling import no_scaling
from needlescope.estimators.candidates.attention import Attention
from needlescope.estimators.candidates.log_mean_exp import LogMeanExp
from needlescope.estimators.candidates.mean import Mean
from needlescope.estimators.candidates.shared.candidate import Configuration
from needlescope.estimators.engine.computation import compute
from needlescope.estimators.engine.prepared import PreparedBags
from needlescope.losses import get_loss

RNG = np.random.default_rng(0)
N, D = 40, 5
LENGTHS = RNG.integers(1, 9, N)
BAGS = Bags.from_list([RNG.standard_normal((length, D)) * 3.0 + 1.0 for length in LENGTHS])
Y = np.where(np.arange(N) % 2 == 0, 1.0, -1.0)
TRAINED = np.arange(N) % 4 != 1
WEIGHT = np.where(TRAINED, RNG.random(N), 0.0)
WEIGHT /= WEIGHT.sum()
CONFIGURATIONS = [
    Configuration(Mean(), 0.1),
    Configuration(Attention(), 0.1, 6),
    Configuration(Attention(init="contrastive_pca", append_mean=True), 0.1, 6),
    Configuration(Attention(n_queries=2, init="amp", append_mean=True), 0.1, 3),
    Configuration(LogMeanExp(init="amp"), 0.1, 6),
    Configuration(LogMeanExp(init="mean"), 0.1, 6),
]


def prepared(preprocessor=None, used=None):
    """Return the bags, or some of them, preprocessed if asked."""
    used = np.arange(N) if used is None else used
    return PreparedBags(BAGS, used, Y[used], preprocessor or Preprocessor(no_scaling(D)))


def begin(fold, configuration):
    """Begin the fit of one configuration."""
    random = np.random.RandomState(0)
    return configuration.candidate.fit(fold, [configuration], get_loss("logistic"), random)


def fitted(fold, configuration):
    """Fit one configuration alone."""
    fit = begin(fold, configuration)
    compute(fold.data, fit)
    (result,) = fit.results
    return result


def same(one, other, rtol=1e-6):
    """Assert that two fits have the same model and the same scores."""
    for a, b in zip((*one.model, one.scores), (*other.model, other.scores), strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-7)
