"""One file for each published figure: its units, its comparison, its curves and its drawing.

| package | its figures |
| --- | --- |
| `paper` | the paper's setting: attention, mean pooling and flat classifiers after two steps |
| `bayes` | what the Bayes-optimal learner and AMP reach with the same data |
| `extensions` | rare positives, other kinds of attention, several signals |
| `deep` | fuller attention, trained by torch |

Every module of these packages is a figure; what several figures share is beside `registry`.
"""
