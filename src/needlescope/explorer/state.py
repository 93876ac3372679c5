"""What the controls say: a problem, its training, and how it is shown.

A state is refused as `Task` and `Training` refuse it: in their sentence, with the control that it
is about. It travels as a flat object, in messages and in the address of the page.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from ..arrays import FloatArray
from ..errors import shortened
from ..grid import choice, real, whole
from ..noise import Noise
from ..schedule import Schedule
from ..spectrum import Spectrum
from ..task import Task
from ..theory.alignment import align
from ..training import Training

KINDS = ("two_steps", "schedule", "joint")
QUERIES = ("kappa", "steps")
NOISES = ("white", "power_law", "spiked", "two_levels")
SIGNALS = ("flat", "quiet", "loud")
UNITS = ("theory", "practice")
LOSSES = ("logistic", "square", "hinge", "squared_hinge")
LOWEST_ALPHA, HIGHEST_ALPHA = 0.25, 64.0  # of the horizontal axis: bags for each dimension
LONGEST_BAG, MOST_STEPS, MOST_FEATURES = 1000, 32, 1000
MOST_KAPPA = 100.0
SPIKES = 0.05  # share of dimensions that spikes take
LEVEL_SHARE = 0.2  # of dimensions on the high one of two levels


class Refused(ValueError):
    """A value of a control that has no meaning: which control, and why."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(shortened(text))
        self.field = field


@dataclass(frozen=True)
class State:
    """The values of all controls.

    Attributes
    ----------
    L, R, theta, pi
        The task.
    noise, noise_value, signal
        White noise or a spectrum, its parameter (the exponent of a power law, the size of spikes,
        the ratio of two levels), and the place of the signal.
    kind
        How query and readout are trained: by two steps, by a schedule, or jointly.
    alpha0, alpha1
        Bags for each dimension, for the query and for the readout; together for "joint".
    loss, ridge, ridge_q
        Of the readout; of the query in joint training.
    query, kappa, eta_w, eta_b, eta_q, beta, steps
        The query's strength κ in two steps, or the steps that lead to it; how many steps a
        schedule has, whose query is always as strong as its steps make it.
    d, units
        Features, for simulation and for units of practice.

    Examples
    --------
    >>> State().task().L, State(kind="joint").training().is_joint
    (10, True)
    >>> State.read({"L": 4, "R": 9})
    Traceback (most recent call last):
    needlescope.explorer.state.Refused: R must be an integer in 1..L, got 9 with L=4
    """

    L: int = 10
    R: int = 1
    theta: float = 4.0
    pi: float = 0.5
    noise: str = "white"
    noise_value: float = 1.0
    signal: str = "flat"
    kind: str = "two_steps"
    alpha0: float = 2.0
    alpha1: float = 2.0
    loss: str = "logistic"
    ridge: float = 0.01
    ridge_q: float = 0.01
    query: str = "kappa"
    kappa: float = 1.5
    eta_w: float = 1.0
    eta_b: float = 1.0
    eta_q: float = 10.0
    beta: float = 1.0
    steps: int = 4
    d: int = 100
    units: str = "theory"

    _choices: ClassVar[dict[str, tuple[str, ...]]] = {
        **{"noise": NOISES, "signal": SIGNALS, "kind": KINDS, "loss": LOSSES},
        **{"query": QUERIES, "units": UNITS},
    }

    @classmethod
    def read(cls, values: Any) -> State:
        """Return the state of an object; what it leaves out is as usual.

        Raises
        ------
        Refused
            If a name is unknown, or a value has no meaning.
        """
        if not isinstance(values, dict):
            raise Refused("", f"a state must be an object, got {values!r:.60}")
        names = {field.name for field in fields(cls)}
        for name in values:
            if name not in names:
                raise Refused(str(name)[:40], f"there is no control {name!r:.40}")
        checked = {name: _checked(name, value) for name, value in values.items()}
        state = cls(**checked)
        state.check()
        return state

    def check(self) -> None:
        """Refuse what `Task` and `Training` refuse."""
        for make, names in ((self.task, TASK), (self.training, TRAINING)):
            try:
                make()
            except ValueError as problem:
                raise Refused(_field_of(str(problem), names), str(problem)) from None

    def replace(self, **changes: Any) -> State:
        """Return the state with other values."""
        return replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Return all values."""
        return asdict(self)

    def task(self) -> Task:
        """Return the task."""
        if self.noise == "white":
            return Task(L=self.L, R=self.R, theta=self.theta, pi=self.pi)
        noise = Noise(spectrum=self.spectrum())
        return Task(
            L=self.L, R=self.R, theta=self.theta, pi=self.pi, noise=noise, signal=self.signal
        )  # fmt: skip

    def spectrum(self) -> Spectrum:
        """Return the spectrum of the noise, with mean 1."""
        if self.noise == "power_law":
            made = Spectrum.power_law(self.noise_value, count=50)
        elif self.noise == "spiked":
            made = Spectrum.spiked(self.noise_value, SPIKES)
        else:
            made = Spectrum.two_levels(max(self.noise_value, 1e-3), 1.0, LEVEL_SHARE)
        return Spectrum([s / made.mean for s in made.s.tolist()], made.p.tolist())

    @property
    def alpha(self) -> float:
        """All bags for each dimension."""
        return self.alpha1 if self.kind == "joint" else self.alpha0 + self.alpha1

    def at(self, alpha: float) -> State:
        """Return the state with this many bags for each dimension, split as they are."""
        times = alpha / self.alpha
        return self.replace(alpha0=times * self.alpha0, alpha1=times * self.alpha1)

    def training(self, alpha: Any = None) -> Training:
        """Return the training, at these numbers of bags for each dimension, split as they are."""
        times = 1.0 if alpha is None else np.asarray(alpha, float) / self.alpha
        alpha0, alpha1 = times * self.alpha0, times * self.alpha1
        if self.kind == "joint":
            return Training.joint(alpha1, self.loss, self.ridge, self.ridge_q)
        training = Training(
            alpha0, alpha1, self.loss, self.ridge, self.beta, self.eta_w, self.eta_b, self.eta_q
        )
        if self.kind == "schedule":
            return training.replace(schedule=Schedule.even(self.steps))
        return self._with_strength(training) if self.query == "kappa" else training

    def _with_strength(self, training: Training) -> Training:
        """Return the training whose query has the strength κ.

        In two steps κ is proportional to the step on the query, whose direction does not depend on
        it.
        """
        if not 0.0 < self.kappa <= MOST_KAPPA:
            raise ValueError(f"kappa must be in (0, {MOST_KAPPA:g}], got {self.kappa:g}")
        unit = np.maximum(np.asarray(align(self.task(), training).kappa), 1e-9)
        return training.replace(eta_q=_number(training.eta_q * self.kappa / unit))

    def axis(self, points: int) -> FloatArray:
        """Return places on the horizontal axis: bags for each dimension."""
        return np.geomspace(LOWEST_ALPHA, HIGHEST_ALPHA, points)


TASK = ("R", "L", "theta", "pi", "noise", "signal", "noise_value")
TRAINING = (
    *("alpha0", "alpha1", "loss", "ridge", "ridge_q"),
    *("kappa", "eta_w", "eta_b", "eta_q", "beta", "steps"),
)
RANGES = {
    "L": (1, LONGEST_BAG),
    "R": (1, LONGEST_BAG),
    "steps": (1, MOST_STEPS),
    "d": (5, MOST_FEATURES),
}


def _checked(name: str, value: Any) -> Any:
    """Return a value of the kind that its control has."""
    try:
        if name in State._choices:
            return choice(name, value, State._choices[name])
        if name in RANGES:
            return whole(name, value, *RANGES[name])
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{name} must be a number, got {value!r:.40}")
        return float(real(name, value, -1e9, 1e9))
    except ValueError as problem:
        raise Refused(name, str(problem)) from None


def _number(value: Any) -> Any:
    """Return a number where an array has no axes."""
    return float(value) if np.ndim(value) == 0 else value


def _field_of(text: str, names: tuple[str, ...]) -> str:
    """Return the control that a sentence is about: the one whose name it begins with.

    >>> _field_of("theta must be at least 0, got -1", TASK)
    'theta'
    """
    word = text.split(" ", 1)[0].split(".")[-1]
    return word if word in names else names[0]
