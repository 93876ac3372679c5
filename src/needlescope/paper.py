"""The paper behind the theory, and the provenance of numbers that rest on it.

N. Barnfield, H. Cui, Y. M. Lu, *High-Dimensional Analysis of Single-Layer Attention for
Sparse-Token Classification*, ICLR 2026, arXiv 2509.25153. Results are numbered as in version 1 of
the preprint; other versions may number them differently.

The paper's self-consistent equations were not available to us. Those here are derived anew and
checked by simulation, so a number is *our derivation of the quantity* of a theorem, and what the
paper proves is not evidence for our formula. Two conventions of the paper are unknown to us: how
its ridge is scaled, and whether its first step moves readout and bias jointly or one after the
other (`Training` says what ours are).
"""

from __future__ import annotations

VERSION = "arXiv v1"
DERIVATION = "our derivation"
NOTE = (
    "The theory's equations are our own derivation, checked by simulation; those of the paper were "
    "not available to us. Theorems are numbered as in arXiv 2509.25153 v1. Capacity rests on a "
    "conjecture, the Bayes-optimal error on a replica-symmetric formula: neither is a theorem. How "
    "the paper scales its ridge, and whether its first step is joint, is not known to us."
)


def derived(*results: str) -> str:
    """Return that a number is our derivation of what these results of the paper are about.

    Examples
    --------
    >>> derived("theorem 4")
    'our derivation of the quantity of theorem 4 (arXiv v1)'
    >>> derived("theorem 3", "corollary 1")
    'our derivation of the quantities of theorem 3 and corollary 1 (arXiv v1)'
    """
    noun = "quantity" if len(results) == 1 else "quantities"
    return f"{DERIVATION} of the {noun} of {' and '.join(results)} ({VERSION})"


def conjectured(result: str) -> str:
    """Return the same for a conjecture, which stays one however it is derived.

    Examples
    --------
    >>> conjectured("conjecture 1")
    'conjecture: our derivation of the quantity of conjecture 1 (arXiv v1)'
    """
    return f"conjecture: {derived(result)}"
