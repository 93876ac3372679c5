"""A hundred thousand bags, on disk: what a fit to them takes in memory, and what it finds."""

import subprocess
import sys

import numpy as np
import pytest

import needlescope as ns
from tests.memory import PEAK, needs_peak

BAGS, L, D = 100_000, 50, 128
PART = 2_000

FIT = """
import sys
import numpy as np
from needlescope.estimators import MILClassifier
X, y = np.load(sys.argv[1], mmap_mode="r"), np.load(sys.argv[2])
test = slice(-2000, None)
told = []
clf = MILClassifier(random_state=0, progress=lambda done, total: told.append(done))
clf.fit(X[:-2000], y[:-2000])
print(clf.score(X[test], y[test]), len(told), max(told))
print(peak())
"""


@needs_peak
@pytest.mark.slow
def test_a_hundred_thousand_bags_are_fitted_from_disk_within_6_gb(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, BAGS)
    xi = rng.standard_normal(D)
    xi /= np.linalg.norm(xi)
    X = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.float32, (BAGS, L, D))
    for start in range(0, BAGS, PART):
        at = slice(start, start + PART)
        X[at] = rng.standard_normal((PART, L, D), np.float32)
        X[np.flatnonzero(y[at]) + start, 0] += (4.0 * xi).astype(np.float32)
    X.flush()
    np.save(tmp_path / "y.npy", y)
    command = [sys.executable, "-c", PEAK + FIT, str(tmp_path / "X.npy"), str(tmp_path / "y.npy")]
    result = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    score, calls, last, peak = (float(word) for word in result)
    (tmp_path / "X.npy").unlink()
    task = ns.Task(L=L, R=1, theta=4.0, pi=0.5)
    best = 1.0 - ns.oracle(task, "attention").error
    assert score > best - 4.0 * np.sqrt(best * (1.0 - best) / PART)
    assert calls > 100 and last == BAGS - PART
    assert peak < 6e9
