"""The live bag: its attention beside that of queries of the strength and alignment it says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from needlescope.explorer.bag import SHOWN, live_bag, query_of
from needlescope.explorer.state import State

STATES = {
    "white": State(),
    "strong": State(kappa=4.0, theta=6.0),
    "many": State(L=60, R=3, alpha0=20.0),
    "rare": State(pi=0.1),
    "power law": State(noise="power_law", noise_value=0.5, signal="flat"),
}


def masses(state, seeds):
    """Return the attention on the signal's tokens, over seeds."""
    bags = [live_bag(state, seed) for seed in range(seeds)]
    return np.array([sum(bag["attention"][k] for k in bag["needle"]) for bag in bags])


def simulated_masses(state, bags, d=400):
    """Draw tokens and a query in d dimensions; return the softmax on the signal's tokens."""
    rng = np.random.default_rng(5)
    cosine, kappa = query_of(state)
    levels = None
    if state.noise != "white":
        spectrum = state.spectrum()
        levels = rng.choice(spectrum.s, p=spectrum.p, size=d)
    result = []
    for _ in range(bags):
        signal, rest = rng.standard_normal((2, d))
        signal /= np.linalg.norm(signal)
        rest -= (rest @ signal) * signal
        rest /= np.linalg.norm(rest)
        query = kappa * (cosine * signal + np.sqrt(1.0 - cosine**2) * rest)
        noise = rng.standard_normal((state.L, d))
        tokens = noise if levels is None else noise * np.sqrt(levels)
        tokens[: state.R] += state.theta * signal
        result.append(softmax(tokens @ query)[: state.R].sum())
    return np.array(result)


@pytest.mark.parametrize("name", STATES)
def test_attention_is_that_of_a_query_of_its_strength_and_alignment(name):
    state = STATES[name]
    here, drawn = masses(state, 600), simulated_masses(state, 600)
    logits = [np.log(m / (1.0 - m)) for m in np.clip([here, drawn], 1e-4, 1.0 - 1e-4)]
    scatter = np.hypot(*(item.std() / np.sqrt(len(item)) for item in logits))
    assert abs(logits[0].mean() - logits[1].mean()) < 4.0 * scatter
    assert logits[0].std() == pytest.approx(logits[1].std(), rel=0.2)


def test_the_tokens_are_normal_and_those_of_the_signal_are_theta_away():
    bags = [live_bag(State(L=100, R=2, theta=3.0), seed) for seed in range(100)]
    tokens = np.array([bag["tokens"] for bag in bags])
    marked = np.zeros(tokens.shape, bool)
    for row, bag in enumerate(bags):
        marked[row, bag["needle"]] = True
    assert marked.sum() == 200
    assert tokens[~marked].mean() == pytest.approx(0.0, abs=0.05)
    assert tokens[~marked].std() == pytest.approx(1.0, abs=0.05)
    assert tokens[marked].mean() == pytest.approx(3.0, abs=0.3)


def test_a_bag_changes_smoothly_with_the_controls():
    """The draw stays, whatever is turned: a longer bag only gets more tokens."""
    one, other = live_bag(State(theta=4.0), 3), live_bag(State(theta=4.01, kappa=1.51), 3)
    assert np.allclose(one["tokens"], other["tokens"], atol=0.011)
    assert np.allclose(one["attention"], other["attention"], atol=0.02)
    longer = live_bag(State(L=40), 3)
    apart = set(one["needle"]) | set(longer["needle"])
    assert all(one["tokens"][k] == longer["tokens"][k] for k in set(range(10)) - apart)


@pytest.mark.parametrize(("L", "R"), [(1, 1), (SHOWN, 7), (1000, 3), (1000, 1000), (5, 5)])
def test_of_long_bags_a_part_is_shown(L, R):
    bag = live_bag(State(L=L, R=R), 0)
    shown = min(L, SHOWN)
    assert len(bag["tokens"]) == len(bag["attention"]) == bag["shown"] == shown and bag["of"] == L
    assert len(bag["needle"]) == min(R, shown) == len(set(bag["needle"]))
    assert all(0 <= k < shown for k in bag["needle"])
    assert sum(bag["attention"]) == pytest.approx(1.0, abs=1e-4)


def test_joint_training_is_shown_by_two_steps_on_the_same_data():
    joint = query_of(State(kind="joint", alpha1=8.0, alpha0=1.0))
    assert joint == query_of(State(alpha0=8.0, alpha1=8.0))
