"""The task: L tokens of noise, R of which carry θξ when the label is +1.

Label y = +1 with probability π, else −1. Negatives are pure noise Z with N(0, 1) entries in
R^{L×d}; positives are θ v ξᵀ + Z, with ξ a hidden unit vector and v ∈ {0,1}^L marking R tokens,
drawn anew for each sample. With several signals ξ_1, …, ξ_K, orthogonal to each other, a positive
carries one of them, drawn by their weights. R itself may be drawn for each positive. With label
noise some training labels are flipped: tokens follow the true label, the loss sees the other.

The noise may have a covariance Σ. Then all that matters of it is its spectrum, and the weights
ω_k = ξ_k² of the signal in its eigenbasis. In whitened coordinates Σ^{-1/2}x the noise is white,
and the signal has the strength θ‖Σ^{-1/2}ξ‖. It may be correlated across tokens too, as an AR(1)
sequence with C_lm = ρ^{|l − m|}.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from .arrays import FloatArray
from .grid import Gridded, check_broadcast, check_sum, integer, listed, real, unmasked, written
from .noise import Noise, noise_pair, whitened_pair
from .signal_count import SignalCount
from .spectrum import Levels, Spectrum, signal_weights

MOST_SIGNALS = 64
MOST_ENTRY = 1e150  # of a vector, whose square is finite


@dataclass(frozen=True)
class Positions:
    """A given law of the signal's positions: sets of token indices with probabilities.

    Parameters
    ----------
    sets : sequence of sequences of int
        The possible sets of signal tokens, each of R distinct indices in 0..L−1.
    probabilities : sequence of float, optional
        One for each set, positive, summing to one. Equal by default.

    Raises
    ------
    ValueError
        If sets differ in size, repeat a token, or the probabilities do not fit them.

    Examples
    --------
    Two needles, always side by side, more often at the start:

    >>> import needlescope as ns
    >>> pairs = ns.Positions([(0, 1), (1, 2)], [0.75, 0.25])
    >>> ns.Task(L=3, R=2, theta=2.0, pi=0.5, positions=pairs).positions.patterns(3)
    array([[1., 1., 0.],
           [0., 1., 1.]])
    """

    sets: tuple[tuple[int, ...], ...]
    probabilities: tuple[float, ...]

    def __init__(
        self,
        sets: Sequence[Sequence[int]],
        probabilities: Sequence[float] | FloatArray | None = None,
    ) -> None:
        """Validate the sets and their probabilities."""
        rows = []
        for entry in listed("positions.sets", unmasked("positions.sets", sets), "sets of tokens"):
            item = list(entry) if isinstance(entry, set | frozenset) else entry
            indices = np.atleast_1d(integer("positions.sets", item, 0))
            if indices.ndim > 1:
                raise ValueError(f"positions.sets must hold flat sets of tokens, got {item!r}")
            indices = indices.tolist()
            if len(set(indices)) != len(indices):
                raise ValueError(f"positions.sets must hold distinct token indices, got {item!r}")
            rows.append(tuple(sorted(indices)))
        if not rows or len({len(row) for row in rows}) != 1:
            raise ValueError(
                f"positions.sets must be one or more sets of equal size R, got {sets!r}"
            )
        given = np.full(len(rows), 1.0 / len(rows)) if probabilities is None else probabilities
        chances = np.atleast_1d(real("positions.probabilities", given, 0.0, 1.0, open_low=True))
        if chances.shape != (len(rows),):
            raise ValueError(
                f"positions.probabilities must have one entry for each of the {len(rows)} sets, "
                f"got shape {chances.shape}"
            )
        check_sum("positions.probabilities", chances)
        object.__setattr__(self, "sets", tuple(rows))
        object.__setattr__(self, "probabilities", tuple((chances / chances.sum()).tolist()))

    def patterns(self, L: int) -> FloatArray:
        """Return the 0/1 matrix, sets × L, whose rows mark the signal tokens of each set."""
        return self.marks(range(L))

    def marks(self, tokens: Sequence[int]) -> FloatArray:
        """Return the columns of that matrix for some tokens only."""
        place = {token: column for column, token in enumerate(tokens)}
        result = np.zeros((len(self.sets), len(place)))
        for row, indices in zip(result, self.sets, strict=True):
            row[[place[index] for index in indices]] = 1.0
        return result


@dataclass(frozen=True, eq=False)
class Task(Gridded):
    """A detection task: R of L tokens carry a signal of strength θ, in a fraction π of samples.

    Parameters
    ----------
    L : int or array of int
        Number of tokens, at least 1.
    R : int, array of int or SignalCount
        Number of tokens that carry the signal in a positive sample, in 1..L; or the law of that
        number, where each positive draws its own.
    theta : float or array
        Signal strength θ, from 0 to 1e6 (the noise has unit variance in every coordinate).
    pi : float or array
        Probability of a positive sample, inside (0, 1) and at least 1e-6 from its ends.
    positions : "uniform" or Positions, default "uniform"
        Law of the signal's positions. Attention and pooling cannot tell the difference; the
        vectorized model and the Bayes classifier can.
    signals : sequence of float, optional
        With several orthogonal signals: the probability of each, given a positive, at most 64 of
        them, none below zero, summing to one. All R tokens of a positive carry the same one. Left
        out, or a single one, there is one signal.
    label_noise : float or pair of float, optional
        Share of the training labels that are flipped, in [0, 0.5): one number for both labels, or
        a pair, the share of positives and that of negatives. Features follow the true label, and
        test errors are those against it.
    noise : Noise, optional
        Gaussian noise with a covariance Σ, ``Noise(spectrum=…)`` or ``Noise(covariance=…)``;
        without it independent N(0, 1) entries. It is not rescaled: in the paper's unit of θ the
        mean eigenvalue is 1. With ``token_correlation`` it is correlated across tokens too, which
        only pooling and attention with a given query support.
    signal : "flat", "quiet", "loud", float or sequence of float, optional
        Where in the spectrum the signal lies: evenly in all directions ("flat", the default with a
        noise), all of it on the lowest or on the highest eigenvalue ("quiet", "loud"), with weights
        ω ∝ p s^e (an exponent e), or with a weight for each eigenvalue of a spectrum, summing to 1.
        With a covariance a sequence is the vector ξ itself, of which only the direction counts.
    signal_noise : Noise, optional
        The noise of the tokens that carry the signal, where it is another: a covariance Σ₁ beside
        that of ``noise``, or a spectrum on the same levels, in the same eigenbasis. With a
        covariance ``signal`` is a vector. Left out, all tokens have the same noise.

    Raises
    ------
    ValueError
        If a value is out of its range, of the wrong kind, or arrays do not broadcast.

    Examples
    --------
    >>> import needlescope as ns
    >>> ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    Task(L=10, R=1, theta=5.0, pi=0.5, positions='uniform')
    >>> ns.Task(L=10, R=12, theta=5.0, pi=0.5)
    Traceback (most recent call last):
        ...
    ValueError: R must be an integer in 1..L, got 12 with L=10

    Two kinds of positives, the second three times as frequent:

    >>> ns.Task(L=10, R=1, theta=5.0, pi=0.5, signals=(0.25, 0.75))
    Task(L=10, R=1, theta=5.0, pi=0.5, positions='uniform', signals=(0.25, 0.75))

    A tenth of all labels is wrong:

    >>> ns.Task(L=10, R=1, theta=5.0, pi=0.5, label_noise=0.1).flips
    (0.1, 0.1)

    The noise has a variance of 4 in a fifth of all directions, and the signal lies in the others:

    >>> noise = ns.Noise(spectrum=ns.Spectrum.two_levels(high=4.0, low=0.25, share=0.2))
    >>> task = ns.Task(L=8, R=1, theta=4.0, pi=0.5, noise=noise, signal="quiet")
    >>> task.whitened
    Task(L=8, R=1, theta=8.0, pi=0.5, positions='uniform')
    """

    L: Any
    R: Any
    theta: Any
    pi: Any
    positions: str | Positions = "uniform"
    signals: Any = None
    label_noise: Any = None
    noise: Any = None
    signal: Any = None
    signal_noise: Any = None

    _gridded: ClassVar[tuple[str, ...]] = ("L", "R", "theta", "pi")

    def __post_init__(self) -> None:
        """Refuse what is out of range, of the wrong type or inconsistent."""
        object.__setattr__(self, "L", integer("L", self.L, 1))
        object.__setattr__(self, "R", _count(self.R))
        object.__setattr__(self, "theta", real("theta", self.theta, 0.0, np.inf, sense=(0.0, 1e6)))
        pi = real("pi", self.pi, 0.0, 1.0, open_low=True, open_high=True, sense=(1e-6, 1.0 - 1e-6))
        object.__setattr__(self, "pi", pi)
        check_broadcast("Task", L=self.L, R=self.R, theta=self.theta, pi=self.pi)
        self._check_count()
        self._check_positions()
        object.__setattr__(self, "signals", _weights(self.signals))
        object.__setattr__(self, "label_noise", _flips(self.label_noise))
        self._check_noise()

    def __repr__(self) -> str:
        """Write the fields that are not None."""
        return written(self)

    @property
    def kinds(self) -> int:
        """The number K of signals."""
        return 1 if self.signals is None else len(self.signals)

    @property
    def mean_signal(self) -> FloatArray:
        """The direction of the positives' mean signal, as its K components along the signals."""
        weights = np.ones(1) if self.signals is None else np.array(self.signals)
        return np.asarray(weights / np.linalg.norm(weights))

    @property
    def counts(self) -> tuple[tuple[int, float], ...]:
        """The numbers of signal tokens that positives of a single task have, with probabilities."""
        if isinstance(self.R, SignalCount):
            return tuple(zip(self.R.values, self.R.probabilities, strict=True))
        return ((self.R, 1.0),)

    @property
    def mean_count(self) -> Any:
        """The mean number of signal tokens in a positive: R itself, where it is a number."""
        return self.R.mean if isinstance(self.R, SignalCount) else self.R

    @property
    def flips(self) -> tuple[float, float]:
        """The shares of positives and of negatives whose training label is flipped."""
        if self.label_noise is None:
            return 0.0, 0.0
        if isinstance(self.label_noise, tuple):
            return self.label_noise
        return self.label_noise, self.label_noise

    @property
    def levels(self) -> Levels | None:
        """The levels of the noise's spectrum with the signal's weights; None if Σ = I."""
        return None if self.signal is None else levels_of(self.noise, self.signal)

    @property
    def token_correlation(self) -> float:
        """The correlation ρ of neighbouring tokens, 0 if they are independent."""
        return 0.0 if self.noise is None else float(self.noise.token_correlation)

    @property
    def mean_variance(self) -> float:
        """The variance of the mean token of a single task, 1ᵀC1/L² in units of a token's."""
        if self.token_correlation == 0.0:
            return float(1.0 / self.L)
        assert self.noise is not None
        return float(self.noise.token_variance(np.full((1, self.L), 1.0 / self.L))[0])

    @property
    def laws_of_tokens(self) -> tuple[Any, ...]:
        """The noise of all tokens, that of signal tokens, and where the signal lies."""
        return self.noise, self.signal_noise, self.signal

    @property
    def whitened(self) -> Task:
        """The same task in coordinates in which the noise is white, θ‖Σ^{-1/2}ξ‖ for its θ."""
        if self.levels is None:
            return self
        theta = self.theta * self.levels.gain
        if self.signal_noise is None:
            noise = Noise(token_correlation=self.token_correlation)
            return self.replace(theta=theta, noise=noise, signal=None)
        noise, signal_noise, signal = whitened_pair(
            self.noise, self.signal_noise, self.signal, self.levels
        )
        return self.replace(theta=theta, noise=noise, signal=signal, signal_noise=signal_noise)

    def need_white(self, what: str) -> None:
        """Refuse noise with a covariance, or correlated tokens, where it is not supported."""
        self.need_independent_tokens(what)
        if self.noise is not None:
            raise ValueError(
                f"{what} supports only tasks with white noise, got noise={self.noise!r}; leave it "
                "out, or ask for task.whitened, the task on whitened features"
            )

    def need_independent_tokens(self, what: str) -> None:
        """Refuse noise that is correlated across tokens, where it is not supported."""
        if self.token_correlation:
            raise ValueError(
                f"{what} supports only noise that is independent from token to token, got "
                f"token_correlation={self.token_correlation!r}; leave it out; predict, capacity, "
                "asymptote and simulate support it, for attention with query= given"
            )

    def need_one_noise(self, what: str) -> None:
        """Refuse signal tokens with a noise of their own, where that is not supported."""
        if self.signal_noise is not None:
            raise ValueError(
                f"{what} supports only tasks whose tokens all have the same noise, got "
                f"signal_noise={self.signal_noise!r}; leave it out, or ask align, predict, "
                "simulate, simulate_alignment or simulate_focus"
            )

    def need_alike_tokens(self, what: str) -> None:
        """Refuse tokens whose noises differ or depend on each other."""
        self.need_independent_tokens(what)
        self.need_one_noise(what)

    def need_fixed_count(self, what: str) -> None:
        """Refuse a random number of signal tokens, where only a fixed one is supported."""
        if isinstance(self.R, SignalCount):
            raise ValueError(
                f"{what} supports only tasks with a fixed number of signal tokens, got "
                f"R={self.R!r}; give R={max(1, round(self.R.mean))}, near its mean"
            )

    def need_clean_labels(self, what: str) -> None:
        """Refuse label noise, where it is not supported."""
        if self.label_noise is not None:
            raise ValueError(
                f"{what} supports only tasks without label noise, got "
                f"label_noise={self.label_noise!r}; leave it out"
            )

    def need_plain(self, what: str) -> None:
        """Refuse a random number of signal tokens, label noise, and tokens that differ in noise."""
        self.need_alike_tokens(what)
        self.need_fixed_count(what)
        self.need_clean_labels(what)

    def need_one_signal(self, what: str) -> None:
        """Refuse several signals, where only one is supported."""
        if self.signals is not None:
            raise ValueError(
                f"{what} supports only tasks with one signal, got signals={self.signals!r}; align, "
                "predict, focus, asymptote, best_query and their simulations support several"
            )

    def _check_noise(self) -> None:
        if self.signal_noise is not None:
            pair = noise_pair(self.noise, self.signal_noise, self.signal)
            for name, noise in zip(("noise", "signal_noise"), pair, strict=True):
                object.__setattr__(self, name, noise)
        if self.noise is not None and not isinstance(self.noise, Noise):
            raise ValueError(f"noise must be a needlescope.Noise, got {self.noise!r}")
        if self.noise is None or self.noise.standard:
            self._need_no_place("white noise")
            object.__setattr__(self, "noise", None)
            return
        if not self.noise.gaussian:
            raise ValueError(
                f"the noise of a task is Gaussian, got {self.noise!r}; simulate takes other laws "
                "as its own argument noise"
            )
        if self.signals is not None:
            raise ValueError(
                "a task of several signals supports only white noise, where their places do not "
                f"matter, got noise={self.noise!r}; leave out noise or signals"
            )
        if self.noise.covariance is None and self.noise.spectrum is None:
            self._need_no_place("noise without a covariance")
            return
        place = "flat" if self.signal is None else self.signal
        if isinstance(place, dict | set):
            raise ValueError(f"signal must be a name, an exponent or a sequence, got {place!r:.60}")
        if not isinstance(place, str) and np.ndim(place):
            place = _vector(place)
        object.__setattr__(self, "signal", place)
        levels_of(self.noise, place)

    def _need_no_place(self, given: str) -> None:
        if self.signal is not None:
            raise ValueError(
                f"signal says where in the noise's spectrum the signal lies, got {self.signal!r} "
                f"with {given}, where all places are alike; leave it out, or give a noise with a "
                "spectrum or a covariance"
            )

    def _check_count(self) -> None:
        if isinstance(self.R, SignalCount):
            least, most = int(np.min(self.L)), self.R.values[-1]
            if most > least:
                raise ValueError(
                    f"R must hold numbers of signal tokens in 0..L, got {most} with L={least}"
                )
            if self.positions != "uniform":
                raise ValueError(
                    "positions must be 'uniform' with a random number of signal tokens, got "
                    f"{self.positions!r} with R={self.R!r}"
                )
            return
        L, R = np.broadcast_arrays(self.L, self.R)
        if ((R < 1) | (R > L)).any():
            bad = ((R < 1) | (R > L)).ravel().argmax()
            raise ValueError(
                f"R must be an integer in 1..L, got {R.ravel()[bad]} with L={L.ravel()[bad]}"
            )

    def _check_positions(self) -> None:
        if isinstance(self.positions, Positions):
            size = len(self.positions.sets[0])
            top = max(max(item) for item in self.positions.sets)
            if np.any(np.asarray(self.R) != size):
                raise ValueError(
                    f"positions must mark R tokens in each set, got sets of {size} with R={self.R}"
                )
            if np.any(np.asarray(self.L) <= top):
                raise ValueError(
                    f"positions must hold indices in 0..L-1, got {top} with L={self.L}"
                )
        elif not isinstance(self.positions, str) or self.positions != "uniform":  # type: ignore[redundant-expr]
            raise ValueError(
                f"positions must be 'uniform' or a needlescope.Positions, got {self.positions!r}"
            )


@lru_cache(maxsize=64)
def levels_of(noise: Noise, place: Any) -> Levels:
    """Return the levels of a noise with the signal's weight on each, or refuse its place."""
    spectrum = noise.levels
    return Levels(spectrum.s, spectrum.p, _weights_of(noise, spectrum, place))


def _weights_of(noise: Noise, spectrum: Spectrum, place: Any) -> FloatArray:
    if noise.covariance is None or not isinstance(place, tuple):
        return signal_weights(spectrum, place)
    d, xi = len(noise.covariance), np.array(place)
    if len(xi) != d or not xi.any():
        raise ValueError(
            f"signal must be a vector of {d} numbers with a covariance of {d} × {d}, not all of "
            f"them zero, got {len(xi)} numbers from {xi.min():g} to {xi.max():g}"
        )
    s, vectors = noise.axes
    parts = (vectors.T @ (xi / np.abs(xi).max())) ** 2
    return np.asarray(np.bincount(np.searchsorted(spectrum.s, s), parts) / parts.sum())


def _vector(place: Any) -> tuple[float, ...]:
    """Return a signal's vector, or its weights, or refuse it."""
    listed("signal", unmasked("signal", place), "numbers")
    numbers = real("signal", place, -MOST_ENTRY, MOST_ENTRY)
    if np.ndim(numbers) != 1:
        raise ValueError(
            f"signal must be a flat sequence of numbers, got an array of shape {np.shape(numbers)}"
        )
    return tuple(numbers.tolist())


def _count(given: Any) -> Any:
    """Return a number of signal tokens, an array of them, or their law; refuse others."""
    if not isinstance(given, SignalCount):
        return integer("R", given, -(10**9))
    return given.values[0] if len(given.values) == 1 else given


def _flips(given: Any) -> float | tuple[float, float] | None:
    """Return the share of flipped labels, or a pair of shares; None for none; refuse others."""
    if given is None:
        return None
    shares = real("label_noise", given, 0.0, 0.5, open_high=True)
    if np.ndim(shares) == 0:
        return float(shares) or None
    if np.shape(shares) != (2,):
        raise ValueError(
            "label_noise must be a share of flipped labels or a pair of them, of positives and of "
            f"negatives, got an array of shape {np.shape(shares)}"
        )
    positive, negative = shares.tolist()
    return (positive or None) if positive == negative else (positive, negative)


def _weights(given: Any) -> tuple[float, ...] | None:
    """Return the probabilities of several signals, or None for a single one; refuse others."""
    if given is None:
        return None
    listed("signals", unmasked("signals", given), "probabilities")
    weights = real("signals", given, 0.0, 1.0)
    if np.ndim(weights) != 1 or len(weights) > MOST_SIGNALS:
        raise ValueError(
            f"signals must be a flat sequence of at most {MOST_SIGNALS} probabilities, got an "
            f"array of shape {np.shape(weights)}"
        )
    total = float(weights.sum())
    if abs(total - 1.0) > 1e-9:
        raise ValueError(f"signals must be probabilities that sum to 1, got a sum of {total:.12g}")
    return None if len(weights) == 1 else tuple((weights / total).tolist())
