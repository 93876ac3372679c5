"""``needlescope plan``: Plan how many bags an error needs, or what error to expect."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from ..planning import LEARNERS
from .options.noise import noise_with, places, spectrum
from .options.problem import loss_option
from .options.tables import output, show
from .stopping import check_stopped

CLASSIFIERS = {
    "attention": "AttentionClassifier",
    "pooled": "PooledClassifier",
    "vectorized": "VectorizedClassifier",
    "mil": "MILClassifier",
}
"""Classifiers of `estimators`, with their defaults, by what the option calls them."""
NUMBERS = (
    *("n", "n0", "n1", "positives", "L", "R", "theta", "pi", "d", "error", "error_se"),
    *("limit_error", "limit_error_se", "kappa", "cosine_q", "ridge", "ridge_q"),
    *("eta_w", "eta_b", "eta_q", "beta", "balance", "shift", "spend"),
)


@click.command("plan")
@click.option("--L", "L", type=int, help="Instances in a bag.")
@click.option("--lengths", type=int, nargs=2, help="In place of --L: bags have from A to B.")
@click.option("--signals", type=int, help="Of a classifier: a positive bag has one of these many.")
@click.option("--R", "R", type=int, default=1, show_default=True, help="Instances with the signal.")
@click.option("--theta", type=float, help="Strength of the signal, in deviations of the noise.")
@click.option("--pi", type=float, default=0.5, show_default=True, help="Share of positives.")
@click.option("--d", type=int, required=True, help="Features of an instance.")
@click.option("--n", type=int, help="Bags to train on.")
@click.option("--error", type=float, help="Test error to reach.")
@click.option(
    "--learner", type=click.Choice(tuple(LEARNERS)), default=None,
    help="Plan for this learner by the theory, in place of a classifier.",
)  # fmt: skip
@click.option(
    "--classifier", type=click.Choice(tuple(CLASSIFIERS)), default=None,
    help="Plan for this classifier of bags, by simulated studies.  [default: attention]",
)  # fmt: skip
@click.option("--measure", default="error", show_default=True, help="Of a classifier: its target.")
@click.option("--target", type=float, help="What a measure other than the error is to reach.")
@click.option("--specificity", type=float, help="With --measure sensitivity: where it is.")
@click.option("--assurance", type=float, help="Probability that a study meets the target.")
@click.option("--seconds", type=float, default=150.0, show_default=True, help="For its studies.")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler that makes its studies.")
@click.option("--store", type=click.Path(dir_okay=False), help="Keep studies, to go on later.")
@loss_option
@spectrum
@click.option("--positives", type=int, help="How many of the bags are positive.")
@click.option("--costs", type=float, nargs=2, help="What a positive and a negative bag cost.")
@click.option("--spend", type=float, help="With costs: the total budget.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the interval.")
@click.option(
    "--figure", type=click.Path(dir_okay=False), help="Draw errors against bags into this file."
)
@output
def command(
    figure: str | None,
    form: str | None,
    classifier: str | None,
    scheduler: str | None,
    **options: Any,
) -> None:
    """Plan how many bags an error needs: leave out one of --n, --theta, --L and --error.

    needlescope plan --L 10 --theta 5 --d 100 --error 0.05 --learner attention

    needlescope plan --L 10 --theta 5 --d 30 --error 0.1 --assurance 0.8
    """
    from ..planner.default import plan

    if options["learner"] is None:
        from .. import estimators

        if figure is not None and options["measure"] != "error":
            raise click.BadParameter(
                f"draws errors, and the plan is of {options['measure']!r}; leave one out",
                param_hint="--figure",
            )
        options["learner"] = getattr(estimators, CLASSIFIERS[classifier or "attention"])()
    elif classifier is not None:
        raise click.BadParameter(
            f"{classifier!r} does not go with --learner; give one of the two",
            param_hint="--classifier",
        )
    if options["lengths"] is not None:
        first, last = options["lengths"]
        options["lengths"] = range(first, last + 1)
    if scheduler is not None:
        from ..experiments.on_dask import dask

        options["engine"] = dask(scheduler)
    path = None if figure is None else _check_path(Path(figure))
    check_stopped()
    result = plan(**_in_noise(options))
    _print(result, form)
    if path is not None:
        _draw(result, path)


def _in_noise(options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `plan`: a noise and a place for what the options say about them."""
    given = places({**options, "whitening": None})
    rest = {name: value for name, value in options.items() if name not in ("spectrum", "signal")}
    if not given:
        return rest
    if len(given["signal"]) > 1:
        raise ValueError(f"--signal must be one place for a plan, got {len(given['signal'])}")
    return {**rest, "noise": noise_with(options["spectrum"]), "signal": given["signal"][0]}


def _check_path(path: Path) -> Path:
    """Refuse a file that cannot be written, or of a format that cannot be drawn, before work."""
    from matplotlib.backend_bases import FigureCanvasBase

    formats = FigureCanvasBase.get_supported_filetypes()
    if path.suffix[1:].lower() not in formats:
        raise click.BadParameter(
            f"{str(path)!r} has no format that can be drawn; end it in one of "
            f"{', '.join('.' + format for format in sorted(formats))}",
            param_hint="--figure",
        )
    if not path.parent.is_dir():
        raise click.BadParameter(
            f"{str(path.parent)!r} is no folder; make it first", param_hint="--figure"
        )
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise click.BadParameter(f"{str(path)!r} cannot be written", param_hint="--figure")
    return path


def _print(result: Any, form: str | None) -> None:
    """Print the plan: in sentences and tables, or as data."""
    if form == "json":
        from ..experiments.units.plain_data import to_json

        click.echo(to_json(result.to_dict(), indent=1))
        return
    names = (*NUMBERS, "low", "high") if hasattr(result, "low") else NUMBERS
    rows = [{name: getattr(result, name) for name in names}]
    if form == "csv":
        show(rows, form, "")
        return
    click.echo(result.verdict)
    kept = {name: value for name, value in rows[0].items() if value == value}
    show([{k: float(v) if k == "n" else v for k, v in kept.items()}], None, "the plan")
    show(
        [{"learner": other.learner, "": other.sentence} for other in result.others], None, "others"
    )


def _draw(result: Any, path: Path) -> None:
    """Draw the plan into a file, if it can be had."""
    import matplotlib

    matplotlib.use("Agg")
    from ..figures.planned import plan as draw
    from ..planning.learning_curves import learning_curves

    if not result.reached:
        click.echo(f"nothing is drawn into {path}: the plan cannot be had", err=True)
        return
    draw(result, learning_curves(result)).savefig(path)
