"""One trial: samples are drawn, an architecture is trained on them, and tested on fresh ones."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from ..errors import NotConverged
from ..models.blocks import hold
from ..noise import Noise
from ..running.seeds import child, generator
from ..simulation.samples.data import tokens
from ..task import Task
from .architectures.network import Network
from .catalogue import ARCHITECTURES
from .measures import OTHERS, Positives, observe, positives, test_error
from .training.checkpoint import Checkpoint
from .training.determinism import seeded
from .training.loop import LoopOptions, mean_loss
from .training.samples import Samples, scores
from .training.selection import Selected, hold_out, select_setting, settings_of

STREAMS = ("signal", "samples", "start", "positives", "test")
WATCHED = 500  # positives that are looked at: their numbers are known to about a twentieth
WATCHED_NUMBERS = 1 << 24  # numbers in them, at most
FEWEST_WATCHED = 50


class Job(NamedTuple):
    """A trial of one problem: all that it needs, its random stream included."""

    task: Task
    alpha: float
    architecture: str
    d: int
    heads: int | None
    width: int
    lengths: tuple[int, ...]
    watch: bool
    rates: tuple[float, ...]
    decays: tuple[float, ...]
    epochs: int
    n_test: int
    noise: Noise
    checkpoints: str | None
    seed: np.random.SeedSequence = np.random.SeedSequence(0)

    def stream(self, name: str) -> np.random.SeedSequence:
        """Return the stream of one of the things that a trial draws."""
        return child(self.seed, STREAMS.index(name))

    @property
    def n(self) -> int:
        """How many samples there are, those held out included."""
        return max(1, round(self.alpha * self.d))

    @property
    def seconds(self) -> float:
        """Roughly how long it takes: 50 ns for a token's number in each of 50 epochs."""
        return (
            2.5e-6 * self.n * float(self.task.L) * self.d * len(self.rates) * len(self.decays) + 0.5
        )

    @property
    def what(self) -> str:
        """What is trained, as text."""
        trained = self._replace(checkpoints=None, lengths=(), n_test=0)
        words = [f"{name}={value!r}" for name, value in trained._asdict().items() if name != "seed"]
        words.append(f"seed={self.seed.entropy!r} {self.seed.spawn_key!r}")
        if self.noise.covariance is not None:  # which its own words leave out
            numbers = np.ascontiguousarray(self.noise.covariance, float).tobytes()
            words.append(f"covariance {hashlib.sha256(numbers).hexdigest()[:16]}")
        return ", ".join(
            [*words, f"needlescope {version('needlescope')}, torch {torch.__version__}"]
        )

    def checkpoint(self) -> Checkpoint | None:
        """Return what keeps this trial's training in a file, if there is a folder for it."""
        if self.checkpoints is None:
            return None
        name = hashlib.sha256(self.what.encode()).hexdigest()[:16]
        return Checkpoint(Path(self.checkpoints) / f"{name}.npz", self.what)


def run_trial(job: Job) -> dict[str, Any]:
    """Train and test once; return its numbers by name."""
    kinds = job.task.kinds
    xi = _directions(generator(job.stream("signal")), kinds, job.d)
    data = hold(tokens(job.task, job.n, xi, job.noise, job.stream("samples")))
    samples, split = Samples.of_array(data.X, data.y), hold_out(data.y)
    count = max(FEWEST_WATCHED, min(WATCHED, WATCHED_NUMBERS // (job.task.L * job.d)))
    fresh = positives(job.task, count, xi, job.noise, job.stream("positives"))
    seed = int(job.stream("start").generate_state(1)[0])
    options, settings = LoopOptions(epochs=job.epochs), settings_of(job.rates, job.decays, job.d)
    watch = (lambda network: observe(network, fresh)) if job.watch else None
    try:
        with seeded(seed):
            given = (_builder(job), samples, split, options, settings, seed, job.checkpoint())
            selected = select_setting(*given, watch=watch)
            result = _measured(job, selected, samples, split.train, fresh)
            errors = [
                test_error(selected.network, task, job.n_test, xi, job.noise, stream)
                for task, stream in _test_tasks(job)
            ]
    except NotConverged as problem:
        number = job.seed.spawn_key[-1] if job.seed.spawn_key else 0
        raise NotConverged(
            f"{problem} (in trial {number} of {job.architecture} at d={job.d}, n={job.n}, "
            f"{job.task!r})"
        ) from None
    result |= {"test_error": errors[0], "test_errors": np.array(errors[1:])}
    return result | (_path(job, selected, fresh) if job.watch else {})


def _builder(job: Job) -> Callable[[], Network]:
    architecture = ARCHITECTURES[job.architecture]
    return lambda: architecture.build(job.d, job.width, job.heads)


def _directions(rng: np.random.Generator, kinds: int, d: int) -> Any:
    """Draw a signal's direction; of several, orthogonal ones in rows."""
    drawn = rng.standard_normal((d, kinds))
    if kinds == 1:
        return drawn[:, 0] / np.linalg.norm(drawn[:, 0])
    return np.linalg.qr(drawn)[0].T


def _test_tasks(job: Job) -> list[tuple[Task, np.random.SeedSequence]]:
    """List the tasks that are tested on: the trained one, then those of other lengths."""
    stream = job.stream("test")
    others = [(job.task.replace(L=length), child(stream, length)) for length in job.lengths]
    return [(job.task, child(stream, 0)), *others]


def _measured(
    job: Job, selected: Selected, samples: Samples, train: torch.Tensor, fresh: Positives
) -> dict[str, Any]:
    """Return what is known of the weights that were kept."""
    network, run = selected.network, selected.run
    wrong = (scores(network, samples, train) > 0.0) != (samples.y[train] > 0.0)
    seen = observe(network, fresh)
    seen.pop("map")
    return {
        **seen,
        "bias": float(network.bias.detach()),
        "train_loss": mean_loss(network, samples, train),
        "train_error": float(wrong.double().mean()),
        "validation_loss": run.least,
        "rate": run.setting.rate,
        "decay": run.setting.decay,
        "stopped": float(run.best_epoch),
        "diverged": float(selected.diverged),
        "parameters": float(sum(parameter.numel() for parameter in network.parameters())),
    }


def watched_epochs(epochs: int) -> list[int]:
    """List the epochs at which a training is watched.

    Examples
    --------
    >>> watched_epochs(10)
    [0, 1, 2, 4, 8]
    """
    return [0] + [1 << k for k in range(epochs.bit_length()) if 1 << k <= epochs]


def _path(job: Job, selected: Selected, fresh: Positives) -> dict[str, Any]:
    """Return what was seen on the way; after the end, what the weights that were kept show."""
    last, run = observe(selected.network, fresh), selected.run
    at = watched_epochs(job.epochs)
    seen: list[Any] = [run.seen.get(epoch, last) for epoch in at]
    losses = [run.history[epoch] if epoch <= run.epoch else run.least for epoch in at]
    result = {f"path_{name}": [item[name] for item in seen] for name in ("cosine", "cosine_q")}
    result |= {"path_attended": [item["attended"] for item in seen], "path_loss": losses}
    result |= {"path_epochs": at, "path_map": [_padded(item["map"]) for item in seen]}
    return {name: np.array(value, float) for name, value in result.items()}


def _padded(row: list[float]) -> list[float]:
    """Return a row of a map as wide as any: of few tokens, or none, the rest is NaN."""
    return row + [np.nan] * (1 + OTHERS - len(row))
