"""Noise with a spectrum on the command line: the numbers are those of the task in Python."""

from __future__ import annotations

import json

import pytest

import needlescope as ns

POOLED = ("--model", "pooled")


def test_noise_with_a_spectrum(run):
    given = ("--spectrum", "4:0.2,0.25:0.8", "--signal", "quiet,loud,0.5")
    options = ("--L", "8", "--theta", "4", "--pi", "0.4", "--alpha1", "3", "--loss", "square")
    command = ("predict", *given, *options, *POOLED, "--ridge", "0.1")
    rows = json.loads(run(*command, "--json").output)
    assert [row["signal"] for row in rows] == ["quiet", "loud", 0.5]
    assert {row["spectrum"] for row in rows} == {given[1]} and rows[0]["whitening"] is None
    noise = ns.Noise(spectrum=ns.Spectrum([4.0, 0.25], [0.2, 0.8]))
    training = ns.Training(alpha0=4.0, alpha1=3.0, loss="square", ridge=0.1)
    for row in rows:
        task = ns.Task(8, 1, 4.0, 0.4, noise=noise, signal=row["signal"])
        assert row["test_error"] == ns.predict(task, training, "pooled").test_error
    whitened = json.loads(run(*command, "--json", "--whitening", "known").output)
    task = ns.Task(8, 1, 4.0, 0.4, noise=noise, signal="loud").whitened
    assert whitened[1]["test_error"] == ns.predict(task, training, "pooled").test_error
    assert "loud" in run(*command).output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--spectrum", "4:0.2,0.25"), "'4:0.2,0.25' must be eigenvalues separated by commas"),
        (("--spectrum", "4,low"), "'4,low' must be eigenvalues separated by commas"),
        (("--spectrum", "4,-1"), "eigenvalues must be a finite number above 0, got -1.0"),
        (("--signal", "loud"), "--signal says where in a spectrum the signal lies; give a --spec"),
        (
            ("--whitening", "known"),
            "--whitening takes the covariance out of noise that has one; give a --",
        ),
        (("--spectrum", "4,1", "--whitening", "negatives"), "the theory has no whitening='negativ"),
        (("--spectrum", "4,1", "--signal", "lod"), "signal must be one of 'flat', 'quiet', 'lou"),
    ],
)
def test_noise_that_cannot_be(options, words, refused):
    assert words in refused("predict", *POOLED, *options)


def test_a_simulation_whitens_with_an_estimate(run):
    size = ("--d", "20", "--trials", "2", "--L", "3", "--n-jobs", "1", "--json")
    command = ("simulate", *POOLED, "--spectrum", "4,1", *size)
    rows = [
        json.loads(run(*command, *more).output)[0]
        for more in ((), ("--whitening", "negatives"), ("--whitening", "estimated"))
    ]
    assert len({row["test_error"] for row in rows}) == 3
    assert [row["whitening"] for row in rows] == [None, "negatives", "estimated"]


def test_a_plan_is_for_noise_with_a_spectrum(run, refused, monkeypatch):
    from needlescope.planner import default

    seen = {}

    def note(**options):
        seen.update(options)
        raise ValueError("enough")

    monkeypatch.setattr(default, "plan", note)
    command = ("plan", "--L", "5", "--theta", "3", "--d", "20", "--error", "0.1")
    run(*command, "--spectrum", "4:1,0.25:4", "--signal", "quiet")
    assert seen["noise"] == ns.Noise(spectrum=ns.Spectrum([4.0, 0.25], [1, 4]))
    assert seen["signal"] == "quiet" and "spectrum" not in seen
    seen.clear()
    run(*command)
    assert seen["L"] == 5 and "noise" not in seen
    places = ("--spectrum", "4,1", "--signal", "quiet,loud")
    assert "--signal must be one place for a plan, got 2" in refused(*command, *places)
    assert "give a --spectrum with it" in refused(*command, "--signal", "loud")
