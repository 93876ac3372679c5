"""``needlescope simulate``: Train and test classifiers at finite dimension."""

from __future__ import annotations

from typing import Any

import click

from .options.problem import points, problem, split
from .options.tables import output, print_notes, show, varied, without_warnings
from .stopping import check_stopped

NAMES = ("test_error", "train_loss", "train_error")


@click.command("simulate")
@output
@problem
@click.option("--d", default=500, show_default=True, help="Dimension of a token.")
@click.option("--trials", default=8, show_default=True, help="Independent data sets.")
@click.option("--seed", default=0, show_default=True, help="Seed of all trials.")
@click.option(
    "--sampler", type=click.Choice(["auto", "tokens", "reduced"]), default="auto",
    show_default=True, help="Draw all tokens, or their reduced law.",
)  # fmt: skip
@click.option("--theory", is_flag=True, help="Show the predicted test error beside each mean.")
@click.option("--n-jobs", type=int, default=None, help="Processes; one for each core by default.")
@click.option(
    "--start", type=click.Choice(["random", "small", "informed"]), default="random",
    show_default=True, help="With --ridge-q: where training starts.",
)  # fmt: skip
def command(
    model: tuple[str, ...],
    loss: str,
    balanced: bool,
    form: str | None,
    d: int,
    trials: int,
    seed: int,
    sampler: str,
    theory: bool,
    n_jobs: int | None,
    start: str,
    **options: Any,
) -> None:
    """Train and test classifiers at dimension d: means over trials with standard errors."""
    from ..models import get_model
    from ..simulation.simulate import simulate
    from ..theory.learning import predict

    check_stopped()
    rows, notes = [], []
    for point in points(options):
        task, training = split(point, loss, balanced)
        for item in model:
            whitening = point.get("whitening")
            begin = start if get_model(item).has_query else "random"
            result = simulate(
                *(task, training, item, d, trials, seed),
                sampler=sampler, n_jobs=n_jobs, whitening=whitening, start=begin,
            )  # fmt: skip
            row = {"model": item, **point, "loss": loss, "balanced": balanced}
            row |= {"d": d, "trials": trials}
            for name in NAMES:
                row[name], row[f"{name}_se"] = getattr(result, name), getattr(result, f"{name}_se")
            if theory:
                joint = training.is_joint and get_model(item).has_query  # of the limit alone
                limit = without_warnings(
                    predict, task, training, item, d=None if joint else d, whitening=whitening
                )
                row |= {"predicted": limit.test_error, "predicted_se": limit.test_error_se}
                notes += [f"{item}: {note}" for note in limit.notes]
            rows.append(row)
    title = f"simulation, {loss} loss{', balanced' * balanced}, d = {d}, {trials} trials"
    answers = [item for name in (*NAMES, *["predicted"] * theory) for item in (name, f"{name}_se")]
    show(rows if form else varied(rows, answers), form, title)
    print_notes(notes)
