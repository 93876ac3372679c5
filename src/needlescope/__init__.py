"""tmp"""
from .losses import Loss, PiecewiseQuadratic
from .task import Task, Positions
from .training import Training
from .query import Query
