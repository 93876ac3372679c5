"""What a trial measures: mistakes counted and errors integrated, for the same classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import needlescope as ns
from needlescope.noise import Noise
from tests.simulation.error.counting import SIGMAS

CASES: list[tuple[str, str, dict[str, Any]]] = [
    *(
        (model, sampler, {})
        for model in ("attention", "pooled")
        for sampler in ("tokens", "reduced")
    ),
    ("vectorized", "tokens", {}),
    ("vectorized", "reduced", {}),
    *(
        (model, "tokens", {"noise": Noise(covariance=np.diag([3.0, 0.5, 1.0, 1.0, 2.0, 1.0]))})
        for model in ("attention", "pooled", "vectorized")
    ),
    *(
        (model, "tokens", {"noise": Noise(token_correlation=0.6)})
        for model in ("attention", "pooled", "vectorized")
    ),
    *(
        (model, sampler, {"test_task": ns.Task(9, 3, 1.5, 0.2)})
        for model in ("attention", "pooled")
        for sampler in ("tokens", "reduced")
    ),
    *(
        ("vectorized", sampler, {"test_task": ns.Task(4, 2, 1.5, 0.2, positions=positions)})
        for sampler in ("tokens", "reduced")
        for positions in ("uniform", ns.Positions([(0, 1), (2, 3)], [0.9, 0.1]))
    ),
    *(("attention", sampler, {"query": ns.Query(1.5, 0.6)}) for sampler in ("tokens", "reduced")),
    ("attention", "tokens", {"starts": 2}),
    ("attention", "tokens", {"reuse": "all", "training": {"query_steps": 2}}),
]


class TestSampled:
    @pytest.mark.sampled(18)
    @pytest.mark.parametrize(("model", "sampler", "options"), CASES)
    def test_counting_agrees_with_integrating(
        self, model: str, sampler: str, options: dict[str, Any]
    ) -> None:
        """The same classifiers, tested both ways."""
        task = ns.Task(4, 1, 3.0, 0.4)
        more = options.get("training", {})
        options = {name: value for name, value in options.items() if name != "training"}
        training = ns.Training(6.0, 6.0, loss="square", ridge=0.1, beta=1.4, **more)
        given, counts = {"d": 6, "trials": 12, "seed": 3, "n_jobs": 1, "sampler": sampler}, 20_000
        result = {
            test: ns.simulate(
                task, training, model, **given, **options, test=test, n_test=counts
            ).trials
            for test in ("exact", "sampled")
        }
        for name in ("train_loss", "bias", "norm"):
            assert np.array_equal(result["exact"][name], result["sampled"][name])
        p, q = result["exact"]["test_error"], result["sampled"]["test_error"]
        z = (q - p) / np.sqrt(p * (1.0 - p) / counts + result["exact"]["test_error_numeric"] ** 2)
        assert np.abs(z).max() < SIGMAS
        assert stats.chi2(len(z)).sf((z**2).sum()) > 1e-5
        assert result["sampled"]["test_error_numeric"] == pytest.approx(
            np.sqrt(q * (1.0 - q) / counts)
        )

    def test_other_entries_can_only_be_counted(self) -> None:
        with pytest.raises(ValueError, match="test='exact' integrates over Gaussian noise"):
            ns.simulate(
                ns.Task(4, 1, 3.0, 0.4),
                ns.Training(6.0, 6.0),
                d=6,
                noise=Noise("rademacher"),
                test="exact",
            )

    def test_drawn_subsets_are_in_the_numeric_error(self) -> None:
        """Where position sets are drawn, the number has an error and should say so."""
        task, training = ns.Task(60, 6, 1.0, 0.5), ns.Training(4.0, 4.0, ridge=0.1)
        result = ns.simulate(task, training, "vectorized", d=3, trials=2, seed=0, n_jobs=1)
        assert (result.trials["test_error_numeric"] > 0.0).all()
