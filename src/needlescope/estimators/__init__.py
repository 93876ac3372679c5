"""The solvable classifiers, fitted to real bags of vectors, in the manner of scikit-learn."""

from .attention import AttentionClassifier
from .bags.bags import Bags
from .bags.datasets import digit_bags, load_musk1
from .bags.each_instance import EachInstance
from .bags.random_features import RandomFeatures
from .bags.readers.anndata import read_h5ad
from .bags.readers.hdf5 import read_hdf5
from .bags.readers.parquet import read_parquet
from .bags.readers.pt import read_pt
from .deletion import Deletion, deletion_test
from .linear import PooledClassifier, VectorizedClassifier
from .task.estimate import estimate_task
from .task.result import TaskEstimate

__all__ = [
    "AttentionClassifier",
    "Bags",
    "Deletion",
    "EachInstance",
    "PooledClassifier",
    "RandomFeatures",
    "TaskEstimate",
    "VectorizedClassifier",
    "deletion_test",
    "digit_bags",
    "estimate_task",
    "load_musk1",
    "read_h5ad",
    "read_hdf5",
    "read_parquet",
    "read_pt",
]


def __dir__() -> list[str]:
    return sorted(__all__)
