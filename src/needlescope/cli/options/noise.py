"""The options for noise with a spectrum: --spectrum, --signal and --whitening."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ...task import Task


WHITENINGS = ("known", "negatives", "estimated")


class Eigenvalues(click.ParamType):  # type: ignore[type-arg]  # older releases take no argument
    """Eigenvalues, each with a multiplicity or share after a colon if they differ."""

    name = "eigenvalue[:share],…"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the words themselves, which a table shows, or refuse them."""
        try:
            lengths = {len(pair) for pair in _pairs(value)}
        except ValueError:
            lengths = set()
        if lengths not in ({1}, {2}):
            self.fail(
                f"{value!r} must be eigenvalues separated by commas, each of them or none with a "
                "share after a colon, such as 4:0.2,0.25:0.8",
                param,
                ctx,
            )
        return value


def _pairs(words: str) -> list[list[float]]:
    return [[float(word) for word in part.split(":")] for part in words.split(",")]


class Places(click.ParamType):  # type: ignore[type-arg]
    """Places of a signal, separated by commas: names or exponents."""

    name = "flat|quiet|loud|exponent,…"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a list of names and numbers."""
        return [_place(word) for word in value.split(",")] if isinstance(value, str) else value


def _place(word: str) -> str | float:
    try:
        return float(word)
    except ValueError:
        return word


def noise(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of noise with a spectrum."""
    command = click.option(
        "--whitening", type=click.Choice(WHITENINGS),
        help="Whiten features: by the known covariance, that of negatives, or of all.",
    )(command)  # fmt: skip
    command = click.option(
        "--signal", type=Places(),
        help="Where in the spectrum the signal lies, flat by default. May be several.",
    )(command)  # fmt: skip
    return click.option(
        "--spectrum", type=Eigenvalues(),
        help="Eigenvalues of the noise's covariance: 4:0.2,0.25:0.8. White noise by default.",
    )(command)  # fmt: skip


def places(options: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the values of what the options say about a spectrum, if they name one.

    >>> places({"spectrum": None, "signal": ["loud"], "whitening": None})
    Traceback (most recent call last):
    ValueError: --signal says where in a spectrum the signal lies; give a --spectrum with it
    """
    if options["spectrum"] is None:
        for name in ("signal", "whitening"):
            if options[name]:
                why = "says where in a spectrum the signal lies" if name == "signal" else (
                    "takes the covariance out of noise that has one"
                )  # fmt: skip
                raise ValueError(f"--{name} {why}; give a --spectrum with it")
        return {}
    return {
        "spectrum": [options["spectrum"]],
        "signal": options["signal"] or ["flat"],
        "whitening": [options["whitening"]],
    }


def in_noise(task: Task, point: dict[str, Any]) -> Task:
    """Return a task in the noise of a point of `places`."""
    from ...noise import Noise
    from ...spectrum import Spectrum

    if "spectrum" not in point:
        return task
    columns = zip(*_pairs(point["spectrum"]), strict=True)
    noise = Noise(spectrum=Spectrum(*(list(column) for column in columns)))
    return task.replace(noise=noise, signal=point["signal"])
