"""The predicted AUC of a trained classifier of bags.

The score of a bag is Gaussian at each node of the law of features, and so is the difference of two:

    AUC = P(f₊ > f₋) = Σ w₊ w₋ Φ((c₊ − c₋)/√(σ₊² + σ₋²))    over pairs of nodes, one of each label.

Where one class is rare, the test error is that of the constant answer and says little; the AUC does
not depend on the balance of classes.
"""

from __future__ import annotations

from ...models import get_model
from ...results import Outcome
from ...task import Task
from ...theory.law.ladder import ROUGH
from ...theory.law.limits import train_limit
from ...theory.learning import predict
from ...training import Training
from ..tuning.bias_shift import ORDER_PARAMETERS, readout_of
from ..tuning.readouts import misranked
from .classifier_errors import TOL, PredictedError, trained_query


def auc(task: Task, result: Outcome) -> float:
    """Return the AUC of a trained classifier, by the order parameters of its readout.

    Examples
    --------
    Mean pooling: two normal laws of scores, one deviation each.

    >>> import needlescope as ns
    >>> from scipy.special import ndtr
    >>> task = ns.Task(L=4, R=4, theta=1.0, pi=0.5)
    >>> result = ns.predict(task, ns.Training(alpha1=4.0, ridge=0.1), "pooled")
    >>> away = 2.0 * float(result.cosine)
    >>> bool(abs(auc(task, result) - ndtr(away / 2.0**0.5)) < 1e-6)
    True
    """
    model = get_model(result.model)
    numbers = {name: getattr(result, name) for name in ORDER_PARAMETERS}
    query, point = readout_of(model.has_query, numbers)
    law = train_limit(model, task.whitened, query, ROUGH).law(0.5)
    if point.norm == 0.0:  # a constant score
        return 0.5
    return 1.0 - misranked(law, point)


def predicted_auc(
    task: Task, bags: float, dimension: float, model: str, prediction: PredictedError
) -> float:
    """Return the AUC of a model trained on this many bags, with the κ and ridge of a prediction.

    Examples
    --------
    >>> from needlescope.planning.expected.classifier_errors import predict_error
    >>> task = Task(L=10, R=1, theta=4.0, pi=0.05)
    >>> prediction = predict_error(task, 400, 20.0, "attention")
    >>> 0.8 < predicted_auc(task, 400, 20.0, "attention", prediction) < 1.0
    True
    """
    half = bags / (2.0 * dimension)
    if get_model(model).has_query:
        training, query = trained_query(task, half, prediction.kappa)
        training = training.replace(ridge=prediction.ridge)
        return auc(task, predict(task, training, model, query=query, tol=TOL))
    training = Training(alpha0=half, alpha1=half, ridge=prediction.ridge)
    return auc(task, predict(task, training, model, data="all", tol=TOL))
