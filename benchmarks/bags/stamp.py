"""What a kept result rests on: a hash of the bags, of the classifier and of its code.

A change of any of them makes the result a thing of the past, and only that one: the alternatives
need not run again when this package changes.
"""

from __future__ import annotations

import hashlib
import inspect
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from needlescope.experiments.units.code import fingerprint

from .data import DataSet

RESTS_ON = {
    **{"Abmil": "torchmil", "Counted": "milwrap", "MeanLogistic": "scikit-learn"},
    **{"CosinesLogistic": "scikit-learn", "BoostedSummaries": "scikit-learn"},
}


def of_data(data: DataSet) -> str:
    """Return a hash of bags and labels."""
    whole = hashlib.sha256(str((data.X.instances.dtype, data.X.instances.shape)).encode())
    for array in (data.X.instances, data.X.starts, np.asarray(data.y)):
        whole.update(np.ascontiguousarray(array).tobytes())
    return whole.hexdigest()


def of_entrant(classifier: Any) -> str:
    """Return a hash of a classifier's parameters and of the code it runs."""
    kind = type(classifier)
    if kind.__name__ in RESTS_ON:
        code = version(RESTS_ON[kind.__name__]) + Path(inspect.getfile(kind)).read_text()
    else:
        code = fingerprint(kind.__module__.split(".", 1)[1])
    parameters = sorted((name, repr(value)) for name, value in classifier.get_params().items())
    return hashlib.sha256(f"{kind.__name__}{parameters}{code}".encode()).hexdigest()


def both(data: str, entrant: str) -> str:
    """Return the two hashes as one, short.

    >>> len(both("a", "b")), both("a", "b") == both("a", "c")
    (12, False)
    """
    return hashlib.sha256(f"{data} {entrant}".encode()).hexdigest()[:12]
