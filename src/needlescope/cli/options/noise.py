"""The options for noise with a spectrum: --spectrum, --signal and --whitening."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from .values import Eigenvalues, Names, Places, pairs_of

if TYPE_CHECKING:
    from ...noise import Noise
    from ...task import Task


def noise(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of noise with a spectrum, and of whitening."""
    return click.option(
        "--whitening", type=Names("noise", "WHITENINGS"),
        help="Whiten features: by the known covariance, that of negatives, or of all.",
    )(spectrum(command))  # fmt: skip


def spectrum(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of noise with a spectrum."""
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
    if "spectrum" not in point:
        return task
    return task.replace(noise=noise_with(point["spectrum"]), signal=point["signal"])


def noise_with(words: str) -> Noise:
    """Return noise with the eigenvalues that an option has.

    >>> noise_with("4:1,0.25:4")
    Noise(entries='gaussian', spectrum=Spectrum((4.0, 0.25), (0.2, 0.8)))
    """
    from ...noise import Noise
    from ...spectrum import Spectrum

    columns = zip(*pairs_of(words), strict=True)
    return Noise(spectrum=Spectrum(*(list(column) for column in columns)))
