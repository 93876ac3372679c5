"""The data sets in the package."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from needlescope.estimators import load_musk1, make_digit_bags


def test_musk_is_what_the_repository_says():
    X, y = load_musk1()
    assert (len(X), X.d, len(X.instances)) == (92, 166, 476)
    assert y.sum() == 47
    assert X.instances.min() == -348 and X.instances.max() == 336
    assert X.names[0] == "f1" and X.ids[0] == 1
    again, _ = load_musk1()
    np.testing.assert_array_equal(X.instances, again.instances)


def test_digits_show_the_digit_where_they_should():
    X, y = make_digit_bags(bags=40, L=6, R=2, digit=7, positive=0.25, random_state=0)
    images, shown = load_digits(return_X_y=True)
    wanted = {image.tobytes() for image in (images[shown == 7] / 16.0).astype(np.float32)}
    result = [sum(image.tobytes() in wanted for image in bag) for bag in X]
    assert y.sum() == 10 and X.dtype == np.float32
    assert result == (2 * y).tolist()
    same = make_digit_bags(bags=40, L=6, R=2, digit=7, positive=0.25, random_state=0)
    np.testing.assert_array_equal(X, same[0])
    noisy, _ = make_digit_bags(bags=40, L=6, R=2, digit=7, noise=0.5, positive=0.25, random_state=0)
    assert np.std(noisy - X) == pytest.approx(0.5, rel=0.05)


@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_digits_say_where_the_digit_is(noise):
    given = {"bags": 40, "L": 6, "R": 2, "digit": 7, "positive": 0.25, "random_state": 0}
    X, y, shows = make_digit_bags(**given, noise=noise, return_instances=True)
    images, shown = load_digits(return_X_y=True)
    wanted = {image.tobytes() for image in (images[shown == 7] / 16.0).astype(np.float32)}
    plain, _ = make_digit_bags(**given)
    np.testing.assert_array_equal(
        shows, [[image.tobytes() in wanted for image in bag] for bag in plain]
    )
    assert shows.dtype == bool and shows.any(axis=1).tolist() == (y == 1).tolist()
    np.testing.assert_array_equal(X, make_digit_bags(**given, noise=noise)[0])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"R": 7, "L": 6}, "R must be an integer in 1..6, got 7"),
        ({"digit": 10}, "digit must be an integer in 0..9, got 10"),
        ({"noise": -1.0}, "noise must be"),
        ({"positive": 1.0}, "positive must be"),
        ({"bags": 1}, "bags must be"),
    ],
)
def test_refusals(change, sentence):
    with pytest.raises(ValueError, match=sentence.replace("..", r"\.\.")):
        make_digit_bags(**change)


@pytest.mark.parametrize("name", ["bags", "L", "R", "noise", "positive"])
def test_several_numbers_are_refused(name):
    with pytest.raises(ValueError, match=f"{name} must be a single number, got"):
        make_digit_bags(**{name: [0.2, 0.3] if name in ("noise", "positive") else [5, 6]})
