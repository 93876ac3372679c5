"""Do the instances that an explanation names matter? Take them away, and see what changes.

Beside them stands what happens when as many are taken away at random: bags change by becoming
smaller, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..arrays import FloatArray, IndexArray
from ..grid import real, whole
from ..models.segments import Ragged
from .bags.bags import Bags, as_bags


@dataclass(frozen=True, eq=False)
class DeletionTest:
    """Log odds of bags before and after instances are taken away; printed, it says what changed.

    Attributes
    ----------
    classes : array (2,)
        The labels; the second is the positive class.
    removed : array (bags,)
        How many instances were taken away; 0 where there was one only.
    before : array (bags,)
        Log odds of all instances.
    named : array (bags,)
        Log odds without the instances that add most to the answer.
    random : array (repeats, bags)
        Log odds without as many at random, several times.

    Examples
    --------
    >>> import numpy as np
    >>> from needlescope.estimators import DeletionTest
    >>> log_odds, after = np.array([2.0, -1.0]), np.array([-0.5, -0.8])
    >>> found = DeletionTest(np.array([0, 1]), np.ones(2, int), log_odds, after, log_odds[None])
    >>> print(found)
    1 bag called 0: 0 % are called 1 without the instance that adds most to the answer, 0 %
    without one at random; log odds move towards 1 by 0.20, against 0.00.
    1 bag called 1: 100 % are called 0 without the instance that adds most to the answer, 0 %
    without one at random; log odds move towards 0 by 2.50, against 0.00.
    """

    classes: Any
    removed: IndexArray
    before: FloatArray
    named: FloatArray
    random: FloatArray

    @property
    def positive(self) -> Any:
        """Which bags are called positive when all instances are there."""
        return self.before > 0.0

    @property
    def changed(self) -> Any:
        """Which answers change without the instances named."""
        return (self.named > 0.0) != self.positive

    @property
    def changed_at_random(self) -> FloatArray:
        """How often each answer changes without as many at random, as a share."""
        return np.asarray(((self.random > 0.0) != self.positive).mean(axis=0))

    @property
    def moved(self) -> FloatArray:
        """How far log odds move away from the answer without the instances named."""
        return np.asarray(np.where(self.positive, 1.0, -1.0) * (self.before - self.named))

    @property
    def moved_at_random(self) -> FloatArray:
        """How far they move without as many at random, on average."""
        off = self.before - self.random.mean(axis=0)
        return np.asarray(np.where(self.positive, 1.0, -1.0) * off)

    def __str__(self) -> str:
        lines = [
            self._line(called, label, other)
            for called, label, other in zip(
                (~self.positive, self.positive), self.classes, self.classes[::-1], strict=True
            )
            if (called & (self.removed > 0)).any()
        ]
        kept = int((self.removed == 0).sum())
        if kept:
            lines.append(f"{_bags(kept)} of one instance: as it was.")
        return "\n".join(lines)

    def _line(self, called: Any, label: Any, other: Any) -> str:
        """Say what happened to bags that were called by a label."""
        told = called & (self.removed > 0)
        named, drawn = self.changed[told].mean(), self.changed_at_random[told].mean()
        far, near = self.moved[told].mean(), self.moved_at_random[told].mean()
        those, as_many = _removed(self.removed[told])
        return (
            f"{_bags(int(told.sum()))} called {label}: {100.0 * named:.0f} % are called {other} "
            f"without {those} to the answer, {100.0 * drawn:.0f} %\n"
            f"without {as_many} at random; log odds move towards {other} by {far:.2f}, "
            f"against {near:.2f}."
        )


def _removed(counts: IndexArray) -> tuple[str, str]:
    """Say which instances were removed from bags, and how many are removed at random instead."""
    low, high = int(counts.min()), int(counts.max())
    if high == 1:
        return "the instance that adds most", "one"
    number = f"{high}" if low == high else f"{low} to {high}"
    return f"the {number} instances that add most", number if low == high else "as many"


def _bags(count: int) -> str:
    return f"{count} bag" if count == 1 else f"{count} bags"


def deletion_test(
    clf: Any,
    X: Any,
    count: int = 1,
    share: float | None = None,
    repeats: int = 20,
    random_state: Any = 0,
) -> DeletionTest:
    """Take away the instances that add most to each answer, and see whether answers change.

    An explanation that names the right instances changes far more answers than as many instances
    at random. A bag is positive by what is in it: one that is called negative should change by
    little, whatever is taken away.

    Parameters
    ----------
    clf : MILClassifier or AttentionClassifier
        A classifier that was fitted.
    X : Bags, array (bags, instances, features), or list of arrays
        Bags, best those that it was not fitted to. Once more as much memory is needed.
    count : int, default 1
        How many instances to take away from each bag; one at least remains, and a bag of one
        stays as it is.
    share : float in (0, 1), optional
        In place of ``count``, the share of each bag's instances, rounded; 1 at least.
    repeats : int, default 20
        How often to take away as many at random.
    random_state : int, RandomState or None, default 0
        For what is drawn.

    Returns
    -------
    DeletionTest
        Log odds before and after, by bag; printed, what changed.

    Raises
    ------
    ValueError
        If the classifier cannot say what instances add, a parameter is outside of its range or
        bags cannot be read.

    Examples
    --------
    >>> from needlescope.estimators import MILClassifier, deletion_test, make_digit_bags
    >>> X, y = make_digit_bags(bags=300, L=10, random_state=0)
    >>> clf = MILClassifier("quick", random_state=0).fit(X[:200], y[:200])
    >>> found = deletion_test(clf, X[200:])
    >>> called = found.positive
    >>> bool(found.changed[called].mean() > 5 * found.changed_at_random[called].mean())
    True
    """
    if not (hasattr(clf, "instance_scores") and hasattr(clf, "decision_function")):
        raise ValueError(f"clf must say what instances add, as MILClassifier does, got {clf!r}")
    whole("count", count, 1)
    whole("repeats", repeats, 1)
    if share is not None and np.ndim(real("share", share, 0.0, 1.0, open_low=True, open_high=True)):
        raise ValueError(f"share must be a single number, got {share!r}")
    random = check_random_state(random_state)
    bags = as_bags(X)
    before = clf.decision_function(bags)
    if np.ndim(before) != 1:
        raise ValueError(
            f"clf must tell two classes apart, got one of {len(clf.classes_)}; fit one class "
            "against the others"
        )
    wanted = np.full(len(bags), count) if share is None else np.rint(share * bags.lengths)
    removed = np.minimum(np.maximum(wanted, 1), bags.lengths - 1).astype(int)
    toward = Ragged.at(bags.starts).spread(np.where(before > 0.0, 1.0, -1.0))
    adds = toward * np.concatenate(clf.instance_scores(bags))
    named = clf.decision_function(_without(bags, adds, removed))
    drawn = [
        clf.decision_function(_without(bags, random.random_sample(len(adds)), removed))
        for _ in range(repeats)
    ]
    return DeletionTest(clf.classes_, removed, before, named, np.array(drawn))


def _without(bags: Bags, rank: FloatArray, removed: IndexArray) -> Bags:
    """Return bags without so many instances each: those that rank highest."""
    kept = bags.lengths - removed
    bag = np.repeat(np.arange(len(bags)), bags.lengths)
    order = np.lexsort((rank, bag))  # within each bag, the lowest first
    place = np.arange(len(order)) - np.repeat(bags.starts[:-1], bags.lengths)
    keep = np.sort(order[place < np.repeat(kept, bags.lengths)])
    return Bags(bags.instances[keep], np.append(0, np.cumsum(kept)), names=bags.names)
