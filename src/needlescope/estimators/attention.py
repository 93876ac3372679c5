"""The attention classifier, fitted to bags."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..arrays import FloatArray
from ..grid import choice
from ..losses import Loss
from ..models.attention import attend
from ..models.segments import Ragged
from ..running.progress import Progress
from . import several_classes
from .base import BagClassifier
from .diagnostics import describe
from .fitting import steps
from .fitting.comparison import Recipe
from .fitting.prepared import Prepared
from .fitting.schemes import SCHEMES
from .fitting.selection import why
from .fitting.settings import (
    MOST_KAPPA,
    MOST_QUERIES,
    MOST_STEPS,
    READS,
    RIDGE_RANGE,
    STARTS,
    SUMMARIES,
    check_auto,
    check_switch,
)
from .fitting.ways.catalogue import EFFORTS, Asked
from .fitting.ways.contributions import parts
from .several_classes import columns, each_class, named

MOST_MEMBERS = {"quick": 1, "standard": 3, "thorough": 5}


class AttentionClassifier(BagClassifier):
    """What to try first on bags: attention, beside what may be better, chosen by bags held out.

    With no arguments, several ways to look at bags are compared: instances standardised, whitened,
    or with random cosines beside them; the mean instance, single-layer attention
    wᵀ Xᵀ softmax(X q) + b from several starts, alone or beside the mean, evidence, whose odds are
    the mean of the instances' odds, and summaries of a bag (mean, largest, least and standard
    deviation of every feature), read linearly or by trees. Hopeless ones are dropped early. The
    best is taken, and with it up to two of another kind that bags held out do not tell apart from
    it: the mean of their log odds is the score. ``choices_`` says what was tried, ``why_`` why
    this was taken.

    Parameters
    ----------
    effort : "quick", "standard" or "thorough", default "standard"
        How much is compared. "quick" takes a single way of five, "thorough" compares more of all.
    kappa : "auto" or float, default "auto"
        Strength of attention's query, in standard deviations of its projections: how sharply it
        looks, to begin with; 0 to 10⁶. 0 is mean pooling; a number leaves all but attention out.
    queries : int or "auto", default 1
        How many queries, for more than one kind of signal, 1 to 1000; their scores add up. "auto"
        compares one with four. More than one leaves evidence and summaries out.
    ridge : "auto" or float, default "auto"
        Penalty (ridge/2)(‖w‖² + ‖q‖²) beside the mean loss, 10⁻¹² to 10¹⁰⁰; "auto" is in proportion
        to the number of features per bag.
    refine : "auto" or int, default "auto"
        Iterations that move query and readout together, 0 to 10⁶; they end when there is nothing
        to gain. None with a loss that has kinks.
    read : "auto", "mean", "attended", "evidence", "summaries" or "trees", default "auto"
        What is read of a bag. "evidence", log mean exp(Xq) + b, is for bags that are positive
        because something is there, never because something is missing: one instance more lowers
        the score of a bag of L by log((L + 1)/L) at most, whatever it shows, and may raise it by
        any amount. "summaries" and "trees" attend to nothing; trees know neither ridge nor loss.
    start : "auto", "steps", "contrast" or "iterated", default "auto"
        Where a query comes from: the theory's two gradient steps; the direction along which
        instances of positive bags vary more; attention iterated on the positives.
    beside : "auto" or bool, default "auto"
        Whether the mean instance is read beside attended ones.
    cosines : "auto" or bool, default "auto"
        Whether random cosines of the instances are shown beside them, for signals that no single
        direction has. "auto" leaves them out where there is no room for them.
    shrinkage : "auto", float in (0, 1] or None, default "auto"
        1 standardises each feature; towards 0 their correlations are removed as well; None leaves
        instances as they are, which should then be of about unit size: so are the ridges compared.
        Fitted on the training bags.
    data : "reuse", "split" or "crossfit", default "reuse"
        What attention's readout is trained on: the query's own bags again, another half, or every
        bag as a query sees it that was trained without it.
    loss : str or Loss, default "logistic"
        "logistic", "square", "squared_hinge", "hinge" or one's own.
    class_weight : dict, "balanced" or None, default None
        As elsewhere in scikit-learn. With weights of bags, a class must have at least 10⁻⁹ of all
        weight, and a bag 0 or at least 10⁻¹⁰⁰ of the largest.
    validation : int, splitter or list of pairs, default 3
        Folds within the training bags, 2 or more, by which parameters are chosen and scores
        calibrated; 0 does neither, and looks at bags as the theory does. A splitter of
        scikit-learn's, or pairs of indices
        (to train on, held out), says which bags these are: some may never be held out, and those
        that are several times share their weight.
    random_state : int, RandomState or None, default None
        For the folds and the cosines.
    n_jobs : int, optional
        Threads that share the work of a fit: None is 1, -1 all processors. The result is the same
        to the last bit.
    progress : bool, callable or None, default None
        Data too large to be held are read again in every pass, with a bar for each if there is a
        terminal; True or a function of (done, total) as in `needlescope.simulate`.
    pos_label : label or None, default None
        The positive class: the one whose bags have something in them that others lack, of two.
        Evidence and two of the starts take the classes differently. None is 1 where labels are 0
        and 1, −1 and 1, or False and True; where they are others, a signal is sought in bags of
        either class, and what is best on bags held out is taken: ``why_`` says which that is.
        With ``read="evidence"`` and labels such as these, pass it where the assumption is known.

    Attributes
    ----------
    classes_ : array (classes,)
        The labels, sorted. Log odds are those of the second of two, whatever ``pos_label`` is.
    binary_ : list
        For more than two classes, a fitted classifier of each against all others, which have the
        attributes below; of two there is no such list.
    members_ : list
        The ways taken, the best first: for each its ``setting``, how instances are shown
        (``view``), its ``model`` and the ``calibration`` of its scores.
    setting_ : Setting
        That of the best: what is read, κ, ridge, iterations, start, shrinkage and the like.
    choices_ : list
        Every way that was tried, in its best setting: how far its held-out loss is ``behind`` the
        best and the standard ``error`` of that, its ``loss``, which is NaN if it was dropped after
        the first fold, and whether it was ``taken``. The least loss of many is too small:
        ``nested_`` has one that is not. Of more than two classes, a dict from each label to such a
        list.
    nested_ : Nested or None
        What the choice is worth on bags that it was not made by: their ``loss``, that of the
        ``base_rate``, the standard ``error`` of the difference, and whether anything was
        ``found``. Log odds are shrunk by ``slope``: towards the base rate if nothing was. None
        if no bags were held out. Of more than two classes, a dict like ``choices_``.
    why_ : str
        Sentences on why this was taken, and whether it is better than the base rate.
    validation_losses_ : dict
        The held-out loss of every setting that was compared by all folds.
    held_out_ : array (bags,)
        The log odds of each bag by classifiers that had not seen it, NaN if it was not held out;
        those of ``nested_.log_odds`` were chosen without it, too.
    query_, readout_ : array (queries, features)
        q and w of the best way, for instances as they were given, not scaled, if it does without
        cosines: the attention of a bag X is ``softmax(X @ query_[0])``, and its part of the score
        ``(attention @ X) @ readout_[0]``. The queries of mean pooling are zero, and so begins a
        last one, if the mean stands beside attention. The readout of evidence is its query;
        summaries have none.
    intercept_ : float
        The constant of that score. If there is one member and it attends, their sum is
        ``decision_function``, except for scores beyond those of nearly all bags held out, which it
        takes back to a logarithm.
    alignment_ : dict
        Diagnostics of the queries on the training bags, an array over queries each: ``kappa``, the
        standard deviation of projections within bags (0 is mean pooling); ``cosine``, between
        query and readout after scaling (both lie along the signal in the theory);
        ``attended_positive`` and ``attended_negative``, how many instances of a bag share the
        attention, 1/Σa² on average: 1 if it lies on a single one.

    Raises
    ------
    ValueError
        From `fit` and what takes bags: if a parameter is outside of its range, if bags, labels or
        weights cannot be read.

    Examples
    --------
    >>> from needlescope.estimators import AttentionClassifier, digit_bags
    >>> X, y = digit_bags(bags=200, L=10, random_state=0)
    >>> clf = AttentionClassifier(random_state=0).fit(X[:150], y[:150])
    >>> clf.score(X[150:], y[150:]) > 0.8
    True
    >>> each = clf.instance_scores(X[150:])
    >>> bool(abs(each[0].sum() - clf.decision_function(X[150:])[0]) < 1e-9)
    True
    """

    def __init__(
        self,
        effort: str = "standard",
        kappa: Any = "auto",
        queries: Any = 1,
        ridge: Any = "auto",
        refine: Any = "auto",
        read: str = "auto",
        start: str = "auto",
        beside: Any = "auto",
        cosines: Any = "auto",
        shrinkage: Any = "auto",
        data: str = "reuse",
        loss: str | Loss = "logistic",
        class_weight: Any = None,
        validation: Any = 3,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
        pos_label: Any = None,
    ) -> None:
        self.effort = effort
        self.kappa = kappa
        self.queries = queries
        self.ridge = ridge
        self.refine = refine
        self.read = read
        self.start = start
        self.beside = beside
        self.cosines = cosines
        self.shrinkage = shrinkage
        self.data = data
        self.loss = loss
        self.class_weight = class_weight
        self.validation = validation
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.pos_label = pos_label

    def _asked(self, loss: Loss) -> Asked:
        check_auto("kappa", self.kappa, 0.0, MOST_KAPPA)
        check_auto("ridge", self.ridge, *RIDGE_RANGE)
        check_auto("refine", self.refine, 0, MOST_STEPS, whole=True)
        choice("effort", self.effort, EFFORTS)
        choice("data", self.data, SCHEMES)
        choice("read", self.read, ("auto", *READS))
        choice("start", self.start, ("auto", *STARTS))
        check_auto("queries", self.queries, 1, MOST_QUERIES, whole=True)
        check_switch("beside", self.beside)
        check_switch("cosines", self.cosines)
        if self.read in ("evidence", *SUMMARIES) and self.queries not in ("auto", 1):
            raise ValueError(
                f'queries={self.queries} needs read="attended", got read={self.read!r}, which has '
                "no more than one query; pass queries=1"
            )
        refine, read = self.refine, self.read
        if loss.kinked and refine != 0 and self.kappa != 0.0:  # mean pooling has nothing to refine
            if not isinstance(refine, str):
                raise ValueError(
                    f"refine={refine} needs a loss without kinks, got {loss.name!r}; "
                    "squared_hinge is one"
                )
            refine = 0
        return Asked(
            kappa=self.kappa,
            ridge=self.ridge,
            refine=refine,
            queries=self.queries,
            shrinkage=self.shrinkage,
            cosines=self.cosines,
            read=read,
            start=self.start,
            beside=self.beside,
            effort=self.effort,
        )

    def _recipe(self, loss: Loss) -> Recipe:
        return super()._recipe(loss)._replace(most=MOST_MEMBERS[self.effort])

    @property
    def query_(self) -> FloatArray:
        """The queries, for instances that are not scaled."""
        member = self._fitted().members_[0]
        return self._unscaled(member.model.q)

    @property
    def why_(self) -> str:
        """Sentences on why this was taken, and whether it found anything."""
        check_is_fitted(self, "classes_")
        if hasattr(self, "binary_"):
            both = zip(self.classes_, self.binary_, strict=True)
            return "\n".join(f"{label}: {one.why_}" for label, one in both)
        found = why(self.choices_, self.members_[0].setting)
        if self.nested_ is not None:
            found += f" {self.nested_.words}"
        return found + self._where()

    def _where(self) -> str:
        """Say in which class a signal was found, if it was sought in either."""
        seeking = [one.setting for one in self.members_ if one.setting.one_sided]
        if self._positive.known or not self.choices_ or not seeking:
            return ""
        label = self.classes_[0 if seeking[0].in_negatives else 1]
        return (
            " A signal was sought in bags of either class, as pos_label was not given; the best "
            f"takes it to be in those labelled {label!s}."
        )

    def _describe(self, data: Prepared, weight: FloatArray) -> None:
        """Keep what the queries look at."""
        self.alignment_ = describe(data, self.members_[0].model, weight)

    @each_class(columns)
    def transform(self, X: Any) -> FloatArray:
        """Return the attention features Xᵀ softmax(X q) of scaled bags, one query after another."""
        return steps.features(self._prepare(X)[0], self.members_[0].model.q)

    @each_class(named)
    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return names for the columns of `transform`."""
        names, member = self._names(input_features), self._fitted().members_[0]
        names += [f"cosine{k}" for k in range(member.view.width - len(names))]
        count = len(member.model.q)
        if count == 1:
            return np.array([f"attended_{name}" for name in names], dtype=object)
        return np.array(
            [f"attended{k}_{name}" for k in range(count) for name in names], dtype=object
        )

    def attend(self, X: Any) -> list[FloatArray]:
        """Return the attention weights of each bag: one for each instance.

        They are those of the way that was best on bags held out, ``members_[0]``. With several
        queries, an array (queries, instances). The mean beside attention is not among them. Where
        the best is the mean, all weights of a bag are the same, and ``why_`` says so.
        """
        data, member = self._prepare(X)[0], self.members_[0]
        queries = member.model.q[: member.setting.queries]
        found: list[FloatArray] = []
        for block in data.blocks():
            rows, segments = block.table, block.segments
            a = np.stack([attend(rows, segments, q, 1.0) for q in queries])
            ends = np.cumsum(data.bags.lengths[block.rows])
            found += np.split(a, ends[:-1], axis=1)
        return [a[0] for a in found] if len(queries) == 1 else found

    @each_class(several_classes.instance_scores)
    def instance_scores(self, X: Any) -> list[FloatArray]:
        """Return what each instance adds to the log odds of its bag: an array for each bag.

        They add up to ``decision_function`` exactly, whatever was chosen. What belongs to no
        instance, such as the share of positives among all bags, is spread evenly over a bag. Of
        more than two classes, each array has a column for each class.
        """
        prepared = self._prepare(X)
        bags, members = prepared[0].bags, self.members_
        whole = Ragged.at(bags.starts)
        each, total = np.zeros(int(bags.starts[-1])), np.zeros(len(bags))
        for data, member in zip(prepared, members, strict=True):
            for block in data.blocks():
                found, score = parts(block.table, block.segments, member.model)
                odds = member.calibration.log_odds(score)
                first, last = bags.starts[block.rows.start], bags.starts[block.rows.stop]
                each[first:last] += member.calibration.slope * found / len(members)
                total[block.rows] += odds / len(members)
        if len(members) > 1:
            each, total = self.blend_.slope * each, self.blend_.log_odds(total)
        each += whole.spread((total - whole.sum(each)) / whole.lengths)
        return np.split(self._positive.sign * each, bags.starts[1:-1])
