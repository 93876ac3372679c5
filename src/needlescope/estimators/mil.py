"""The classifier to try first on bags: a search over ways to pool their instances."""

from __future__ import annotations

from typing import Any

from ..grid import choice
from ..losses import Loss
from ..running.progress import Progress
from .fitting.settings import POOLINGS, SUMMARIES
from .fitting.ways.catalogue import SearchSpec
from .search import SearchClassifier


class MILClassifier(SearchClassifier):
    """What to try first on bags: several kinds of pooling, compared by cross-validation.

    With no arguments, about two dozen candidates are compared. Instances are standardised,
    whitened, or have random Fourier features appended. Bags are pooled by their mean; by
    single-layer attention wᵀ Xᵀ softmax(X q) + b from several initialisations, alone or with the
    mean appended; by log-mean-exp pooling; or by summaries (mean, largest, least and standard
    deviation of every feature), classified linearly or by a random forest. Hopeless candidates are
    dropped early. The best is taken, and with it up to two of another kind that held-out bags do
    not tell apart from it: the mean of their log odds is the score. ``cv_results_`` has what was
    compared, ``selection_summary_`` says why this was selected.

    Parameters
    ----------
    effort : "quick", "standard" or "thorough", default "standard"
        How much is compared. "quick" takes a single candidate of five, "thorough" compares more of
        everything.
    pooling : str, default "auto"
        "auto", "mean", "attention", "log_mean_exp", "summaries" or "forest": how a bag is pooled.
        "log_mean_exp", log mean exp(Xq) + b, is for bags that are positive because of an instance
        in them, never because one is missing: one more instance lowers the score of a bag of L by
        log((L + 1)/L) at most, whatever it is, and may raise it by any amount. "summaries" and
        "forest" attend to nothing; a forest has neither ridge nor loss.
    n_queries : int or "auto", default 1
        Queries of attention, for more than one kind of signal, 1 to 1000; their scores add up.
        "auto" compares one with four. More than one leaves log-mean-exp and summaries out.
    ridge : "auto" or float, default "auto"
        Penalty (ridge/2)(‖w‖² + ‖q‖²) beside the mean loss, 10⁻¹² to 10¹⁰⁰; "auto" is in proportion
        to the number of features per bag.
    max_refine_iter : "auto" or int, default "auto"
        Iterations of L-BFGS that refine query and readout together, 0 to 10⁶; they end when there
        is nothing to gain. None with a loss that has kinks.
    init : "auto", "two_steps", "contrastive_pca" or "amp", default "auto"
        How a query is initialised: by the theory's two gradient steps; by the direction along
        which instances vary more within positive bags than within negative ones, as contrastive
        PCA finds it; or by approximate message passing on the positive bags.
    random_features : "auto" or bool, default "auto"
        Whether random Fourier features of the instances are appended to them, for signals that no
        single direction has. "auto" leaves them out where memory does not hold them.
    shrinkage : "auto", float in (0, 1] or None, default "auto"
        1 standardises each feature; towards 0 their correlations are removed as well; None leaves
        instances as they are, which should then be of about unit size: so are the ridges compared.
        Fitted on the training bags.
    loss : str or Loss, default "logistic"
        "logistic", "square", "squared_hinge", "hinge" or one's own.
    class_weight : dict, "balanced" or None, default None
        As elsewhere in scikit-learn. With weights of bags, a class must have at least 10⁻⁹ of all
        weight, and a bag 0 or at least 10⁻¹⁰⁰ of the largest.
    cv : int, splitter or list of pairs, default 3
        Folds within the training bags, 2 or more, by which parameters are chosen and scores
        calibrated; 0 does neither, and preprocesses bags as the theory does. A splitter of
        scikit-learn's, or pairs of indices (training bags, held-out bags), says which bags these
        are: some may never be held out, and those that are held out several times share their
        weight.
    random_state : int, RandomState or None, default None
        For the folds and the random features.
    n_jobs : int, optional
        Threads that share the work of a fit: None is 1, -1 all processors. The result is the same
        to the last bit.
    progress : bool, callable or None, default None
        Data too large to be held are read again in every pass, with a bar for each if there is a
        terminal; True or a function of (done, total) as in `needlescope.simulate`.
    pos_label : label or None, default None
        The positive class: the one whose bags have something in them that others lack, of two.
        Log-mean-exp pooling and two of the initialisations treat the classes differently. None is
        1 where labels are 0 and 1, −1 and 1, or False and True; with other labels, a signal is
        sought in bags of either class, and what is best on held-out bags is taken:
        ``selection_summary_`` says which class that is. With ``pooling="log_mean_exp"`` and such
        labels, pass it where the assumption is known.

    Attributes
    ----------
    classes_ : array (classes,)
        The labels, sorted. Log odds are those of the second of two, whatever ``pos_label`` is.
    binary_ : list
        For more than two classes, a fitted classifier of each against all others, which have the
        attributes below; of two there is no such list.
    estimators_ : list
        The selected candidates, the best first: for each its ``setting``, how instances are
        preprocessed (``view``), its ``model`` and the ``calibration`` of its scores.
    best_params_ : dict
        The parameters of the best candidate: those that apply to its ``pooling``; for one that
        treats the classes differently, whether the signal was sought ``in_negatives``.
    cv_results_ : dict
        What was compared, as in scikit-learn's searches: a row for each setting, the best first,
        in columns ``params``, ``param_<name>`` and ``rank_test_score``. ``mean_test_score`` is the
        negative logarithmic loss of held-out bags, NaN for a candidate that was dropped after the
        first fold. ``difference_to_best`` is how far it is from the best on the same bags (of the
        first fold, if it was dropped), with its standard error ``difference_to_best_se``;
        ``selected`` marks the members of ``estimators_``. The best score of many is too good:
        ``nested_`` has one that is not. Of more than two classes, a dict from each label to such
        a dict.
    nested_ : Nested or None
        What the selection is worth on bags that it was not made by: their ``loss``, that of the
        ``base_rate``, the standard ``error`` of the difference, and whether anything was
        ``found``. Log odds are shrunk by ``slope``: towards the base rate if nothing was. None
        if no bags were held out. Of more than two classes, a dict like ``cv_results_``.
    selection_summary_ : str
        Sentences on why these candidates were selected, and whether they are better than the base
        rate.
    cv_decision_function_ : array (bags,)
        The log odds of each training bag by classifiers that had not seen it, NaN if it was not
        held out; those of ``nested_.log_odds`` were selected without it, too.
    query_, readout_ : array (queries, features)
        q and w of the best candidate, for instances as they were given, not scaled, if it has no
        random features: the attention of a bag X is ``softmax(X @ query_[0])``, and its part of
        the score ``(attention @ X) @ readout_[0]``. The queries of mean pooling are zero, and so
        is, to begin with, the last one if the mean is appended. The readout of log-mean-exp
        pooling is its query; summaries have none.
    intercept_ : float
        The constant of that score. If one candidate is selected and it attends, their sum is
        ``decision_function``, except for scores beyond those of nearly all held-out bags, which it
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
    >>> from needlescope.estimators import MILClassifier, make_digit_bags
    >>> X, y = make_digit_bags(bags=200, L=10, random_state=0)
    >>> clf = MILClassifier(random_state=0).fit(X[:150], y[:150])
    >>> clf.score(X[150:], y[150:]) > 0.8
    True
    >>> each = clf.instance_scores(X[150:])
    >>> bool(abs(each[0].sum() - clf.decision_function(X[150:])[0]) < 1e-9)
    True
    """

    def __init__(
        self,
        effort: str = "standard",
        pooling: str = "auto",
        n_queries: Any = 1,
        ridge: Any = "auto",
        max_refine_iter: Any = "auto",
        init: str = "auto",
        random_features: Any = "auto",
        shrinkage: Any = "auto",
        loss: str | Loss = "logistic",
        class_weight: Any = None,
        cv: Any = 3,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
        pos_label: Any = None,
    ) -> None:
        self.effort = effort
        self.pooling = pooling
        self.n_queries = n_queries
        self.ridge = ridge
        self.max_refine_iter = max_refine_iter
        self.init = init
        self.random_features = random_features
        self.shrinkage = shrinkage
        self.loss = loss
        self.class_weight = class_weight
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.pos_label = pos_label

    def _spec(self, loss: Loss) -> SearchSpec:
        choice("pooling", self.pooling, ("auto", *POOLINGS))
        spec = self._shared_spec(loss, self.pooling)
        if self.pooling in ("log_mean_exp", *SUMMARIES) and self.n_queries not in ("auto", 1):
            raise ValueError(
                f'n_queries={self.n_queries} needs pooling="attention", got '
                f"pooling={self.pooling!r}, which has no more than one query; pass n_queries=1"
            )
        return spec
