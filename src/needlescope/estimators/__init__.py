"""The solvable classifiers, fitted to real bags of vectors, in the manner of scikit-learn."""

from .attention import AttentionClassifier
from .bags import Bags
from .datasets import digit_bags, load_musk1
from .linear import PooledClassifier, VectorizedClassifier
from .random_features import RandomFeatures
from .task_estimate import estimate_task
from .task_result import TaskEstimate

__all__ = [
    "AttentionClassifier",
    "Bags",
    "PooledClassifier",
    "RandomFeatures",
    "TaskEstimate",
    "VectorizedClassifier",
    "digit_bags",
    "estimate_task",
    "load_musk1",
]
