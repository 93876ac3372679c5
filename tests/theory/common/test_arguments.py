"""Arguments that the calls of the theory share."""

from __future__ import annotations

import pytest

import needlescope as ns


@pytest.mark.parametrize("function", ["predict", "capacity", "asymptote", "oracle"])
def test_a_tolerance_is_one_number(function):
    task = ns.Task(10, 1, 5.0, 0.5)
    first = (task, ns.Training(4.0, 2.0), "pooled") if function == "predict" else (task, "pooled")
    with pytest.raises(ValueError, match="tol must be one number"):
        getattr(ns, function)(*first, tol=[1e-3, 1e-4])
