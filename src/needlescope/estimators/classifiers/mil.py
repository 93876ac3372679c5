"""The classifier to try first on bags: a search over poolings of their instances."""

from __future__ import annotations

from typing import Any

from ...grid import choice
from ...losses import Loss
from ...running.progress import Progress
from ..candidates.registry import KINDS, POOLINGS
from ..candidates.shared.search_space import SearchSpec
from .search import SearchClassifier


class MILClassifier(SearchClassifier):
    """What to try first on bags: several poolings, compared by cross-validation.

    By default 28 candidates are compared. Instances are standardised, whitened, or have random
    Fourier features appended. Bags are pooled by their mean; by single-layer attention
    wᵀ Xᵀ softmax(X q) + b from several initialisations, alone, with the mean appended or with four
    queries; by attention after a hidden layer; by log-mean-exp pooling; or by summaries (mean,
    maximum, minimum and standard deviation of every feature), classified linearly, by a random
    forest or by boosted trees, which ask for max − mean and mean − min, too. All are compared
    on one fold, the best of them on every fold. Up to five are put together: the score is a
    weighted mean of their log odds, with the weights that suit held-out bags. ``cv_results_`` has
    all that was compared, ``selection_summary_`` says what was selected.

    Parameters
    ----------
    effort : "quick", "standard" or "thorough", default "standard"
        How much is compared. "quick" selects one of five candidates; "thorough" compares those of
        "standard" on five folds in place of three, of two partitions of the bags, and trains hidden
        layers for twice as long.
    pooling : str, default "auto"
        "auto", "mean", "attention", "hidden_attention", "log_mean_exp", "summaries", "forest" or
        "boosted". "hidden_attention" trains four networks, each with four queries to 64 rectified
        linear units of every instance; ``ridge``, ``init`` and ``max_refine_iter`` have no part
        in it. "auto" leaves it out where bags have thousands of instances or features, as its
        training would take long.
        "log_mean_exp", log mean exp(Xq) + b, is for bags that are positive because of an instance
        in them, never because one is missing: a further instance lowers the score of a bag of L by
        at most log((L + 1)/L), and may raise it by any amount. "summaries", "forest" and "boosted"
        have no attention, the last two neither ridge nor loss.
    n_queries : int or "auto", default "auto"
        The number of attention queries, 1 to 1000, for more than one kind of signal; their scores
        add up. "auto" compares 1 with 4. A number excludes attention after a hidden layer, and more
        than one log-mean-exp and summaries.
    ridge : "auto" or float, default "auto"
        Penalty (ridge/2)(‖w‖² + ‖q‖²) added to the mean loss, 10⁻¹² to 10¹⁰⁰. "auto" compares
        values in proportion to the number of features per bag.
    max_refine_iter : "auto" or int, default "auto"
        The maximum number of L-BFGS iterations that refine query and readout together, 0 to 10⁶;
        0 for a loss with kinks.
    init : "auto", "two_steps", "contrastive_pca" or "amp", default "auto"
        The initialisation of a query: the theory's two gradient steps; contrastive PCA, the
        direction along which instances vary more within positive than within negative bags; or
        approximate message passing on the positive bags.
    random_features : "auto" or bool, default "auto"
        Whether random Fourier features of the instances are appended to them, for signals that are
        not along one direction. "auto" does without where memory does not hold them.
    shrinkage : "auto", float in (0, 1] or None, default "auto"
        1 standardises each feature; smaller values also remove correlations, as fitted to the
        training bags. None leaves instances as they are: they should be of about unit size.
    loss : str or Loss, default "logistic"
        "logistic", "square", "squared_hinge", "hinge" or one's own.
    class_weight : dict, "balanced" or None, default None
        As elsewhere in scikit-learn. A class must have at least 10⁻⁹ of the total weight, and a
        bag 0 or at least 10⁻¹⁰⁰ of the largest.
    cv : "auto", int, splitter or list of pairs, default "auto"
        The number of folds within the training bags, at least 2, by which parameters are chosen
        and scores calibrated; 0 does neither, and preprocesses bags as the theory does. "auto" is 3
        folds, or 5 if ``effort`` is "thorough". A splitter of scikit-learn, or pairs of indices
        (training bags, held-out bags), defines the folds. A bag may be held out never or several
        times; its scores then share its weight.
    random_state : int, RandomState or None, default None
        For the folds and the random features.
    n_jobs : int, optional
        The number of threads: None is 1, -1 all processors; they share preprocessings, and the
        passes over large data. The result is the same to the bit.
    progress : bool, callable or None, default None
        Whether to show a bar for each pass over data that are too large to be held: None does so
        on a terminal. A function is called with (done, total), as in `needlescope.simulate`.
    pos_label : label or None, default None
        The positive class of two: the one whose bags contain something that others lack.
        Log-mean-exp pooling and two of the initialisations treat the classes differently. None is
        1 for labels 0 and 1, −1 and 1, or False and True; with other labels a signal is sought in
        either class, and ``selection_summary_`` says in which it was found.

    Attributes
    ----------
    classes_ : array (classes,)
        The labels, sorted. Log odds are those of the second of two, whatever ``pos_label`` is.
    binary_ : list
        For more than two classes, a fitted classifier of each against all others, which has the
        attributes below.
    estimators_ : list
        The selected candidates, the best first: ``configuration``, ``preprocessor``, ``model``, the
        ``calibration`` of its scores and the ``weight`` of its log odds.
    best_params_ : dict
        The parameters of the best candidate that apply to its ``pooling``; for one that treats the
        classes differently, whether the signal is ``in_negatives``.
    cv_results_ : dict
        All that was compared, as in scikit-learn's searches: a row for each setting, the best
        first, in columns ``params``, ``param_<name>`` and ``rank_test_score``. ``mean_test_score``
        is the negative logarithmic loss of held-out bags, NaN for a candidate that was dropped
        after the first fold. ``difference_to_best`` is its distance from the best on the same bags
        (those of the first fold if it was dropped), with the standard error
        ``difference_to_best_se``; ``selected`` marks ``estimators_``, and ``weight`` is theirs. The
        best of many scores is too good: ``nested_`` has one that is not. For more than two classes,
        a dict from labels to such dicts.
    nested_ : Nested or None
        The selection judged by bags that had no part in it: their ``loss``, that of the
        ``base_rate``, the standard ``error`` of the difference, and whether anything was
        ``found``. Log odds are shrunk by ``slope``: towards the base rate if nothing was. None
        without held-out bags. For more than two classes, a dict as ``cv_results_``.
    explainer_ : FittedCandidate or None
        The best candidate that attends, for ``instance_scores(X, explain="attention")``; and
        ``explainer_auc_`` its AUC on held-out bags, beside that of all that was selected.
    selection_summary_ : str
        Why these candidates were selected, and whether they are better than the base rate.
    cv_decision_function_ : array (bags,)
        The log odds of each training bag by classifiers that had not seen it, NaN if it was not
        held out. ``nested_.log_odds`` were also selected without it.
    query_, readout_ : array (queries, features)
        q and w of the best candidate, for instances that are not scaled, unless it has random
        features: the attention of a bag X is ``softmax(X @ query_[0])``, and its part of the score
        ``(attention @ X) @ readout_[0]``. The queries of mean pooling are zero, as is initially
        the last one if the mean is appended. The readout of log-mean-exp pooling is its query;
        summaries have none, and attention after a hidden layer has neither.
    intercept_ : float
        The constant of that score. If one candidate is selected and it attends, the sum is
        ``decision_function``, except for scores beyond those of nearly all held-out bags, which
        grow logarithmically there.
    alignment_ : dict
        Diagnostics of the queries on the training bags, an array over queries each: ``kappa``, the
        standard deviation of projections within bags (0 for mean pooling); ``cosine``, between
        query and readout after scaling (both lie along the signal in the theory); ``importance``,
        the standard deviation over bags of its part in the score, as a share of all queries;
        ``attended_positive`` and ``attended_negative``, the effective number of instances that
        share the attention, 1/Σa², averaged over the bags of a class. Attention after a hidden
        layer counts as one query, of which kappa and cosine are not defined: 0.

    Raises
    ------
    ValueError
        From `fit` and methods that take bags: if a parameter is outside of its range, or bags,
        labels or weights are not valid.

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
        n_queries: Any = "auto",
        ridge: Any = "auto",
        max_refine_iter: Any = "auto",
        init: str = "auto",
        random_features: Any = "auto",
        shrinkage: Any = "auto",
        loss: str | Loss = "logistic",
        class_weight: Any = None,
        cv: Any = "auto",
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
        if self.pooling == "hidden_attention" and self.n_queries != "auto":
            raise ValueError(
                'pooling="hidden_attention" has four queries in each of its networks, got '
                f'n_queries={self.n_queries}; leave it "auto", or pass pooling="attention"'
            )
        several = self.pooling == "auto" or KINDS[self.pooling].several_queries
        if not several and self.n_queries not in ("auto", 1):
            raise ValueError(
                f'n_queries={self.n_queries} needs pooling="attention", got '
                f"pooling={self.pooling!r}, which has no more than one query; pass n_queries=1"
            )
        return spec
