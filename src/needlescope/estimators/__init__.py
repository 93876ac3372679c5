"""The solvable classifiers, fitted to real bags of vectors, in the manner of scikit-learn."""

from ..instances.from_bags import task_from_bags
from ..instances.task import InstanceTask, task_from_instances
from .bags.bags import Bags
from .bags.datasets import load_musk1, make_digit_bags
from .bags.instance_transformer import InstanceTransformer
from .bags.readers.anndata import read_h5ad
from .bags.readers.hdf5 import read_hdf5
from .bags.readers.parquet import read_parquet
from .bags.readers.pt import read_pt
from .classifiers.attention import AttentionClassifier
from .classifiers.deletion import DeletionTest, deletion_test
from .classifiers.linear import PooledClassifier, VectorizedClassifier
from .classifiers.mil import MILClassifier
from .task.estimate import estimate_task
from .task.result import TaskEstimate

__all__ = [
    "AttentionClassifier",
    "Bags",
    "DeletionTest",
    "InstanceTask",
    "InstanceTransformer",
    "MILClassifier",
    "PooledClassifier",
    "TaskEstimate",
    "VectorizedClassifier",
    "deletion_test",
    "estimate_task",
    "load_musk1",
    "make_digit_bags",
    "read_h5ad",
    "read_hdf5",
    "read_parquet",
    "read_pt",
    "task_from_bags",
    "task_from_instances",
]


def __dir__() -> list[str]:
    return sorted(__all__)
