"""A deletion test of explanations: predictions without the instances that contribute most.

Bags also change by becoming smaller, so the same number of instances is removed at random, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ...arrays import FloatArray, IndexArray
from ...grid import real, whole
from ...models.segments import Ragged
from ..bags.bags import Bags, as_bags


@dataclass(frozen=True, eq=False)
class DeletionTest:
    """Log odds of bags before and after instances are removed; printed, it says what changed.

    Attributes
    ----------
    classes : array (2,)
        The labels; the second is the positive class.
    removed : array (bags,)
        The number of instances removed from each bag; 0 for bags of one instance.
    before : array (bags,)
        Log odds with all instances.
    after : array (bags,)
        Log odds without the instances that contribute most to the prediction.
    after_random : array (repeats, bags)
        Log odds without the same number of instances, drawn at random, several times.

    Examples
    --------
    >>> import numpy as np
    >>> from needlescope.estimators import DeletionTest
    >>> before, after = np.array([2.0, -1.0]), np.array([-0.5, -0.8])
    >>> print(DeletionTest(np.array([0, 1]), np.ones(2, int), before, after, before[None]))
    1 bag predicted 0: 0 % change to 1 without the instance that contributes most, 0 %
    without one at random; log odds move towards 1 by 0.20, at random by 0.00.
    1 bag predicted 1: 100 % change to 0 without the instance that contributes most, 0 %
    without one at random; log odds move towards 0 by 2.50, at random by 0.00.
    """

    classes: Any
    removed: IndexArray
    before: FloatArray
    after: FloatArray
    after_random: FloatArray

    @property
    def positive(self) -> Any:
        """Which bags are predicted positive with all instances."""
        return self.before > 0.0

    @property
    def changed(self) -> Any:
        """Which predictions change without the top instances."""
        return (self.after > 0.0) != self.positive

    @property
    def changed_at_random(self) -> FloatArray:
        """The share of random deletions that change each prediction."""
        return np.asarray(((self.after_random > 0.0) != self.positive).mean(axis=0))

    @property
    def moved(self) -> FloatArray:
        """How far log odds move away from the prediction without the top instances."""
        return np.asarray(np.where(self.positive, 1.0, -1.0) * (self.before - self.after))

    @property
    def moved_at_random(self) -> FloatArray:
        """How far they move without random instances, on average."""
        off = self.before - self.after_random.mean(axis=0)
        return np.asarray(np.where(self.positive, 1.0, -1.0) * off)

    def __str__(self) -> str:
        lines = [
            self._line(called & (self.removed > 0), label, other)
            for called, label, other in zip(
                (~self.positive, self.positive), self.classes, self.classes[::-1], strict=True
            )
            if (called & (self.removed > 0)).any()
        ]
        kept = int((self.removed == 0).sum())
        if kept:
            lines.append(f"{_bags(kept)} of one instance: unchanged.")
        return "\n".join(lines)

    def _line(self, some: Any, label: Any, other: Any) -> str:
        """Say what happened to some bags, all predicted to have one label."""
        top, random = self.changed[some].mean(), self.changed_at_random[some].mean()
        far, near = self.moved[some].mean(), self.moved_at_random[some].mean()
        instances, as_many = _removed(self.removed[some])
        return (
            f"{_bags(int(some.sum()))} predicted {label}: {100.0 * top:.0f} % change to {other} "
            f"without {instances} most, {100.0 * random:.0f} %\n"
            f"without {as_many} at random; log odds move towards {other} by {far:.2f}, at random "
            f"by {near:.2f}."
        )


def _removed(counts: IndexArray) -> tuple[str, str]:
    """Say which instances were removed, and how many are removed at random instead."""
    low, high = int(counts.min()), int(counts.max())
    if high == 1:
        return "the instance that contributes", "one"
    number = f"{high}" if low == high else f"{low} to {high}"
    return f"the {number} instances that contribute", number if low == high else "the same number"


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
    """Test whether predictions change without the instances that contribute most to them.

    An explanation that names the right instances changes far more predictions than the same number
    of instances at random. A bag is positive because of some instances: the prediction of a
    negative bag should hardly change, whatever is removed.

    Parameters
    ----------
    clf : MILClassifier or AttentionClassifier
        A fitted classifier.
    X : Bags, array (bags, instances, features), or list of arrays
        Bags, best those that it was not fitted to. The test needs memory for a second copy.
    count : int, default 1
        The number of instances to remove from each bag; at least one remains.
    share : float in (0, 1), optional
        Instead of ``count``, the share of each bag's instances, rounded; 1 at least.
    repeats : int, default 20
        The number of random deletions.
    random_state : int, RandomState or None, default 0
        For the random deletions.

    Returns
    -------
    DeletionTest
        Log odds before and after, by bag; printed, it says what changed.

    Raises
    ------
    ValueError
        If the classifier has no instance scores, a parameter is outside of its range or bags
        cannot be read.

    Examples
    --------
    >>> from needlescope.estimators import MILClassifier, deletion_test, make_digit_bags
    >>> X, y = make_digit_bags(bags=300, L=10, random_state=0)
    >>> clf = MILClassifier("quick", random_state=0).fit(X[:200], y[:200])
    >>> result = deletion_test(clf, X[200:])
    >>> changed, at_random = result.changed, result.changed_at_random
    >>> bool(changed[result.positive].mean() > 5 * at_random[result.positive].mean())
    True
    """
    if not (hasattr(clf, "instance_scores") and hasattr(clf, "decision_function")):
        raise ValueError(f"clf must have instance_scores, as MILClassifier does, got {clf!r}")
    whole("count", count, 1)
    whole("repeats", repeats, 1)
    if share is not None and np.ndim(real("share", share, 0.0, 1.0, open_low=True, open_high=True)):
        raise ValueError(f"share must be a single number, got {share!r}")
    random = check_random_state(random_state)
    bags = as_bags(X)
    before = clf.decision_function(bags)
    if np.ndim(before) != 1:
        raise ValueError(
            f"clf must be fitted to two classes, got one of {len(clf.classes_)}; fit one class "
            "against the others"
        )
    wanted = np.full(len(bags), count) if share is None else np.rint(share * bags.lengths)
    removed = np.minimum(np.maximum(wanted, 1), bags.lengths - 1).astype(int)
    toward = Ragged.at(bags.starts).spread(np.where(before > 0.0, 1.0, -1.0))
    contributions = toward * np.concatenate(clf.instance_scores(bags))
    after = clf.decision_function(_without(bags, contributions, removed))
    drawn = [
        clf.decision_function(_without(bags, random.random_sample(len(contributions)), removed))
        for _ in range(repeats)
    ]
    return DeletionTest(clf.classes_, removed, before, after, np.array(drawn))


def _without(bags: Bags, rank: FloatArray, removed: IndexArray) -> Bags:
    """Return bags without the ``removed`` instances of each that rank highest."""
    kept = bags.lengths - removed
    bag = np.repeat(np.arange(len(bags)), bags.lengths)
    order = np.lexsort((rank, bag))  # within each bag, the lowest first
    place = np.arange(len(order)) - np.repeat(bags.starts[:-1], bags.lengths)
    keep = np.sort(order[place < np.repeat(kept, bags.lengths)])
    return Bags(bags.instances[keep], np.append(0, np.cumsum(kept)), names=bags.names)
