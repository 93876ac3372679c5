"""The picture of attention on instances."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from needlescope.figures import attended

WEIGHTS = [np.array([0.1, 0.9]), np.array([0.2, 0.3, 0.5]), np.array([1.0])]


def test_rows_are_bags_by_label_and_cells_instances_by_weight():
    figure = attended(WEIGHTS, [1, 0, 1])
    figure.canvas.draw()
    cells = np.asarray(figure.axes[0].images[0].get_array().filled(np.nan))
    np.testing.assert_allclose(cells, [[0.5, 0.3, 0.2], [0.9, 0.1, np.nan], [1.0, np.nan, np.nan]])


def test_as_given_into_given_axes_and_not_too_many():
    figure, ax = plt.subplots()
    assert attended(WEIGHTS * 50, ax=ax, bags=10, order=False) is figure
    cells = ax.images[0].get_array()
    assert cells.shape[0] == 10
    np.testing.assert_allclose(np.asarray(cells[0])[:2], [0.1, 0.9])


@pytest.mark.parametrize(("order", "first"), [(True, 1), (False, 0)])
def test_ranks_count_from_one_and_places_from_zero(order, first):
    figure = attended(WEIGHTS, order=order)
    figure.canvas.draw()
    ax = figure.axes[0]
    assert ax.get_xlim() == (first - 0.5, first + 2.5)
    shown = [tick for tick in ax.get_xticks() if first - 0.5 < tick < first + 2.5]
    assert shown == [first, first + 1, first + 2]


def test_refusals():
    with pytest.raises(ValueError, match="one number for each instance"):
        attended([np.zeros((2, 3))])
    with pytest.raises(ValueError, match="a label for each of the 3 bags"):
        attended(WEIGHTS, [1, 0])


@pytest.mark.parametrize("bags", [0, -1, 2.5, "all", None, True, float("nan")])
def test_a_number_of_bags_that_is_none_is_refused(bags):
    with pytest.raises(
        ValueError, match=f"bags must be a whole number of at least 1, got {bags!r}"
    ):
        attended(WEIGHTS, bags=bags)


def test_bags_without_instances_and_bags_without_labels_are_refused():
    with pytest.raises(ValueError, match="one number for each instance"):
        attended([np.zeros(0), np.ones(1)])
    with pytest.raises(ValueError, match="labels in y must be of one kind, and none missing"):
        attended(WEIGHTS, [1, None, 0])


def test_bags_are_chosen_evenly_and_labels_stand_beside_them():
    figure = attended(WEIGHTS[:2] * 50, [0, 1] * 50, bags=10)
    figure.canvas.draw()
    ax = figure.axes[0]
    cells = np.asarray(ax.images[0].get_array().filled(np.nan))
    assert (cells[:5, 0] == 0.9).all() and (cells[5:, 0] == 0.5).all()
    assert list(ax.get_yticks()) == [2.0, 7.0]
    assert [line.get_ydata()[0] for line in ax.lines] == [4.5]
    assert ax.images[0].get_clim() == (0.0, 1.0)


def test_long_bags_show_what_is_looked_at_most():
    a = np.full(5000, 0.1 / 5000)
    a[1234] += 0.9
    cells = attended([a] * 3, instances=12).axes[0].images[0].get_array()
    assert cells.shape == (3, 12) and cells[0, 0] == a[1234]
    assert attended([a] * 3, order=False).axes[0].images[0].get_array().shape == (3, 5000)


def test_numbers_and_labels_that_are_missing_are_refused():
    with pytest.raises(ValueError, match=r"weights must be finite numbers, got .* for bag 1"):
        attended([np.ones(1), np.array([np.nan, 1.0])])
    with pytest.raises(ValueError, match="none missing"):
        attended(WEIGHTS, [1.0, np.nan, 0.0])
