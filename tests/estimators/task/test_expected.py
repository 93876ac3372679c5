"""What is expected of measured errors: the limit in white noise, data sets of this size else."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.estimators.bags.scaling import Scaling
from needlescope.estimators.task.expected import (
    at_this_dimension,
    prediction_ranges,
    squared_weights_of,
)
from needlescope.estimators.task.fit import Fitted
from needlescope.estimators.task.structure import NoiseSpectrum, Place, Structure
from needlescope.planning.classifier_errors import predict_error

WHITE = ns.Task(8, 1, 3.0, 0.4)
NOISE = {"skewness": 0.0, "kurtosis": 3.0, "correlation": 0.0}


def fitted(between=0.0, log_s_se=0.0, theta_se=0.0):
    s = np.where(np.arange(40) < 8, 4.0, 0.25)
    flat = Scaling(np.zeros(40), np.eye(40))
    spectrum = NoiseSpectrum(s, s, flat, 0.01, np.full(40, between))
    place = Place(np.full(40, 1 / 40), float(np.log(s).mean()), log_s_se)
    structure = Structure(spectrum, place, WHITE)
    alignment = {"measured": 0.9, "predicted": 0.9}
    return Fitted(
        structure.task(WHITE), 40.0, NOISE, alignment, theta_se=theta_se, structure=structure
    )


def test_in_white_noise_it_is_the_limit():
    result = Fitted(WHITE, 40.0, NOISE, {})
    here = at_this_dimension(
        result, WHITE, 300, "pooled", predict_error(WHITE, 300, 40.0, "pooled")
    )
    assert here.deviation == 0.0 and here.ratio == 1.0
    assert set(squared_weights_of(result, 300).values()) == {1.0}


def test_in_other_noise_it_is_that_of_data_sets_of_this_size():
    result = fitted()
    prediction = predict_error(result.task, 300, 40.0, "pooled")
    here = at_this_dimension(result, result.task, 300, "pooled", prediction)
    training = ns.Training(alpha1=7.5, ridge=prediction.ridge)
    many = ns.simulate(result.task, training, "pooled", d=40, trials=40, seed=5, n_jobs=1)
    assert abs(here.mean - many.test_error) < 4.0 * here.deviation / np.sqrt(12)
    assert here.deviation == pytest.approx(many.trials["test_error"].std(), rel=0.7)
    assert here.ratio == pytest.approx(here.mean / prediction.error)


def test_offsets_matter_as_weights_add_up():
    shares = squared_weights_of(fitted(between=0.2), 300)
    assert shares["pooled"] == pytest.approx(1 / 8) and shares["bayes"] == np.inf
    assert 1 / 8 < shares["attention"] < 1.0
    assert set(squared_weights_of(fitted(), 300).values()) == {1.0}


@pytest.mark.parametrize("uncertain", ["theta_se", "log_s_se"])
def test_an_uncertain_strength_or_place_widens_the_range(uncertain):
    sure, doubted = fitted(), fitted(**{uncertain: 0.3})
    predictions = [predict_error(sure.task, 300, 40.0, name) for name in ("pooled", "attention")]
    shares = squared_weights_of(sure, 300)
    exact, _, floor = prediction_ranges(sure, 300, predictions, shares)
    wide, _, least = prediction_ranges(doubted, 300, predictions, shares)
    for name, item in zip(exact, predictions, strict=True):
        assert exact[name] == pytest.approx((item.error, item.error), abs=1e-12)
        assert wide[name][0] < item.error - 1e-3 < item.error + 1e-3 < wide[name][1]
    assert floor[0] == floor[1] and least[1] <= least[0]
