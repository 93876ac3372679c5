"""``needlescope predict``: Predict test error, train loss and train error, in the limit."""

from __future__ import annotations

from typing import Any

import click

from .options.problem import points, problem, split
from .options.tables import output, print_notes, show, varied, without_warnings
from .stopping import check_stopped

NAMES = (
    *("test_error", "test_error_se", "train_loss", "train_loss_se"),
    *("train_error", "train_error_se", "kappa", "cosine_q"),
)


@click.command("predict")
@output
@problem
@click.option(
    "--d", type=int, default=None, help="Dimension: note where the limit is inaccurate at it."
)
@click.option(
    "--start", type=click.Choice(["informed", "uninformed"]), default="informed",
    show_default=True, help="With --ridge-q: which solution, where there are several.",
)  # fmt: skip
def command(
    model: tuple[str, ...],
    loss: str,
    balanced: bool,
    form: str | None,
    d: int | None,
    start: str,
    **options: Any,
) -> None:
    """Predict test error, train loss and train error in the limit of high dimension.

    Our derivation of the quantities of theorems 4 and 5 (arXiv v1); --json and --csv say so in each
    row, or what goes beyond them.

    Any number may be several, separated by commas: --alpha1 0.5,1,2
    """
    from ..models import get_model
    from ..theory.learning import predict

    check_stopped()
    rows, notes = [], []
    for point in points(options):
        task, training = split(point, loss, balanced)
        for item in model:
            whitening = point.get("whitening")
            begin = start if get_model(item).has_query else "informed"
            result = without_warnings(
                predict, task, training, item, d=d, whitening=whitening, start=begin
            )
            notes += [f"{item}: {note}" for note in result.notes]
            row = {"model": item, **point, "loss": loss, "balanced": balanced}
            row |= {name: getattr(result, name) for name in NAMES}
            rows.append({**row, "provenance": result.provenance} if form else row)
    title = f"prediction, {loss} loss{', balanced' * balanced}"
    show(rows if form else varied(rows, NAMES), form, title)
    print_notes(notes)
