"""The main numbers of each call, the first one foremost, and which theory a simulation is of."""

from __future__ import annotations

ERRORS = ("test_error", "train_loss", "train_error")
ANSWERS = {
    "predict": ERRORS,
    "simulate": ERRORS,
    "simulate_deep": (*ERRORS, "attended"),
    **dict.fromkeys(("align", "simulate_alignment"), ("cosine_w", "cosine_q")),
    **dict.fromkeys(("focus", "simulate_focus"), ("signal", "largest")),
    "capacity": ("alpha",),
    "simulate_separability": ("fraction",),
    **dict.fromkeys(("oracle", "simulate_oracle"), ("error",)),
    **dict.fromkeys(("oracle_threshold", "training_threshold"), ("theta",)),
    "bayes_threshold": ("theta", "amp_theta"),
    "asymptote": ("limit", "rate"),
    "best_query": ("error", "alone", "together"),
    "bayes_optimal": ("test_error", "amp_test_error", "overlap"),
    "simulate_amp": ("test_error", "overlap"),
    "phase_boundaries": ("alpha_it", "alpha_amp"),
    "crossover": ("cosine",),
    **dict.fromkeys(("predict_instances", "simulate_instances"), ("test_error",)),
}
"""The numbers that are shown of each call; a table in full has more."""
VERDICTS = {"bayes_optimal": "phase", "phase_boundaries": "verdict", "crossover": "verdict"}
"""What a call says in a word, shown before its numbers."""
THEORY_OF = {
    "simulate": "predict",
    "simulate_alignment": "align",
    "simulate_focus": "focus",
    "simulate_oracle": "oracle",
    "simulate_amp": "bayes_optimal",
    "simulate_instances": "predict_instances",
}
"""The calls of theory whose numbers simulations measure, under the same names."""
