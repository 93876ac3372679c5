"""The classifier of bags whose model is any of the architectures, trained end to end in torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import FloatArray, IndexArray
from ..estimators.bags.bags import Bags
from ..estimators.candidates.shared.candidate import Configuration
from ..estimators.candidates.shared.search_space import SHRINKAGES, SearchSpec, is_auto
from ..estimators.classifiers.base import BagClassifier
from ..estimators.engine import prepared
from ..estimators.selection.cross_validation import Candidates
from ..losses import Loss
from ..running.progress import Progress
from .candidate import DeepCandidate, DeepModel
from .training.defaults import DECAYS, EPOCHS, RATES
from .training_spec import TrainingSpec


def _missing_attribute(name: str) -> Any:
    """Return an attribute of the other classifiers that this one cannot have."""

    def refuse(self: Any) -> Any:
        raise AttributeError(
            f"DeepClassifier has no {name}: layers stand between an instance and the score; "
            "estimators_[0].model.weights has what was trained, rate_ and epochs_ say how"
        )

    return property(refuse)


class DeepClassifier(BagClassifier):
    """Fuller attention on bags: self-attention, transformer blocks, gated pooling and the like.

    It trains one architecture end to end. Preprocessing, folds and calibration are those of
    `MILClassifier`, so that the two can be compared. Training is that of `simulate_deep`: Adam on
    the logistic loss with weight decay; a fifth of the training bags is held out, to stop and to
    select the learning rate and the decay. Needs the extra ``needlescope[deep]``.

    Parameters
    ----------
    architecture : str, default "block"
        A name in `needlescope.deep.ARCHITECTURES`, which says what each is. "gru" and "convolution"
        take instances in their order, all others as a set. That a transformer block is the default
        was decided by musk1, elephant, tiger and fox.
    heads : int, optional
        As in `simulate_deep`, like ``width``, ``rates``, ``decays`` and ``epochs``.
    width : int, default 32
    rates : sequence of float, default (0.01, 0.03)
    decays : sequence of float, default (3, 10)
        The dimension is the number of features.
    epochs : int, default 300
    shrinkage : "auto", float in (0, 1] or None, default 1
        1 standardises each feature; towards 0 their correlations are removed as well; None leaves
        instances as they are, which should then be of about unit size. "auto" compares 1 with
        0.02, and takes twice as long. Fitted on the training bags.
    class_weight : optional
        As in `MILClassifier`.
    cv : int, splitter or list of pairs, default 3
        Folds within the training bags, 2 or more, by which scores are calibrated; 0 does not. A
        splitter of scikit-learn's, or pairs of indices (training bags, held-out bags), says which
        bags these are. Each is a training of its own, and one on all bags follows.
    random_state : int, RandomState or None, default None
        Of the folds, the held-out bags and the initial weights. With the same one, results are
        the same to the last bit.
    n_jobs : int, optional
        Threads: None is 1, -1 all processors. The result does not depend on it.
    progress : bool, callable or None, default None
        A bar of epochs for each training if there is a terminal; True or a function of
        (done, total) as in `needlescope.simulate`. With several threads, only a function is called.

    Attributes
    ----------
    classes_, binary_, estimators_, best_params_, cv_results_, cv_decision_function_
        As in `MILClassifier`; ``estimators_[0].model`` has the weights as NumPy arrays.
    rate_, decay_ : float
        The learning rate that was kept in the training on all bags, and the decay that went with
        it, scaled to the number of features.
    epochs_ : int
        The epoch at which the loss of its held-out bags was least: the weights are those.
    parameters_ : int
        How many numbers were trained.

    Raises
    ------
    ImportError
        From `fit` and what takes bags: if PyTorch is not installed.
    ValueError
        From `fit` and what takes bags: if a parameter is outside of its range, if bags, labels or
        weights cannot be read, or if there are more instances than training can hold.
    NotConverged
        From `fit`: if training diverges at every learning rate.

    Examples
    --------
    >>> import numpy as np
    >>> from needlescope.deep import DeepClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 200)
    >>> X = rng.standard_normal((200, 5, 3))
    >>> X[np.arange(200), rng.integers(0, 5, 200)] += 3.0 * y[:, None]  # any one of five
    >>> clf = DeepClassifier(width=8, epochs=20, cv=2, random_state=0)
    >>> clf.fit(X[:100], y[:100]).score(X[100:], y[100:]) > 0.8
    True
    >>> clf.parameters_, clf.attention_weights(X[100:])[0].shape  # of four heads on five instances
    (633, (4, 5))
    """

    loss: Any = "logistic"  # what torch minimises: no parameter here
    ridge: Any = None  # weights decay instead

    readout_ = _missing_attribute("readout_")
    intercept_ = _missing_attribute("intercept_")

    def __init__(
        self,
        architecture: str = "block",
        heads: int | None = None,
        width: int = 32,
        rates: Sequence[float] = RATES,
        decays: Sequence[float] = DECAYS,
        epochs: int = EPOCHS,
        shrinkage: Any = 1.0,
        class_weight: Any = None,
        cv: Any = 3,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.architecture = architecture
        self.heads = heads
        self.width = width
        self.rates = rates
        self.decays = decays
        self.epochs = epochs
        self.shrinkage = shrinkage
        self.class_weight = class_weight
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def _spec(self, loss: Loss) -> SearchSpec:
        self._training_spec()
        return SearchSpec(shrinkage=self.shrinkage, pooling=self.architecture)

    def _training_spec(self) -> TrainingSpec:
        """Read the parameters of a training, or refuse them."""
        return TrainingSpec.validated(
            self.architecture, self.width, self.heads, self.rates, self.decays, self.epochs
        )

    def _candidates(
        self, spec: SearchSpec, bags: Bags, used: IndexArray, count: float
    ) -> Candidates:
        """List a candidate for each shrinkage; refuse more instances than are held in memory."""
        numbers, most = int(bags.lengths[used].sum()) * bags.d, prepared.MAX_HELD
        if numbers > most:
            raise ValueError(
                f"DeepClassifier holds all instances while it trains, {most} numbers at most, got "
                f"{numbers}; pass fewer bags, or fewer features as InstanceTransformer(PCA(50)) "
                "makes them, or take MILClassifier, which reads them block by block"
            )
        result: Any = (spec.shrinkage,)
        if is_auto(spec.shrinkage):
            result = SHRINKAGES
        training = self._training_spec()
        candidates = [DeepCandidate(shrinkage=item, spec=training) for item in result]
        return {candidate: [Configuration(candidate)] for candidate in candidates}

    def attention_weights(self, X: Any) -> list[FloatArray]:
        """Return the attention weights of each bag: one for each instance.

        Of several heads, an array (heads, instances). They add up to one; where a CLS token
        attends, to one less what it gives to itself. Those of "linear" may be below zero, and
        those of "max" are the share of features that are largest in an instance.

        Raises
        ------
        ValueError
            If the architecture has no attention: "gru" and "convolution".
        """
        (data,) = self._prepare(X)
        result = self._trained().attention(data)
        if result is None:
            raise ValueError(
                f"architecture={self.architecture!r} has no attention to return: it takes "
                'instances in their order; "gated" and "block" are among those that attend'
            )
        return [item[0] for item in result] if len(result[0]) == 1 else result

    def transform(self, X: Any) -> FloatArray:
        """Return the log odds of `decision_function` as columns, one or one for each class."""
        result = self.decision_function(X)
        return result[:, None] if result.ndim == 1 else result

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return names for the columns of `transform`."""
        self._names(input_features)
        labels = [f"{label}_" for label in self.classes_] if len(self.classes_) > 2 else [""]
        return np.array([f"{label}log_odds" for label in labels], dtype=object)

    @property
    def rate_(self) -> float:
        """The learning rate that was kept."""
        return self._trained().rate

    @property
    def decay_(self) -> float:
        """The decay that was kept."""
        return self._trained().decay

    @property
    def epochs_(self) -> int:
        """The epoch whose weights were kept."""
        return self._trained().epochs

    @property
    def parameters_(self) -> int:
        """How many numbers were trained."""
        return self._trained().parameters

    def _trained(self) -> DeepModel:
        result: DeepModel = self._fitted().estimators_[0].model
        return result
