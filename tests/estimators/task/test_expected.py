"""What is expected of measured errors: the limit in white noise, data sets of this size else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit

import needlescope as ns
from needlescope.estimators.bags.scaling import Scaling
from needlescope.estimators.task.expected import (
    AtDimension,
    at_this_dimension,
    combined,
    prediction_ranges,
    squared_weights_of,
)
from needlescope.estimators.task.fit import Fitted
from needlescope.estimators.task.structure import NoiseSpectrum, Place, Structure
from needlescope.planning.expected.classifier_errors import predict_error

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


def ranges(result, simulated_se=0.0):
    predictions = [predict_error(result.task, 300, 40.0, name) for name in ("pooled", "attention")]
    sizes = [AtDimension(item.error, mean_se=simulated_se * item.error) for item in predictions]
    shares = squared_weights_of(result, 300)
    return predictions, *prediction_ranges(result, 300, predictions, shares, sizes)


@pytest.mark.parametrize("uncertain", ["theta_se", "log_s_se"])
def test_an_uncertain_strength_or_place_widens_the_range(uncertain):
    predictions, exact, _, floor = ranges(fitted())
    _, wide, _, least = ranges(fitted(**{uncertain: 0.3}))
    for name, item in zip(exact, predictions, strict=True):
        assert exact[name] == pytest.approx((item.error, item.error), abs=1e-12)
        assert wide[name][0] < item.error - 1e-3 < item.error + 1e-3 < wide[name][1]
    assert floor[0] == floor[1] and least[1] <= least[0]


def test_what_is_uncertain_adds_up_in_quadrature():
    predictions, each, aucs, floors = [], [], [], []
    for theta_se, log_s_se in [(0.1, 0.0), (0.0, 0.8), (0.1, 0.8)]:
        predictions, *rest = ranges(fitted(theta_se=theta_se, log_s_se=log_s_se))
        each, aucs, floors = (
            [*so_far, item] for so_far, item in zip((each, aucs, floors), rest, strict=True)
        )
    for name, item in zip(each[0], predictions, strict=True):
        away = logit([errors[name] for errors in each]) - logit(item.error)
        assert np.hypot(away[0], away[1]) == pytest.approx(np.abs(away[2]), rel=1e-6)
        assert (np.abs(away[:2]) > 3e-3).all()
        away = logit([row[name][1:] for row in aucs]) - logit(aucs[0][name][0])
        assert np.hypot(away[0], away[1]) == pytest.approx(np.abs(away[2]), rel=1e-6)
    lowest = [least for _, least in floors]
    assert lowest[2] <= min(lowest[:2])


def test_the_range_includes_the_error_of_the_simulated_mean():
    predictions, wide, _, _ = ranges(fitted(), simulated_se=0.1)
    for name, item in zip(wide, predictions, strict=True):
        assert wide[name] == pytest.approx((item.error / 1.2, 1.2 * item.error))


def test_the_range_is_that_of_data_sets_of_this_size():
    result = fitted(theta_se=0.3)
    predictions = [predict_error(result.task, 300, 40.0, name) for name in ("pooled", "attention")]
    shares = squared_weights_of(result, 300)
    limits = [AtDimension(item.error) for item in predictions]
    sizes = [AtDimension(1.5 * item.error, ratio=1.5) for item in predictions]
    limit, _, _ = prediction_ranges(result, 300, predictions, shares, limits)
    here, _, _ = prediction_ranges(result, 300, predictions, shares, sizes)
    for name, ends in limit.items():
        assert here[name] == pytest.approx((1.5 * ends[0], 1.5 * ends[1]))


class TestCombined:
    def test_one_source_keeps_its_own_range_to_the_last_digit(self):
        assert combined(0.2, [(0.3, 0.1)]) == (0.1, 0.3)
        assert combined(0.2, []) == (0.2, 0.2)

    def test_a_source_on_one_side_leaves_the_other(self):
        low, high = combined(0.2, [(0.1, 0.25), (0.22, 0.3)])
        assert low == pytest.approx(0.1)
        away = np.hypot(*(logit([0.25, 0.3]) - logit(0.2)))
        assert high == pytest.approx(expit(logit(0.2) + away))

    def test_it_stays_between_zero_and_one(self):
        low, high = combined(0.01, [(1e-4, 0.3), (1e-4, 0.4), (0.0, 0.6)])
        assert 0.0 <= low < 1e-4 and 0.6 < high < 1.0
