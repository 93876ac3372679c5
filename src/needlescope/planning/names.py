"""The learners that can be planned for, and what sentences call them."""

LEARNERS = {
    "attention": "attention",
    "pooled": "mean pooling",
    "vectorized": "the flat linear classifier",
    "bayes_optimal": "the Bayes-optimal learner",
    "amp": "AMP",
}
TUNED = ("attention", "pooled", "vectorized")  # those with settings to choose
