"""Is attention worth it?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import needlescope as ns
from needlescope.planning import compare as module
from needlescope.planning.tuning.budget import Budget


@pytest.mark.slow
def test_attention_is_worth_it_for_a_needle():
    result = ns.compare(ns.Task(L=10, R=1, theta=5.0, pi=0.5), 400, 100)
    assert result.winner == "attention" and 0.2 < result.margin < 0.25
    assert (
        result.bayes < result.bayes_optimal < result.attention < result.pooled < result.vectorized
    )
    assert 12 < result.flip_n < 24  # pooling wins with 10 bags, attention with 20
    assert 0.1 < result.flip_cosine < 0.5
    assert result.verdict.startswith(
        "Attention is worth it: the test error of mean pooling is 0.26, of attention 0.0"
    )
    assert "it would lose below" in result.verdict


@pytest.mark.slow
def test_it_is_not_where_all_tokens_carry_the_signal():
    result = ns.compare(ns.Task(L=5, R=5, theta=1.5, pi=0.5), 4.0)
    assert result.winner == "pooled"
    assert result.verdict.startswith("Attention is not worth it")
    assert abs(result.attention - result.pooled) < 2e-3 or np.isfinite(result.flip_n)


@pytest.mark.slow
def test_a_budget_without_a_dimension_is_bags_for_each():
    """At 77 and 400 there is no flip, which once was a TypeError."""
    task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    result = ns.compare(task, 77.0)
    assert result.winner == "attention" and np.isnan(result.flip_n)
    assert "it would lose below a cosine of 0." in result.verdict


class Fitted(NamedTuple):
    error: float


class Curve:
    """A learner whose error is a power of the budget, whatever it was before."""

    keeps_settings = False

    def __init__(self, scale: float, power: float) -> None:
        self.scale, self.power = scale, power

    def tune(self, budget: Budget, near: object = None) -> Fitted:
        return Fitted(self.scale * budget.amount**-self.power)

    def between(self, budget: Budget, *settings: object) -> Fitted:
        return self.tune(budget)

    retune = between


class Kept(Curve):
    """A learner whose error is 1 % larger with settings that are kept, and which counts tunings."""

    keeps_settings, tuned = True, 0

    def between(self, budget: Budget, *settings: object) -> Fitted:
        return Fitted(1.01 * self.tune(budget).error)

    def retune(self, budget: Budget, *settings: object) -> Fitted:
        self.tuned += 1
        return self.tune(budget)


@pytest.mark.parametrize("amount", [0.5, 2.0, 10.0, 60.0])
def test_a_verdict_flips_at_one_budget_from_wherever_it_is_looked_for(monkeypatch, amount):
    """Attention's error is 0.4/√n, pooling's 0.1: they meet at 16, all tuned anew."""
    curves = {"attention": Curve(0.4, 0.5), "pooled": Curve(0.1, 0.0), "vectorized": Curve(0.2, 0)}
    monkeypatch.setattr(module, "get_learner", curves.get)
    budget = Budget(ns.Task(L=3, R=2, theta=2.0, pi=0.5), amount)
    here = 0.1 - 0.4 * amount**-0.5
    times = module._flip(budget, here, 0.0)
    assert times * amount == pytest.approx(16.0, rel=0.25)
    side = module.Flip(times, times * amount, None, np.nan)
    told = module._verdict({"attention": 0.1 - here, "pooled": 0.1, "vectorized": 0.2}, "pooled",
                           "attention" if here > 0.0 else "pooled", side)  # fmt: skip
    assert ("would lose below" if here > 0.0 else "would win beyond") in told


def test_attention_is_tuned_only_where_kept_settings_do_not_win(monkeypatch):
    """Where kept settings have less than the rival's error, so have tuned ones."""
    attention = Kept(0.4, 0.5)
    curves = {"attention": attention, "pooled": Curve(0.1, 0.0), "vectorized": Curve(0.2, 0)}
    monkeypatch.setattr(module, "get_learner", curves.get)
    asked = []
    near = module._tuned_near

    def counted(name, there, *rest):
        asked.append((name, 0.4 * there.amount**-0.5 < 0.1))
        return near(name, there, *rest)

    monkeypatch.setattr(module, "_tuned_near", counted)
    budget = Budget(ns.Task(L=3, R=2, theta=2.0, pi=0.5), 300.0)
    here = attention.tune(budget)
    times = module._flip(budget, 0.1 - here.error, 0.0, {"attention": here})
    assert times * 300.0 == pytest.approx(16.0, rel=0.25)
    wins = [won for name, won in asked if name == "attention"]
    assert any(wins) and attention.tuned <= len(wins) - sum(wins) < len(wins)


def test_the_better_attention_is_compared(monkeypatch):
    """Two steps have 0.4/√n, training end to end 0.3/√n, pooling 0.1: they meet at 16 and at 9."""
    curves = {"attention": Curve(0.4, 0.5), "pooled": Curve(0.1, 0.0), "vectorized": Curve(0.2, 0)}
    curves["joint"] = Curve(0.3, 0.5)
    monkeypatch.setattr(module, "get_learner", curves.get)
    budget = Budget(ns.Task(L=3, R=2, theta=2.0, pi=0.5), 10.0)
    here, near = 0.1 - 0.3 * 10.0**-0.5, curves["joint"].tune(budget)
    assert module._flip(budget, here, 0.0, {"joint": near}) * 10.0 == pytest.approx(9.0, rel=0.25)
    told = module._verdict(
        {"attention": 0.126, "joint": 0.095, "pooled": 0.1, "vectorized": 0.2}, "pooled", "joint",
        module.Flip(0.9, 9.0, None, 0.5),
    )  # fmt: skip
    assert told == (
        "Attention is worth it: the test error of mean pooling is 0.1, of attention 0.13 with two "
        "steps and 0.095 trained end to end; it would lose below about 9 bags for each dimension"
    )


@pytest.mark.slow
def test_joint_training_is_compared_when_asked():
    task = ns.Task(L=4, R=1, theta=4.0, pi=0.5)
    result = ns.compare(task, 2.0, joint=True)
    exact = ns.tune(task, 2.0, model="joint", losses=["logistic"])
    assert result.joint == pytest.approx(exact.test_error, rel=0.03)
    assert result.winner == ("joint" if result.joint < result.attention else "attention")
    assert "trained end to end" in result.verdict
    assert result.provenance.endswith("and replica-symmetric joint training (not a theorem)")
