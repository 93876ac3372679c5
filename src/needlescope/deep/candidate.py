"""An architecture as a candidate of the classifier of bags: fitted fold by fold, end to end."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from ..arrays import FloatArray
from ..estimators.candidates.shared.candidate import Candidate, Configuration
from ..estimators.candidates.shared.search_space import SearchSpace
from ..estimators.engine.computation import Fit, Scored
from ..estimators.engine.fold_data import FoldData
from ..estimators.engine.requests import Request
from ..losses import Loss
from ..running.progress import Progress, reporting
from .torch_needed import need_torch
from .training.defaults import DECAYS, EPOCHS, RATES
from .training_spec import TrainedNetwork, TrainingSpec


class DeepModel(TrainedNetwork):
    """A trained architecture that scores bags."""

    __slots__ = ()

    def scores(self, data: Any) -> FloatArray:
        """Return the score of every bag."""
        need_torch("DeepClassifier")
        from .fitting import scores

        return scores(data, self)

    def attention(self, data: Any) -> list[FloatArray] | None:
        """Return the attention (heads, instances) in every bag; None if there is none."""
        need_torch("DeepClassifier")
        from .fitting import attention

        return attention(data, self)


DEFAULT = TrainingSpec("block", 32, None, tuple(RATES), tuple(DECAYS), EPOCHS)


@dataclass(frozen=True)
class DeepCandidate(Candidate):
    """An architecture on preprocessed instances."""

    spec: TrainingSpec = DEFAULT

    tuned = ()
    linear = False
    attends = True

    @property
    def pooling(self) -> str:  # type: ignore[override]
        """The architecture."""
        return self.spec.architecture

    @classmethod
    def offered(cls, space: SearchSpace) -> Iterator[Candidate]:
        """Offer nothing: no other candidate is compared with it."""
        yield from ()

    def configurations(self, space: SearchSpace, unit: float) -> list[Configuration]:
        """There is one: learning rate and decay are selected within each training."""
        return [Configuration(self)]

    @property
    def params(self) -> dict[str, Any]:
        """The parameters, by name: others are attributes of the classifier."""
        return {"shrinkage": self.shrinkage}

    @property
    def words(self) -> str:
        """The candidate in words."""
        return f'the architecture "{self.spec.architecture}" on {self.instances}'

    def fit(
        self, fold: FoldData, configurations: list[Configuration], loss: Loss, random: Any
    ) -> Fit:
        """Train the network; with a thread pool beside those of other folds."""
        return _Training(fold, self.spec, random)


class _Training(Fit):
    """One training, which needs no pass: instances are held, and read in batches."""

    def __init__(self, fold: FoldData, spec: TrainingSpec, random: Any) -> None:
        super().__init__()
        self.fold, self.spec, self.random = fold, spec, random
        self._pending: Future[Scored] | None = None

    def stage(self, number: int) -> None:
        """There are no stages."""

    def ask(self) -> list[Request] | None:
        """Begin to train, and wait while others begin; then return at the end."""
        need_torch("DeepClassifier")
        fold = self.fold
        if fold.threads.pool is None:
            self.results = [self._train(fold.progress)]
            return None
        if self._pending is None:  # several bars would overwrite each other
            progress = fold.progress if callable(fold.progress) else False
            self._pending = fold.threads.pool.submit(self._train, progress)
            return []
        self.results = [self._pending.result()]
        return None

    def _train(self, progress: Progress) -> Scored:
        """Train on the training bags of the fold."""
        from .fitting import train_bags

        spec = self.spec
        total = len(spec.rates) * len(spec.decays) * spec.epochs
        with reporting(progress, total, f"{spec.architecture}, epochs") as report:
            model, scores = train_bags(self.fold, spec, self.random, lambda done: report(done, 0))
            report(total, 0)
        return Scored(DeepModel(*model), scores)
