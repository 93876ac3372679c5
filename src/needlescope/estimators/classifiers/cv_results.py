"""The results of the cross-validation, in the shape of scikit-learn's searches."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..selection.choice import Compared


def cv_results(compared: list[Compared]) -> dict[str, Any]:
    """Return a dict of columns with a row for each setting, the best first.

    A parameter that does not apply to a setting is masked, as in scikit-learn.

    Examples
    --------
    >>> from needlescope.estimators.candidates.shared.candidate import Configuration
    >>> from needlescope.estimators.candidates.forest import Forest
    >>> from needlescope.estimators.candidates.mean import Mean
    >>> best, other = Configuration(Mean(), 0.1), Configuration(Forest())
    >>> rows = [Compared(best, 0.0, 0.0, 0.4, 1.0), Compared(other, 0.2, 0.1, 0.6, 0.0)]
    >>> results = cv_results(rows)
    >>> results["mean_test_score"].tolist(), results["rank_test_score"].tolist()
    ([-0.4, -0.6], [1, 2])
    >>> results["param_ridge"].tolist()
    [0.1, None]
    """
    params = [row.configuration.params for row in compared]
    results: dict[str, Any] = {"params": params}
    for name in dict.fromkeys(name for param in params for name in param):
        column: Any = np.ma.MaskedArray(np.empty(len(compared), object), mask=True)
        for k, param in enumerate(params):
            if name in param:
                column[k] = param[name]
        results[f"param_{name}"] = column
    losses = np.array([row.loss for row in compared])  # increasing, NaN last
    ordered = np.nan_to_num(losses, nan=np.inf)
    results["mean_test_score"] = -losses
    results["difference_to_best"] = -np.array([row.behind for row in compared])
    results["difference_to_best_se"] = np.array([row.error for row in compared])
    results["rank_test_score"] = 1 + np.searchsorted(ordered, ordered)
    results["weight"] = np.array([row.weight for row in compared])
    results["selected"] = results["weight"] > 0.0
    return results
