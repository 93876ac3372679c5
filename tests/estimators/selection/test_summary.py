"""The selection in words: how many candidates, which are combined, and whether attending helped."""

from __future__ import annotations

from needlescope.estimators.candidates.attention import Attention
from needlescope.estimators.candidates.log_mean_exp import LogMeanExp
from needlescope.estimators.candidates.mean import Mean
from needlescope.estimators.candidates.shared.candidate import Configuration
from needlescope.estimators.selection.choice import Compared
from needlescope.estimators.selection.summary import summary

MEAN, ATTENTION = Configuration(Mean(), 0.1), Configuration(Attention(), 0.1)
POOLED = Configuration(LogMeanExp(), 0.1)


def row(configuration, behind, weight=0.0):
    return Compared(configuration, behind, 0.01, 0.4 + behind, weight)


def test_configurations_of_one_candidate_count_once():
    rows = [
        row(ATTENTION, 0.0, weight=0.5),
        row(ATTENTION._replace(ridge=1.0), 0.02),
        row(MEAN, 0.03),
        row(MEAN._replace(ridge=1.0), 0.04),
    ]
    words = summary(rows, ATTENTION)
    assert "0.400, of 2 candidates; the next, the mean of standardised instances, was 0.03" in words
    assert "uniform" not in words


def test_the_only_candidate_is_said_to_be_that():
    words = summary([row(ATTENTION, 0.0, weight=0.5)], ATTENTION)
    assert words.endswith("on standardised instances was the only candidate.")
    assert summary([], MEAN).endswith("was the only candidate. Attention is uniform.")


def test_candidates_that_are_combined_are_named():
    rows = [row(ATTENTION, 0.0, weight=0.5), row(POOLED, 0.005, weight=0.5), row(MEAN, 0.2)]
    words = summary(rows, ATTENTION)
    listed = f"its own (0.50) and those of {POOLED.candidate.words} (0.50)."
    assert f"log odds are a weighted mean of {listed}" in words
    assert "mean of standardised" not in words


def test_uniform_attention_says_whether_attending_helped():
    rows = [row(MEAN, 0.0, weight=0.5), row(ATTENTION, 0.1)]
    assert summary(rows, MEAN).endswith("Attention is uniform: attending did not help.")
    both = [rows[0], row(ATTENTION, 0.001, weight=0.5)]
    assert summary(both, MEAN).endswith("Attention is uniform in the best.")
    assert summary(
        [rows[0], row(MEAN._replace(candidate=Mean(shrinkage=0.02)), 0.1)], MEAN
    ).endswith("Attention is uniform.")
