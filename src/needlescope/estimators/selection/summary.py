"""The selection in words."""

from __future__ import annotations

from ..candidates.shared.candidate import Candidate, Configuration
from .choice import Compared


def summary(compared: list[Compared], best: Configuration) -> str:
    """Return sentences on why a configuration was selected, and with which others.

    Examples
    --------
    >>> from needlescope.estimators.candidates.attention import Attention
    >>> from needlescope.estimators.candidates.mean import Mean
    >>> best, other = Configuration(Mean(), 0.1), Configuration(Attention(), 0.1)
    >>> rows = [Compared(best, 0.0, 0.0, 0.4, 1.0), Compared(other, 0.1, 0.02, 0.5, 0.0)]
    >>> print(summary(rows, best))
    The mean of standardised instances had the least loss on held-out bags, 0.400, of 2 candidates;
    the next, attention initialised by two gradient steps, on standardised instances, was 0.100 ±
    0.020 behind. Attention is uniform: attending did not help.
    """
    words = best.candidate.words
    start = words[0].upper() + words[1:]
    tops: dict[Candidate, Compared] = {}
    for row in compared:
        tops.setdefault(row.configuration.candidate, row)
    rows = list(tops.values())
    if len(rows) < 2:
        result = f"{start} was the only candidate."
    else:
        together = [row for row in rows if row.weight > 0.0]
        result = f"{start} had the least loss on held-out bags, {rows[0].loss:.3f}, of "
        result += f"{len(rows)} candidates; "
        if len(together) > 1:
            others = [
                f"those of {row.configuration.candidate.words} ({row.weight:.2f})"
                for row in together[1:]
            ]
            listed = [f"its own ({together[0].weight:.2f})", *others]
            result += "log odds are a weighted mean of "
            result += f"{', '.join(listed[:-1])} and {listed[-1]}."
        else:
            row = rows[1]
            result += f"the next, {row.configuration.candidate.words}, was {row.behind:.3f} ± "
            result += f"{row.error:.3f} behind."
    if not best.candidate.attends:
        attending = [row for row in rows if row.configuration.candidate.attends]
        alone = not any(row.weight > 0.0 for row in attending)
        so = ": attending did not help" if alone else " in the best"
        result += f" Attention is uniform{so if attending else ''}."
    return result
