"""What docs/bags.md says about explaining and loading runs, on small files of each kind."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

PAGE = Path(__file__).parents[1] / "docs" / "bags.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The files that the page reads: 20 slides, half of them with a tumour."""
    h5py = pytest.importorskip("h5py")
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    slide = np.repeat(np.arange(20), 6)
    table = rng.standard_normal((120, 4)) + 2.0 * (slide % 2)[:, None]
    frame = pd.DataFrame(table, columns=list("abcd")).assign(
        slide=[f"s{k}" for k in slide], tumour=slide % 2, operator="me", x=slide, y=-slide
    )
    frame.to_csv("patches.csv", index=False)
    frame.drop(columns=["x", "y"]).to_parquet("patches.parquet")
    Path("slides").mkdir()
    for k in range(20):
        with h5py.File(f"slides/s{k}.h5", "w") as file:
            file["features"], file["coords"] = table[slide == k], np.zeros((6, 2), int)
    labels = pd.DataFrame({"slide_id": frame["slide"].unique(), "label": np.arange(20) % 2})
    labels.assign(case_id=np.arange(20) // 2).to_csv("labels.csv", index=False)
    with h5py.File("cells.h5ad", "w") as file:
        file["obs/donor"], file["obs/sick"] = frame["slide"].tolist(), frame["tumour"] == 1
        file["obs/type"], file["obsm/X_pca"] = ["T"] * 120, table


@pytest.mark.slow
def test_every_block_runs_and_all_ways_lead_to_the_same_bags(files):
    space: dict = {}
    seen = []
    for block in BLOCKS:
        exec(compile(block, "docs/bags.md", "exec"), space)
        if "y" in space:
            seen.append((space["bags"].lengths.tolist(), list(map(int, space["y"]))))
    assert len(BLOCKS) == 9 and len(seen) == 7
    assert all(item == ([6] * 20, [0, 1] * 10) for item in seen)
    assert space["patients"].tolist() == [k // 2 for k in range(20)]
    assert space["clf"].score(space["bags"], space["y"]) > 0.9
    assert len(space["both"]) == 22 and space["centred"].d == 4
