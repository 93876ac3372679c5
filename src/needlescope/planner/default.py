"""`plan` as the package offers it: for the classifier that the package fits, unless told otherwise.

`planning` inverts the theory and knows no classifier. This module is above the classifiers, and
says which of them is planned for where no learner is named.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from ..planning import plan as planning
from ..results.planned import Plan

Arguments = ParamSpec("Arguments")


def _for_the_default(plan: Callable[Arguments, Plan]) -> Callable[Arguments, Plan]:
    """Return the planner that takes `AttentionClassifier()` where no learner is named."""

    @wraps(plan)
    def planned(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Plan:
        if kwargs.get("learner") is None:
            from ..estimators import AttentionClassifier  # scikit-learn, where it is needed

            kwargs["learner"] = AttentionClassifier()
        return plan(*args, **kwargs)

    return planned


plan = _for_the_default(planning.plan)
plan.__module__ = __name__
