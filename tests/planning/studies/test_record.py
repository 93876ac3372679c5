"""The store of studies: what tells one from another, and files that are none."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from needlescope.planning.studies.record import Record, key_of
from needlescope.planning.studies.study import Study
from tests.planning.studies.bags import Known, job

STUDY = Study(200, 0.2, 1.5, "", 0.01)


def test_what_is_kept_is_read_again(tmp_path):
    path = tmp_path / "new" / "studies.jsonl"
    Record(path).add(job(Known()), STUDY)
    assert Record(path).get(job(Known())) == STUDY
    assert Record().get(job(Known())) is None


def test_every_difference_is_another_study():
    class Weighted(Known):
        def __init__(self, weights):
            super().__init__()
            self.weights = weights

        def get_params(self, deep=True):
            return {"weights": self.weights}

    jobs = [
        job(Known()), job(Known(0.1)), job(Known(), n=201), job(Known(), seed=1),
        job(Known(), theta=41.0), job(Known(), measure="balanced_accuracy"),
        job(Known(), measure="sensitivity", specificity=0.9),
        job(Known(), measure="sensitivity", specificity=0.8),
        job(make_pipeline(LogisticRegression(C=1.0))),
        job(make_pipeline(LogisticRegression(C=2.0))),
        job(Weighted(np.zeros(5000))), job(Weighted(np.eye(5000)[17])),
    ]  # fmt: skip
    assert len({key_of(each) for each in jobs}) == len(jobs)


def test_addresses_do_not_count():
    class Plain:
        def __init__(self):
            self.inner, self.function = Known(), lambda x: x

        def fit(self, X, y): ...

    assert key_of(job(Plain())) == key_of(job(Plain()))
    made = [make_pipeline(FunctionTransformer(lambda x: x), LogisticRegression()) for _ in "ab"]
    assert key_of(job(made[0])) == key_of(job(made[1]))


def test_failures_are_tried_again(tmp_path):
    path = tmp_path / "studies.jsonl"
    Record(path).add(job(Known()), Study(200, np.nan, 1.0, "RuntimeError: no"))
    assert Record(path).get(job(Known())) is None and path.read_text() == ""


def test_a_line_that_was_cut_off_is_passed_over_for_good(tmp_path):
    path = tmp_path / "studies.jsonl"
    for seed in (0, 1):
        Record(path).add(job(Known(), seed=seed), STUDY)
    path.write_text(path.read_text()[:-20])
    Record(path).add(job(Known(), seed=2), STUDY)
    record = Record(path)
    assert [record.get(job(Known(), seed=seed)) == STUDY for seed in range(3)] == [
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(
    "text", ["a letter", "[1, 2]\n", '{"key": "a"}\nhello\n', "1\n2\n", '{"other": 3}\n']
)
def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path, text):
    path = tmp_path / "letter.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"store must be a file of studies, .*name another file"):
        Record(path)
    assert path.read_text() == text


def test_what_cannot_be_a_file_is_refused(tmp_path):
    (tmp_path / "image").write_bytes(b"\xff\xfe\x00\x81")
    (tmp_path / "file").write_text("")
    for path in (3, tmp_path, tmp_path / "image", tmp_path / "file" / "below"):
        with pytest.raises(ValueError, match="store must be the path of a file of studies"):
            Record(path)
