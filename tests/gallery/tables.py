"""Tables of every figure's quick units, with numbers made up."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from needlescope.experiments.stores.settings import columns
from needlescope.gallery.registry import drawing, names, published
from tests.figures.coupled import both

TRIALS = 2
OUTCOME = ("test_error", "test_error_se", "train_loss", "train_error", "cosine_q")
ANSWERS = {
    "align": ("cosine_w", "cosine_q", "constant", "kappa"),
    "simulate_alignment": ("cosine_w", "cosine_q", "kappa"),
    "asymptote": ("limit", "limit_se", "rate"),
    "capacity": ("alpha", "alpha_se"),
    "simulate_separability": ("fraction",),
    "crossover": ("cosine",),
    "oracle_threshold": ("theta",),
    "focus": ("signal", "noise", "largest"),
    "simulate_focus": ("signal", "noise", "largest"),
    "bayes_optimal": ("test_error", "amp_test_error", "overlap", "amp_overlap"),
    "simulate_amp": ("test_error", "overlap"),
    "phase_boundaries": ("alpha_it", "alpha_amp"),
    "oracle": ("error",),
    "simulate_oracle": ("error",),
    "predict": OUTCOME,
    "simulate": OUTCOME,
    "best_query": ("error", "alone", "together", "kappa"),
    "predict_instances": ("test_error", "test_error_se"),
    "simulate_instances": ("test_error",),
    "simulate_deep": (*OUTCOME, "cosine", "attended"),
}
MOMENTS, SHOWN = 3, 4  # of a training that was watched: epochs 0, 1 and 2, and tokens of its maps
PATHS = ("path_cosine", "path_cosine_q", "path_attended", "path_loss")
BLIND = ("gru", "convolution")  # without attention
REACH = {"keep_up": (0.6, 1.0)}  # cosines and overlaps cross what is enough
SMALL = {"limit": 1e-3, "limit_se": 1e-6, "test_error_se": 1e-6}  # an error exceeds its limit


def answered(unit, rng, reach):
    """The numbers that answer a unit, made up; more of a training that was tested or watched."""
    result = {item: SMALL.get(item, rng.uniform(*reach)) for item in ANSWERS[unit.call]}
    if unit.call == "predict" and "ridge_q" in unit.arguments["training"]:
        result |= {"replicon": rng.uniform(0.0, 2.0), "jumping": rng.uniform(0.0, 0.03)}
    for k, _ in enumerate(unit.arguments.get("task", {}).get("signals", ()), 1):
        if "cosine_q" in result and unit.call != "predict":
            result[f"cosines_q_{k}"] = rng.uniform(*reach)
    for k, _ in enumerate(unit.arguments.get("lengths", ()), 1):
        result[f"test_errors_{k}"] = rng.uniform(*reach)
    for k in range(1, MOMENTS + 1) if unit.arguments.get("watch") else ():
        result |= {f"{name}_{k}": rng.uniform(*reach) for name in PATHS}
        result[f"path_epochs_{k}"] = (0, 1, 2)[k - 1]
        if unit.arguments["architecture"] not in BLIND:
            result |= {f"path_map_{k}_{token}": rng.random() for token in range(1, SHOWN + 1)}
    return result


def answers(table):
    """The columns of a table that answer its units."""
    known = {item for call in table.call.unique() for item in ANSWERS[call]}
    more = [item for item in table if item.startswith(("path_", "test_errors_", "cosines_q_"))]
    return sorted({*known, *more})


@cache
def complete(name):
    """The table of a figure's quick units, a few trials each, with numbers made up."""
    rng, reach = np.random.default_rng(0), REACH.get(name, (0.1, 0.9))
    rows = []
    for unit in published(name).units(False):
        if unit.arguments.get("seed", [0])[-1] < TRIALS:
            row = {"call": unit.call, **columns(unit.arguments)}
            rows.append({**row, **answered(unit, rng, reach)})
    return pd.DataFrame(rows)


CURVES = pd.DataFrame(
    {
        **{"model": ["pooled"] * 2, "alpha1": [1.0, 9.0], "test_error": [0.3, 0.2]},
        **{"floor": [0.2, 0.2], "bayes_optimal": [0.15, 0.12]},
    }
)
NEEDED = pd.DataFrame({"learner": ["pooled"] * 2, "L": [10, 100], "theta": [3.0, 9.0]})
OTHERS = {
    "overview": (CURVES, NEEDED),
    "attended": ([[0.9, 0.1], [0.2, 0.3, 0.5]], [1, 0]),
    "lines": (both(),),
}
NAMES = (*names(), *OTHERS)


def given(name):
    """What the function of a figure is given; tables are made when a test asks for one."""
    return OTHERS[name] if name in OTHERS else (complete(name),)


@cache
def drawing_of(name, **options):
    """What a figure draws of its complete table; nothing changes a drawing, so one serves all."""
    return drawing(name, *given(name), **options)
