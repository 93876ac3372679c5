"""Refusals of what the theory does not have for noise with a covariance or correlated tokens."""

from __future__ import annotations

from ...grid import choice
from ...models import Model
from ...noise import WHITENINGS
from ...task import Task
from ...training import Training


def check_steps(task: Task, training: Training) -> None:
    """Refuse gradient steps on the query that the theory does not follow.

    Steps of a schedule need the joint law of w and q on every level of a spectrum, not a few
    overlaps. Where tokens are correlated, the centred tokens of a sample, which move the query,
    depend on their mean, which w and the slopes see.
    """
    task.need_independent_tokens("the theory of a trained query")
    if training.schedule is not None:
        task.need_white("the theory of a schedule of steps")


def check_readout(task: Task, model: Model) -> None:
    """Refuse the flat readout of correlated tokens, whose tokens are not exchangeable.

    Its ridge would tell L directions apart, those of the eigenvectors of C.
    """
    if model.fixed_length:
        task.need_independent_tokens(f"the theory of the {model.name} model")


def check_whitening(whitening: str) -> None:
    """Refuse whitening by an estimate: it depends on the very instances that train."""
    choice("whitening", whitening, WHITENINGS)
    if whitening != "known":
        raise ValueError(
            f"the theory has no whitening={whitening!r}: the covariance depends on the instances "
            "that train the classifier; use needlescope.simulate, or whitening='known', the limit "
            "of many negatives"
        )
