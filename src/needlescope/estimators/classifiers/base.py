"""What all classifiers share: validation, labels, weights, selection, calibration."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ...arrays import FloatArray, IndexArray
from ...grid import unmasked
from ...losses import Logistic, Loss, check_loss, get_loss
from ...running.progress import check_progress
from ...solvers.calibration import AS_IS
from ..bags.bags import Bags, as_bags
from ..bags.extremes import check_fit, check_range
from ..bags.features import BagEstimator
from ..bags.labels import (
    bag_groups,
    bag_weights,
    check_every_class,
    check_order,
    check_weight_ratios,
    class_factors,
    encode_labels,
    read_labels,
)
from ..bags.preprocessing import Preprocessing
from ..candidates.registry import offered
from ..candidates.shared.search_space import SearchSpec
from ..engine.bag_statistics import N_STATISTICS
from ..engine.prepared import MAX_HELD, PreparedBags
from ..engine.threads import check_jobs, thread_pool
from ..selection.cross_validation import Candidates, Labelled
from ..selection.cv_splits import (
    check_fold_count,
    check_folds,
    is_fold_count,
    read_folds,
    restrict_folds,
)
from ..selection.drawing import even_count
from ..selection.fit import Fitted, Options, fit_bags
from .cv_results import cv_results
from .multiclass import fit_binary, fit_calibration, log_odds, one_vs_rest, probabilities
from .positive import PositiveClass, positive_class, warn_of_label_order


class BagClassifier(ClassifierMixin, BagEstimator):
    """A classifier of bags: parameters chosen by cross-validation, calibrated scores."""

    split: Any = "reuse"
    pos_label: Any = None
    ridge: Any
    shrinkage: Any
    loss: Any
    class_weight: Any
    cv: Any
    random_state: Any
    n_jobs: Any
    progress: Any
    cv_results_: Any  # with more than two classes a dict by label, as is nested_
    nested_: Any

    @abstractmethod
    def _spec(self, loss: Loss) -> SearchSpec:
        """Return what the parameters fix and what they leave "auto", or refuse them."""

    def _candidates(
        self, spec: SearchSpec, bags: Bags, used: IndexArray, count: float
    ) -> Candidates:
        """Return the configurations of each candidate; ridges are relative to features per bag."""
        instances, d = int(bags.lengths[used].sum()), bags.d
        held = instances * d <= MAX_HELD
        roomy = instances * Preprocessing(random_features=True).width(d) <= MAX_HELD
        summaries = len(used) * N_STATISTICS * d <= MAX_HELD // 2
        room: Any = {"held": held, "roomy": roomy, "summaries": summaries}
        listed = offered(spec, d, **room, in_bag=instances / len(used))
        return {item: item.configurations(space, item.width(d) / count) for item, space in listed}

    def _options(self) -> Options:
        """Return how candidates are compared."""
        folds = int(self._cv) if is_fold_count(self._cv) else 0
        return Options(folds, isinstance(self.ridge, str), *self._breadth())

    def _breadth(self) -> tuple[int, int]:
        """Return how many candidates may be combined, and how often bags are cut into folds."""
        return 1, 1

    @property
    def _cv(self) -> Any:
        """The number of folds, or the folds."""
        return self.cv

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Any:
        """Fit the classifier to bags.

        Parameters
        ----------
        X : Bags, array (bags, instances, features), or list of arrays
        y : array (bags,)
            The label of each bag. With more than two classes, each is compared with all others.
        sample_weight : array (bags,) or float, optional
            A weight of at least 0 for each bag, which its class weight multiplies.
        groups : array (bags,), optional
            The group of each bag, such as a patient. Bags of a group are held out together; there
            are fewer folds if a class has fewer groups.

        Raises
        ------
        ValueError
            If a parameter is outside of its range, or bags, labels or weights are not valid.
        """
        loss = get_loss(self.loss)
        check_loss(loss)
        spec = self._spec(loss)
        self._check()
        check_progress(self.progress)
        check_jobs(self.n_jobs)
        bags = as_bags(X)
        labels = self._labels(bags, y)
        classes, signs = encode_labels(labels)
        positive = positive_class(self.pos_label, classes)
        weight = self._weights(bags, classes, signs, sample_weight)
        used = np.flatnonzero(weight > 0.0)
        check_every_class(classes, signs[used], "with a weight above zero ")
        check_order("groups", groups, bags.ids)
        groups = self._groups(groups, len(bags))
        folds = None
        if not is_fold_count(self._cv):
            folds = read_folds(self._cv, bags, labels, groups)
            inside = restrict_folds(folds, used, len(bags))
            check_folds(inside, labels[used], classes)
        random = check_random_state(self.random_state)
        if len(classes) > 2:
            cv = self.cv if folds is None else folds
            binary = fit_binary(self, bags, signs, weight, groups, cv, random)
            joint = fit_calibration(binary, signs.astype(int), weight)
            return self._set_binary(bags, classes, binary, joint)
        check_fit(bags, used, self.shrinkage is not None, self.ridge == "auto")
        given = Labelled(bags, used, positive.sign * signs[used], weight[used])
        spec = spec._replace(both_sides=not positive.known)
        if groups is not None:
            given = given._replace(groups=groups[used])
        if folds is not None:
            given = given._replace(folds=inside)
        if is_fold_count(self._cv) and self._cv == 0:
            spec = spec.plain()  # no bags are held out to compare by
        listed = self._candidates(spec, bags, used, even_count(given.y, given.weight))
        with thread_pool(self.n_jobs) as threads:
            fitted = fit_bags(given, listed, loss, self._options(), random, self.progress, threads)
        return self._set_fitted(bags, classes, positive, fitted)

    def _set_fitted(self, bags: Bags, classes: Any, positive: PositiveClass, fitted: Fitted) -> Any:
        """Set the fitted attributes of two classes, all at once: nothing can fail here."""
        self._keep_features(bags)
        self._reset()
        choice = fitted.choice
        self.classes_, self.estimators_, self.blend_ = classes, fitted.estimators, choice.blend
        self._positive, self._compared = positive, choice.compared
        self.cv_results_, self.nested_ = cv_results(choice.compared), choice.nested
        held = choice.log_odds if len(choice.log_odds) else np.full(len(bags), np.nan)
        self.cv_decision_function_ = positive.sign * held
        self._describe(fitted.data, fitted.share)
        self._keep_explainer(fitted)
        best = fitted.estimators[0].configuration.candidate
        if not positive.known and not len(choice.log_odds) and best.one_sided:
            warn_of_label_order(classes, best)
        return self

    def _set_binary(self, bags: Bags, classes: Any, binary: list[Any], joint: Any) -> Any:
        """Set the fitted attributes of more than two classes."""
        self._keep_features(bags)
        self._reset()
        self.classes_, self.binary_, self.joint_ = classes, binary, joint
        each = dict(zip(classes.tolist(), binary, strict=True))
        self.cv_results_ = {label: value.cv_results_ for label, value in each.items()}
        self.nested_ = {label: value.nested_ for label, value in each.items()}
        return self

    def _keep_explainer(self, fitted: Fitted) -> None:
        """Keep what explains the contributions of instances, if it is not what scores."""

    def _describe(self, data: PreparedBags, weight: FloatArray) -> None:
        """Set diagnostics of the fitted model."""

    @one_vs_rest(log_odds)
    def decision_function(self, X: Any) -> FloatArray:
        """Return calibrated scores: the log odds that a bag is of ``classes_[1]``.

        With more than two classes, a column for each: its log probability, up to a constant of the
        bag. Without held-out bags (``cv=0``, or one bag of a class) scores are not calibrated, and
        are log odds for the logistic loss only.
        """
        members, result = self._fitted().estimators_, np.zeros(())
        for data, member in zip(self._prepare(X), members, strict=True):
            result = result + member.weight * member.calibration.log_odds(member.model.scores(data))
        result = self.blend_.log_odds(result) if len(members) > 1 else result
        return np.asarray(self._positive.sign * result)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy: the share of bags whose label is predicted."""
        bags = as_bags(X)
        unmasked("y", y)
        unmasked("sample_weight", sample_weight)
        check_order("y", y, bags.ids)
        check_order("sample_weight", sample_weight, bags.ids)
        return float(super().score(bags, y, sample_weight))

    def predict(self, X: Any) -> Any:
        """Return the more probable label of each bag."""
        result = self.decision_function(X)
        if result.ndim == 2:
            return self.classes_[result.argmax(axis=1)]
        return self.classes_[(result > 0.0).astype(int)]

    @one_vs_rest(probabilities)
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities of all classes, in the order of ``classes_``."""
        if self._fitted().estimators_[0].calibration == AS_IS and not isinstance(
            get_loss(self.loss), Logistic
        ):
            raise ValueError(
                f"loss={self.loss!r} makes no probabilities by itself, and no bags were held out "
                "to calibrate its scores by; pass cv=3 with at least two bags of each "
                'class, or loss="logistic"'
            )
        positive = 1.0 / (1.0 + np.exp(-np.clip(self.decision_function(X), -700.0, 700.0)))
        return np.stack([1.0 - positive, positive], axis=1)

    def _check(self) -> None:
        shrinkage = self.shrinkage
        if shrinkage is not None and not (isinstance(shrinkage, str) and shrinkage == "auto"):
            number = isinstance(shrinkage, int | float | np.integer | np.floating)
            if isinstance(shrinkage, bool) or not number or not 0.0 < shrinkage <= 1.0:
                raise ValueError(
                    f'shrinkage must be "auto", None or a number in (0, 1], got {shrinkage!r}; 1 '
                    "standardises each feature, less removes correlations too"
                )
        check_fold_count(self._cv)

    def _labels(self, bags: Bags, y: Any) -> Any:
        """Return the labels of the bags."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        check_order("y", y, bags.ids)
        return read_labels(y, len(bags))

    def _groups(self, groups: Any, count: int) -> IndexArray | None:
        """Return the group of each bag as a number, if there are groups."""
        if groups is not None and self.split != "reuse":
            raise ValueError(
                f'groups are kept together by split="reuse" only, got split={self.split!r}, whose '
                "parts may share them"
            )
        return bag_groups(groups, count)

    def _reset(self) -> None:
        """Remove the attributes of an earlier fit, perhaps to another number of classes."""
        two = ("estimators_", "blend_", "cv_results_", "cv_decision_function_", "alignment_")
        for name in (
            *two,
            "nested_",
            "explainer_",
            "explainer_auc_",
            "_positive",
            "_compared",
            "binary_",
            "joint_",
        ):
            self.__dict__.pop(name, None)

    def _weights(self, bags: Bags, classes: Any, signs: FloatArray, given: Any) -> FloatArray:
        """Return the normalised weights of the bags, class weights included."""
        check_order("sample_weight", given, bags.ids)
        weight = bag_weights(given, len(bags))
        weight = weight * class_factors(self.class_weight, classes, signs, weight)
        if not weight.any():
            raise ValueError("sample_weight and class_weight together are zero for all bags")
        check_weight_ratios(weight, classes, signs)
        return np.asarray(weight / weight.sum())

    @property
    def best_params_(self) -> dict[str, Any]:
        """The parameters of the best candidate."""
        return dict(self._fitted().estimators_[0].configuration.params)

    @property
    def readout_(self) -> FloatArray:
        """The calibrated readouts, for instances that are not scaled: one in each row."""
        member = self._fitted().estimators_[0]
        slope = self._positive.sign * member.calibration.slope
        return np.asarray(slope * self._unscaled(self._readouts()))

    @property
    def intercept_(self) -> float:
        """The constant of the calibrated score."""
        member = self._fitted().estimators_[0]
        slope, intercept = member.calibration[:2]
        shift = float((self._unscaled(self._readouts()) @ member.preprocessor.scaling.centre).sum())
        return float(self._positive.sign * (intercept + slope * (member.model.b - shift)))

    def _readouts(self) -> FloatArray:
        """Return the readouts of scaled instances, features in columns."""
        member = self.estimators_[0]
        if not member.configuration.candidate.linear:
            raise AttributeError(
                f"there is no readout of instances in {member.configuration.candidate.words}; fit "
                "AttentionClassifier, or see instance_scores for the contributions of instances"
            )
        return np.asarray(member.model.w.reshape(-1, member.preprocessor.width))

    def _unscaled(self, vectors: FloatArray) -> FloatArray:
        preprocessor = self.estimators_[0].preprocessor
        if preprocessor.random_features is not None:
            raise AttributeError(
                "a query and a readout of instances as they were given exist only if the best "
                "candidate has no random features; pass random_features=False, or see "
                "estimators_[0].model for those of scaled instances and random features, and "
                "instance_scores for the contributions of instances"
            )
        scale = preprocessor.scaling.scale
        return vectors @ scale.T if scale.ndim == 2 else vectors * scale

    def _fitted(self) -> Any:
        check_is_fitted(self, "classes_")
        if hasattr(self, "binary_"):
            raise AttributeError(
                f"with {len(self.classes_)} classes each has its own: see binary_[0], the "
                "classifier of the first class against the others, and so on"
            )
        return self

    def _prepare(self, X: Any, members: Any = None) -> list[PreparedBags]:
        """Return preprocessed bags for each selected candidate; equal preprocessing is shared."""
        bags = as_bags(X)
        self._fitted()._check_features(bags)
        members = self.estimators_ if members is None else members
        every, nothing = np.arange(len(bags)), np.ones(len(bags))
        prepared: dict[Preprocessing, PreparedBags] = {}
        asked = [item.configuration.candidate.preprocessing for item in members]
        for preprocessing, (_, preprocessor, *_) in zip(asked, members, strict=True):
            check_range(bags, preprocessor.scaling)
            if preprocessing not in prepared:
                prepared[preprocessing] = PreparedBags(bags, every, nothing, preprocessor)
        return [prepared[preprocessing] for preprocessing in asked]
