"""The errors of a valid problem without a result, and how errors are shortened."""

from __future__ import annotations

SHOWN = 400  # characters of a displayed error; a store keeps all of it


class NotConverged(RuntimeError):
    """A number did not reach its tolerance, so it is not returned.

    Examples
    --------
    >>> import needlescope as ns
    >>> task, training = ns.Task(L=2, R=1, theta=5.0, pi=0.5), ns.Training(alpha0=4.0, alpha1=1.0)
    >>> try:
    ...     ns.focus(task, training, tol=1e-15)
    ... except ns.NotConverged as problem:
    ...     print(str(problem)[:15])
    the uncertainty
    """

    reachable: float = float("nan")  # a tolerance that can be reached, where one is known

    @classmethod
    def at(cls, sentence: str, reachable: float) -> NotConverged:
        """Return the error with a tolerance that can be reached."""
        problem = cls(sentence)
        problem.reachable = reachable
        return problem


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


def shortened(words: str, most: int = SHOWN) -> str:
    r"""Return an error on one line and of a length that fits a page or a terminal.

    Examples
    --------
    >>> shortened("out of\nmemory"), shortened("x" * 20, most=8)
    ('out of memory', 'xxxxx...')
    """
    line = " ".join(words[: 10 * most].split())
    return line if len(line) <= most and len(words) <= 10 * most else f"{line[: most - 3]}..."
