"""The two ways a well-posed question can end without a number."""

from __future__ import annotations


class NotConverged(RuntimeError):
    """A number did not reach the accuracy that was asked, so it is not returned.

    Examples
    --------
    >>> import needlescope as ns
    >>> task, training = ns.Task(L=2, R=1, theta=5.0, pi=0.5), ns.Training(alpha0=4.0, alpha1=1.0)
    >>> try:
    ...     ns.focus(task, training, accuracy=1e-15)
    ... except ns.NotConverged as problem:
    ...     print(str(problem)[:33])
    the attention on signal tokens is
    """


class NoMinimiser(ValueError):
    """The training problem has no (unique, finite) minimiser, so nothing can be predicted.

    Examples
    --------
    >>> import needlescope as ns
    >>> task, training = ns.Task(L=10, R=1, theta=5.0, pi=0.5), ns.Training(alpha1=1.0, ridge=0.0)
    >>> try:
    ...     ns.predict(task, training, "pooled")
    ... except ns.NoMinimiser as problem:
    ...     print(str(problem)[:54])
    at ridge = 0 the logistic loss has no unique finite mi
    """
