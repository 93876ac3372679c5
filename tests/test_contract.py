"""The architecture, tested: who may import whom, and what `import needlescope` may load.

The contract itself is in pyproject.toml. Here it is run on the package, and then on small
packages that break it, since a contract that cannot fail protects nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("scipy.stats", "sklearn", "pandas", "matplotlib", "torch")
PACKAGES = (
    *("answer", "arrays", "errors", "grid", "lattice", "losses", "noise", "results"),
    *("paper", "query", "schedule", "signal_count", "spectrum", "task", "training"),
    *("models", "solvers", "running", "theory", "simulation", "planning", "planner"),
    *("estimators", "deep"),
    *("instances", "experiments", "figures", "gallery", "report", "explorer", "cli"),
)

PREDICT = """
ns.predict(
    ns.Task(L=10, R=1, theta=5.0, pi=0.5),
    ns.Training(alpha0=4.0, alpha1=1.0),
    model="attention",
)
"""


def lint_imports(source: Path) -> subprocess.CompletedProcess[str]:
    """Check the package in `source` against the contract in pyproject.toml."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command as main; main()",
            *("--config", str(ROOT / "pyproject.toml"), "--no-cache"),
        ],
        cwd=source,
        env={**os.environ, "PYTHONPATH": str(source), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    done.stdout = click.unstyle(done.stdout)  # some releases colour what goes into a pipe, too
    return done


def heavy_modules_after(code: str) -> list[str]:
    """Run `code` in a fresh interpreter and say which heavy modules it has loaded."""
    report = f"import sys; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", f"import needlescope as ns\n{code}\n{report}"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A needlescope of empty packages, the future ones included."""
    for name in PACKAGES:
        folder = tmp_path / "needlescope" / name
        folder.mkdir(parents=True)
        (folder / "__init__.py").touch()
    (tmp_path / "needlescope" / "__init__.py").touch()
    return tmp_path


def write(package: Path, module: str, code: str) -> None:
    path = package / "needlescope" / f"{module}.py"
    path.parent.mkdir(exist_ok=True)
    (path.parent / "__init__.py").touch()
    path.write_text(code + "\n")


def test_needlescope_keeps_the_import_contract() -> None:
    done = lint_imports(ROOT / "src")
    assert done.returncode == 0, done.stdout + done.stderr


def test_empty_packages_keep_the_contract(package: Path) -> None:
    done = lint_imports(package)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("module", "code"),
    [
        ("theory/learning", "from ..models import attention"),
        ("simulation/trials", "from .. import losses"),
        ("training/data", "from ..losses import Loss"),
        ("figures/error", "import matplotlib"),
        ("estimators/bags", "import sklearn"),
        ("cli/predict", "from ..theory import learning"),
        ("estimators/task", "from ..planning import curve"),
        ("simulation/trials", "from ..solvers import minimise"),
        ("report/page", "from .. import figures"),
        ("gallery/figure", "from .. import figures"),
        ("deep/fitting", "import torch\nfrom ..estimators import base"),
        ("experiments/units", "from ..deep import simulate"),
        ("explorer/live/app", "import starlette\nimport jinja2\nfrom .. import session"),
        ("explorer/notebook/widget", "import anywidget\nimport traitlets\nfrom .. import session"),
    ],
)
def test_contract_allows(package: Path, module: str, code: str) -> None:
    write(package, module, code)
    done = lint_imports(package)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("module", "code", "broken"),
    [
        ("theory/learning", "from ..simulation import trials", "never meet BROKEN"),
        ("simulation/trials", "from ..theory import learning", "never meet BROKEN"),
        ("simulation/trials", "def f():\n    from .. import theory", "never meet BROKEN"),
        ("planning/data", "from .. import estimators", "never meet BROKEN"),
        ("theory/learning", "from ..solvers import minimise", "without the solvers BROKEN"),
        ("solvers/minimise", "from .. import models", "never meet BROKEN"),
        ("running/pool", "from .. import simulation", "never meet BROKEN"),
        ("report/page", "from .. import cli", "never meet BROKEN"),
        ("figures/error", "from .. import report", "never meet BROKEN"),
        ("figures/error", "from .. import gallery", "never meet BROKEN"),
        ("gallery/figure", "from .. import report", "never meet BROKEN"),
        ("models/pooled", "from .. import theory", "never meet BROKEN"),
        ("losses/square", "from .. import models", "never meet BROKEN"),
        ("theory/learning", "from .. import figures", "never meet BROKEN"),
        ("theory/learning", "import matplotlib.pyplot", "scikit-learn BROKEN"),
        ("models/pooled", "import pandas", "scikit-learn BROKEN"),
        ("losses/square", "from sklearn.svm import LinearSVC", "scikit-learn BROKEN"),
        ("estimators/base", "from .. import deep", "never meet BROKEN"),
        ("estimators/base", "import torch", "deep alone knows it BROKEN"),
        ("experiments/engine", "def f():\n    from torch import nn", "deep alone knows it BROKEN"),
        ("explorer/session", "import starlette", "hosts alone know them BROKEN"),
        ("explorer/session", "import anywidget", "hosts alone know them BROKEN"),
        ("cli/live", "def f():\n    import uvicorn", "hosts alone know them BROKEN"),
    ],
)
def test_contract_forbids(package: Path, module: str, code: str, broken: str) -> None:
    write(package, module, code)
    done = lint_imports(package)
    assert done.returncode == 1
    assert broken in done.stdout


def test_a_module_in_no_layer_is_refused(package: Path) -> None:
    """Else theory and simulation could meet through it."""
    write(package, "bridge", "")
    done = lint_imports(package)
    assert done.returncode == 1
    assert "never meet BROKEN" in done.stdout and "bridge" in done.stdout


def test_cycles_are_forbidden(package: Path) -> None:
    write(package, "task/a", "from .. import training")
    write(package, "training/b", "from .. import task")
    done = lint_imports(package)
    assert done.returncode == 1
    assert "between packages BROKEN" in done.stdout


def test_importing_needlescope_loads_nothing_heavy() -> None:
    assert heavy_modules_after("") == []


def test_predicting_loads_nothing_heavy() -> None:
    assert heavy_modules_after(PREDICT) == []
