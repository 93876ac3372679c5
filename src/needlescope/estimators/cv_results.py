"""The results of the cross-validation, in the shape of scikit-learn's searches."""

from __future__ import annotations

from typing import Any

import numpy as np

from .fitting.selection import Tried


def cv_results(tried: list[Tried]) -> dict[str, Any]:
    """Return a dict of columns with a row for each setting, the best first.

    A parameter that does not apply to a setting is masked, as in scikit-learn.

    Examples
    --------
    >>> from needlescope.estimators.fitting.settings import Setting
    >>> best, other = Setting(0.0, 0.1, pooling="mean"), Setting(0.0, 0.0, pooling="forest")
    >>> results = cv_results([Tried(best, 0.0, 0.0, 0.4, True), Tried(other, 0.2, 0.1, 0.6, False)])
    >>> results["mean_test_score"].tolist(), results["rank_test_score"].tolist()
    ([-0.4, -0.6], [1, 2])
    >>> results["param_ridge"].tolist()
    [0.1, None]
    """
    params = [row.setting.params for row in tried]
    results: dict[str, Any] = {"params": params}
    for name in dict.fromkeys(name for param in params for name in param):
        column: Any = np.ma.MaskedArray(np.empty(len(tried), object), mask=True)
        for k, param in enumerate(params):
            if name in param:
                column[k] = param[name]
        results[f"param_{name}"] = column
    losses = np.array([row.loss for row in tried])  # increasing, NaN last
    ordered = np.nan_to_num(losses, nan=np.inf)
    results["mean_test_score"] = -losses
    results["difference_to_best"] = -np.array([row.behind for row in tried])
    results["difference_to_best_se"] = np.array([row.error for row in tried])
    results["rank_test_score"] = 1 + np.searchsorted(ordered, ordered)
    results["selected"] = np.array([row.taken for row in tried], bool)
    return results
