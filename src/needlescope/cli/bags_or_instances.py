"""``needlescope bags-or-instances``: Find the cheapest bags and instances for a target."""

from __future__ import annotations

from typing import Any

import click

from ..planning import LEARNERS
from .options.problem import loss_option
from .options.tables import output, show
from .plan import CLASSIFIERS
from .stopping import check_stopped


@click.command("bags-or-instances")
@click.option("--L", "L", type=int, required=True, help="Instances in a bag, for the rate.")
@click.option("--R", "R", type=int, default=1, show_default=True, help="Of these with the signal.")
@click.option("--theta", type=float, required=True, help="Strength, in deviations of the noise.")
@click.option("--pi", type=float, default=0.5, show_default=True, help="Share of positives.")
@click.option("--d", type=int, required=True, help="Features of an instance.")
@click.option(
    "--prices", type=float, nargs=2, required=True, help="Of a bag, and of an instance on top."
)
@click.option("--error", type=float, help="Test error to reach.")
@click.option("--spend", type=float, help="In place of an error: what there is to spend.")
@click.option("--longest", type=int, help="The most instances that a bag has.")
@click.option(
    "--learner", type=click.Choice(tuple(name for name in LEARNERS if name != "joint")),
    default="attention", show_default=True, help="What learns from the bags.",
)  # fmt: skip
@click.option(
    "--classifier", type=click.Choice(tuple(CLASSIFIERS)), default=None,
    help="Plan for this classifier of bags, by simulated studies, in place of --learner.",
)  # fmt: skip
@click.option("--interval", is_flag=True, help="Plan with the mean error at this d.")
@click.option("--seconds", type=float, default=150.0, show_default=True, help="For the studies.")
@click.option("--store", type=click.Path(dir_okay=False), help="Keep studies, to go on later.")
@loss_option
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of simulations.")
@output
def command(form: str | None, classifier: str | None, longest: int | None, **options: Any) -> None:
    """Find the cheapest bags and instances for a target: give --error or --spend.

    The rate R/L of instances with the signal is kept: of more instances more have it.

    needlescope bags-or-instances --L 50 --R 3 --theta 2.5 --d 64 --prices 100 1 --error 0.15
    """
    from ..planning.designs.bags_or_instances import bags_or_instances

    if classifier is not None:
        from .. import estimators

        options["learner"] = getattr(estimators, CLASSIFIERS[classifier])()
    if longest is not None:
        options["longest"] = longest
    check_stopped()
    result = bags_or_instances(**options)
    if form == "json":
        from ..experiments.units.plain_data import to_json

        click.echo(to_json(result.to_dict(), indent=1))
        return
    rows = [design._asdict() for design in result.designs]
    if form is None:
        click.echo(result.verdict)
        rows = [{name: row[name] for name in ("L", "R", "n", "spend", "error")} for row in rows]
    show(rows, form, "bags and instances")
