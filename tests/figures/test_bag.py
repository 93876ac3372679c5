"""The picture of one bag."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from needlescope.estimators import Bags, MILClassifier
from needlescope.figures import bag
from needlescope.figures.marks import Dots, Map, Rings, Text
from needlescope.figures.rendered import drawing_of

drawn = drawing_of(bag)
ADDS = np.array([-0.5, 2.0, 0.1, -1.0])
A = np.array([0.2, 0.6, 0.1, 0.1])
GRID = np.array([[0.0, 0.0], [256.0, 0.0], [0.0, 256.0], [512.0, 256.0]])


def stems(panel):
    return [mark for mark in panel.marks if isinstance(mark, Dots)]


def test_instances_stand_in_the_order_of_what_they_add():
    above, below = drawn(ADDS, A).panels
    adding, taking = stems(above)
    assert (adding.x, adding.y) == ((1.0, 2.0), (2.0, 0.1))
    assert (taking.x, taking.y) == ((3.0, 4.0), (-0.5, -1.0))
    assert adding.se == (adding.y, (0.0, 0.0)) and taking.se == ((0.0, 0.0), (0.5, 1.0))
    assert stems(below)[0].y == (0.6, 0.1, 0.2, 0.1)
    assert above.title == "log odds 0.60: probability 0.646"
    for panel in (above, below):
        assert panel.x.ticks == (1.0, 2.0, 3.0, 4.0) and panel.x.labels == ["1", "2", "0", "3"]


def test_every_query_has_a_panel_with_its_number():
    both = np.stack([A, A[::-1]])
    above, first, second = drawn(ADDS, both).panels
    assert (first.title, second.title) == ("query 0", "query 1")
    assert stems(second)[0].y == (0.1, 0.6, 0.1, 0.2)
    assert (above.x.name, first.x.name, second.x.name) == (
        "",
        "",
        "number of the instance, by what it adds",
    )
    assert drawn(ADDS, both, instances=2).panels[2].title == "query 1: 2 others: 0.70 together"
    maps = drawn(ADDS, both, GRID).panels
    assert [panel.title for panel in maps[1:]] == ["query 0", "query 1"]
    assert maps[2].marks[0].values[0][0] == 0.1 and maps[2].marks[0].scale.high == 0.6
    assert len(bag(ADDS, both).axes) == 3
    with pytest.raises(ValueError, match=r"with ax draws one query, got attention of 2"):
        bag(ADDS, both, ax=plt.subplots()[1], panel="attention")
    with pytest.raises(ValueError, match=r"attention\[0\] must have a number for each of 4"):
        bag(ADDS, both[:, :3])


def test_those_that_are_not_shown_are_drawn_as_one_so_that_all_adds_up():
    above, below = drawn(ADDS, A, instances=2).panels
    assert sum(sum(mark.y) for mark in stems(above)) == pytest.approx(ADDS.sum())
    assert [mark.text for mark in above.marks if isinstance(mark, Text)] == ["2 others"]
    assert sum(len(mark.y) for mark in stems(below)) == 2
    assert below.title == "2 others: 0.30 together"


def test_times_are_in_order():
    [panel] = drawn(ADDS, coords=[3.0, 1.0, 2.0, 0.5], instances=2).panels
    adding, taking = stems(panel)
    assert (adding.x, taking.x, panel.x.name) == ((1.0, 2.0), (0.5, 3.0), "time")
    same = drawn(ADDS, coords=np.array([[3.0], [1.0], [2.0], [0.5]]))
    assert stems(same.panels[0])[0].x == adding.x


def test_places_on_a_grid_are_cells_and_others_dots():
    adds, weights = drawn(ADDS, A, GRID).panels
    [cells] = adds.marks
    assert isinstance(cells, Map) and cells.x == (0.0, 256.0, 512.0) and cells.y == (0.0, 256.0)
    np.testing.assert_allclose(cells.values, [[-0.5, 2.0, np.nan], [0.1, np.nan, -1.0]])
    assert (cells.scale.low, cells.scale.high) == (-2.0, 2.0)
    assert weights.marks[0].values[0][1] == 0.6 and weights.marks[0].scale.high == 0.6
    assert adds.y.limits == (384.0, -128.0)  # downwards
    moved = np.array([[0.0, 0.0], [9.0, 3.0], [1.0, 7.0], [0.0, 0.0]])
    for off in (GRID + moved, GRID[[0, 0, 1, 2]], GRID * np.array([1.0, 0.0])):
        [dots] = drawn(ADDS, coords=off).panels[0].marks
        assert isinstance(dots, Rings) and dots.values == tuple(ADDS)


def test_one_panel_into_given_axes():
    figure, ax = plt.subplots()
    assert bag(ADDS, A, ax=ax, panel="attention") is figure
    assert ax.get_ylabel() == "attention weight"
    assert [axis.get_ylabel() for axis in bag(ADDS).axes] == ["adds to the log odds"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "coords", [None, np.arange(4.0), GRID, GRID[[0, 0, 1, 2]], np.zeros((4, 2))]
)
def test_all_kinds_are_drawn(coords):
    figure = bag(ADDS, A, coords)
    figure.canvas.draw()
    assert len(figure.axes) == (4 if np.ndim(coords) == 2 else 2)  # with bars of colours


def test_uniform_attention_is_said_and_that_of_a_single_instance_is_not():
    assert drawn(ADDS, np.full(4, 0.25)).panels[1].title.startswith("attention is uniform")
    assert drawn(ADDS[:1], np.ones(1)).panels[1].title == ""
    assert drawn(ADDS, A).panels[1].title == ""


def test_a_bag_of_a_classifier_with_its_places():
    rng = np.random.default_rng(0)
    y, X = np.arange(40) % 2, rng.standard_normal((40, 9, 3))
    X[y == 1, 4] += 4.0
    places = np.stack(np.meshgrid(np.arange(3), np.arange(3)), axis=-1).reshape(-1, 2)
    bags = Bags.from_array(X)
    bags.metadata = {"coords": np.tile(places, (40, 1))}
    clf = MILClassifier("quick", random_state=0).fit(bags, y)
    item = bags[[1]]
    [panel] = drawn(clf.instance_scores(item)[0], coords=item.metadata["coords"]).panels
    cells = np.array(panel.marks[0].values)
    assert cells.shape == (3, 3) and cells.argmax() == 4
    assert cells.sum() == pytest.approx(float(clf.decision_function(item)[0]))
