"""What the estimators refuse: parameters out of range, weights too unequal, masks, other shapes."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA

from needlescope.estimators import (
    AttentionClassifier,
    Bags,
    InstanceTransformer,
    MILClassifier,
    PooledClassifier,
    VectorizedClassifier,
    deletion_test,
    estimate_task,
    make_digit_bags,
    read_h5ad,
    read_hdf5,
    read_parquet,
)
from tests.catalogue.refusals import Case, by_sentence, check_all, wired

RNG = np.random.default_rng(0)
Y = np.arange(20) % 2
X = RNG.standard_normal((20, 4, 3)) + 2.0 * Y[:, None, None]
HIDDEN = np.ma.array(Y, mask=np.arange(20) == 3)
MASKED = np.ma.array(X, mask=X > 3.0)
ONE_HEAVY = np.where(np.arange(20) == 3, 1e300, 1.0)
NAN, INF, HUGE, TINY, VAST = float("nan"), float("inf"), 1e308, 1e-308, 10**400
CLASSIFIERS = (MILClassifier, PooledClassifier, VectorizedClassifier)
MIL, ATTENTION = CLASSIFIERS[:1], (AttentionClassifier,)


def fit(kind, y=Y, weight=None, bags=X, groups=None, **parameters):
    return kind(random_state=0, **parameters).fit(bags, y, sample_weight=weight, groups=groups)


WORDS = (None, "x", [], True, np.ma.masked)  # that are no numbers
PARAMETERS = [  # of whom, which, what they are given, and what is said
    (ATTENTION, "kappa", (HUGE, 1e200, VAST), "^kappa must be at most 1e\\+06, got "),
    (ATTENTION, "kappa", (INF, NAN, -1, *WORDS), '^kappa must be "auto" or a finite number of'),
    (MIL, "n_queries", (10**6, VAST), "^n_queries must be at most 1000, got "),
    (MIL, "n_queries", (0, -1, INF, NAN, HUGE, *WORDS), '^n_queries must be "auto" or a wh'),
    (MIL, "max_refine_iter", (10**7, VAST), "^max_refine_iter must be at most 1e\\+06, got "),
    (
        MIL,
        "max_refine_iter",
        (-1, INF, NAN, HUGE, *WORDS),
        '^max_refine_iter must be "auto" or a whole numbe',
    ),
    (
        ATTENTION,
        "append_mean",
        (0, 1, "no", "False", NAN, None, []),
        '^append_mean must be "auto", True or',
    ),
    (
        MIL,
        "random_features",
        (0, 1, "no", "False", NAN, None, []),
        '^random_features must be "auto", True o',
    ),
    (MIL, "effort", (0, "slow", *WORDS), "^effort must be one of "),
    (MIL, "init", (0, "mean", *WORDS), "^init must be one of "),
    (MIL, "pooling", (0, "votes", *WORDS), "^pooling must be one of "),
    (ATTENTION, "n_queries", (0,), '^n_queries must be "auto" or a whole'),
    (ATTENTION, "max_refine_iter", (-1,), '^max_refine_iter must be "auto" or a whole'),
    (ATTENTION, "random_features", ("no",), '^random_features must be "auto", True or'),
    (ATTENTION, "effort", ("slow",), "^effort must be one of "),
    (ATTENTION, "init", ("mean",), "^init must be one of "),
    (ATTENTION, "ridge", (0,), '^ridge must be "auto" or a finite'),
    (ATTENTION, "shrinkage", (0,), '^shrinkage must be "auto", N'),
    (ATTENTION, "cv", (1,), "^cv must be a number of"),
    (ATTENTION, "pos_label", ("x",), "^pos_label must be one of the labels in y, 0 or "),
    (MIL, "pos_label", ("x", 2, NAN, []), "^pos_label must be one of the labels in y, 0 or "),
    (ATTENTION, "split", (0, *WORDS), "^split must be one of 'reuse', 'split', 'crossfit', got "),
    (CLASSIFIERS, "ridge", (HUGE, 1e200, VAST), "^ridge must be at most 1e\\+100, got "),
    (CLASSIFIERS, "ridge", (0, -1, TINY, INF, NAN, *WORDS), '^ridge must be "auto" or a finite'),
    (
        CLASSIFIERS,
        "shrinkage",
        (0, -1, HUGE, VAST, INF, NAN, *WORDS[1:]),
        '^shrinkage must be "auto", N',
    ),
    (CLASSIFIERS, "loss", (0, HUGE, *WORDS), "^loss must be "),
    (CLASSIFIERS, "class_weight", (0, HUGE, NAN, *WORDS[1:]), "^class_weight must be a dict"),
    (CLASSIFIERS, "cv", (1, -1, HUGE, INF, NAN, *WORDS), "^cv must be a number of"),
    (CLASSIFIERS, "cv", ([3], [(Y, Y, Y)], [[[0], "x"]]), "^fold 0 of cv must be"),
    (CLASSIFIERS, "random_state", (-1, NAN, HUGE, "x", []), ""),  # in scikit-learn's words
    (
        CLASSIFIERS,
        "n_jobs",
        (0, True, 1.5, NAN, "x", []),
        "^n_jobs must be None, a whole number",
    ),
    (CLASSIFIERS, "progress", (1, HUGE, NAN, "x", []), "^progress must be True, False, None or a "),
]
SETTINGS = [
    Case(
        f"{kind.__name__}({name}={str(value)[:12]})",
        partial(lambda kind, given: kind(**given).fit(X, Y), kind, {name: value}),
        says,
    )
    for kinds, name, values, says in PARAMETERS
    for kind, value in wired(kinds, values)
]
WEIGHTS = [  # what is weighed how, and what is said
    ("one bag of 1e300", {"weight": ONE_HEAVY}, "^the weight of a bag, .* at least 1e-100 of the"),
    ("one bag of 1e30", {"weight": np.minimum(ONE_HEAVY, 1e30)}, "1e-09 of both, .* labelled 0; "),
    ("a class of 1e-30", {"weight": np.where(Y, 1e-30, 1.0)}, "1e-09 of both, .* labelled 1; br"),
    ("a bag of 1e-300", {"weight": 1.0 / ONE_HEAVY}, "got 1e-300 for bag 3; pass 0 to leave"),
    ("class 1e-308", {"class_weight": {1: TINY}}, "must be 0 or at least 1e-100 of the largest"),
    ("class 1e308", {"class_weight": {0: HUGE}}, "must be 0 or at least 1e-100 of the largest"),
    ("class 1e-30", {"class_weight": {1: 1e-30}}, "at least 1e-09 of both, got 1e-30 for the ba"),
    ("class 10⁴⁰⁰", {"class_weight": {1: VAST}}, "^class_weight must be finite numbers of at l"),
    ("class NaN", {"class_weight": {1: NAN}}, "^class_weight must be finite numbers of at least"),
    ("a hidden class", {"class_weight": {1: np.ma.masked}}, "^class_weight must be finite numb"),
    ("NaN", {"weight": np.where(Y, NAN, 1.0)}, "^sample_weight must be 20 finite .* nan for bag 1"),
    ("infinity", {"weight": np.where(Y, INF, 1.0)}, "^sample_weight must be 20 .* inf for bag 1$"),
    ("less than nothing", {"weight": -Y}, "^sample_weight must be 20 .*, got -1.0 for bag 1$"),
    ("words", {"weight": ["x"] * 20}, "^sample_weight must be 20 .*, got something else"),
    ("10⁴⁰⁰", {"weight": VAST}, "^sample_weight must be 20 .*, got something else: int too large"),
    ("a mask", {"weight": HIDDEN}, "^sample_weight must not be masked"),
]
MASKS = [  # what is masked, and what is said
    ("labels", {"y": HIDDEN}, "^y must not be masked"),
    ("a label", {"y": [*Y[:-1].tolist(), np.ma.masked]}, "^y must not be masked"),
    ("bags", {"bags": MASKED}, "^a masked array is not taken"),
    ("no mask", {"bags": np.ma.array(X)}, "^a masked array is not taken"),
    ("some bags", {"bags": list(MASKED)}, "^a masked array is not taken"),
    ("instances", {"bags": [list(bag) for bag in MASKED]}, "^bag 0 must not be masked"),
    ("nothing", {"bags": []}, "^there must be at least one bag"),
    ("a word", {"bags": "x"}, "^bags must be an array \\(bags, instances, features\\)"),
    ("None", {"bags": None}, "^bags must be an array \\(bags, instances, features\\)"),
    ("no label", {"y": None}, "requires y to be passed"),
]
GROUPS = [  # which groups, and what is said
    ("too few", {"groups": Y[:5]}, "^groups must be one for each of the 20 bags, got 5$"),
    ("a word", {"groups": "x"}, "^groups must be one for each of the 20 bags, got shape"),
    ("a number", {"groups": 3}, "^groups must be one for each of the 20 bags, got shape"),
    ("NaN", {"groups": np.where(Y, NAN, 1.0)}, "^groups must have one .* got nan for bag 1; a bag"),
    ("a mask", {"groups": HIDDEN}, "^groups must not be masked"),
    ("one for each class", {"groups": Y}, "^all bags of the positive class are in one group"),
]
FITS = [
    Case(f"{kind.__name__} of {what}", partial(fit, kind, **given), says)
    for table in (WEIGHTS, MASKS, GROUPS)
    for kind, (what, given, says) in wired((PooledClassifier, MILClassifier), table)
]
FITS += [
    Case(
        f"{given}",
        partial(fit, MILClassifier, **given),
        "^n_queries=2 needs pooling=\"attention\", got pooling='(log_mean_exp|summaries|forest)'",
    )
    for given in (
        {"pooling": pooling, "n_queries": 2} for pooling in ("log_mean_exp", "summaries", "forest")
    )
]
FITS.append(
    Case(
        "a positive class of three",
        partial(fit, MILClassifier, y=np.arange(20) % 3, pos_label=2),
        "^pos_label=2 is for two classes, got 3",
    )
)
FITTED = fit(PooledClassifier, ridge=0.1)
NOT_A_LIST = "^bags must be a list of arrays \\(instances, features\\), got "
BAGS = [
    *(Case(f"a list that is {type(given).__name__}", partial(Bags.from_list, given), NOT_A_LIST)
      for given in (None, 3, 1.5, True, "x", b"x", {}, iter(()), np.ma.masked)),
    Case("names that are none", lambda: Bags(X[0], [0, 4], names=3), "^names must be a list"),
    Case("names in a word", lambda: Bags(X[0], [0, 4], names="abc"), "^names must be a list"),
    Case("too few names", lambda: Bags(X[0], [0, 4], names=["a"]), "^names must be one for each"),
    Case("masked starts", lambda: Bags(X[0], np.ma.array([0, 4])), "^starts must not be masked"),
    Case("masked ids", lambda: Bags(X[0], [0, 4], ids=np.ma.array([7])), "^ids must not be masked"),
    Case("masked rows", lambda: Bags(MASKED[0], [0, 4]), "^a masked array is not taken"),
    Case("rows, masked", lambda: Bags(list(MASKED[0]), [0, 4]), "^instances must not be masked"),
    Case("a masked mask", lambda: Bags.from_array(X, np.ma.ones((20, 4))), "^mask must not be"),
    Case("a list of masked", lambda: Bags.from_array(list(MASKED)), "^X must not be masked"),
    Case("masked bags of rows", lambda: Bags.from_table(X[0], np.ma.array([0, 0, 1, 1])),
         "^bag must not be masked"),
    Case("a table of masks", lambda: Bags.from_table(MASKED[0], [0, 0, 1, 1]), "^a masked array"),
    Case("complex weights", lambda: FITTED.fit(X, Y, np.ones(len(Y)) * (1 + 5j)),
         "^sample_weight must be .* got something else: complex numbers"),
    Case("a score of hidden labels", lambda: FITTED.score(X, HIDDEN), "^y must not be masked"),
    Case("a score of hidden weights", lambda: FITTED.score(X, Y, HIDDEN), "^sample_weight must"),
    Case("a guess of hidden bags", lambda: FITTED.predict(MASKED), "^a masked array is not taken"),
]  # fmt: skip
TABLE = pd.DataFrame(X[:, :2].reshape(40, 3), columns=["u", "v", "w"]).assign(
    bag=np.repeat(np.arange(20), 2), site="north", sick=np.repeat(Y, 2)
)
RAGGED = Bags.from_list([X[0], X[1][:2]])


def table(bag="bag", label="sick", drop="site", **given):
    return Bags.from_table(TABLE, bag, label=label, drop=drop, **given)


COLUMNS = [  # what is asked of a table, and what is said
    (
        {"bag": "slide"},
        "^bag must name a column, got 'slide'; there are 'u', 'v', 'w', 'bag'",
    ),
    ({"label": "label"}, "^label must name a column, got 'label'; there are"),
    (
        {"label": [0, 1]},
        "^label must name the label of the bag of each of the 40 rows, got shape",
    ),
    (
        {"label": np.arange(40)},
        "^label must be the same for all rows .* and 1 in row 1 of bag 0$",
    ),
    ({"label": [NAN] * 40}, "^label must name the label of the bag of each row, got none in row"),
    ({"label": np.ma.array(TABLE["sick"])}, "^label must not be masked"),
    (
        {"drop": None},
        "^column 'site' must hold numbers, .*; leave it out by drop='site', or encode",
    ),
    ({"drop": "town"}, "^drop must name a column, got 'town'"),
    ({"drop": [*"uvw", "site"]}, "^no column is left for features: \\['bag', 'sick'"),
    ({"metadata": "z"}, "^metadata 'z' must name a column, got 'z'"),
    (
        {"metadata": 3},
        "^metadata must be a list of columns of a DataFrame, or a dict from names to",
    ),
    ({"metadata": {"z": [1, 2]}}, "^metadata 'z' must have a row for each of the 40 instances"),
]
NOT_ONE = "^bags of 2 to 4 instances are not one array. A transformer of instances, as PCA"
DATA = [
    *(Case(f"a table with {given!s:.40}", partial(table, **given), says)
      for given, says in COLUMNS),
    *(Case(f"metadata that are {given!r}", partial(Bags, X[0], [0, 4], metadata=given),
           "^metadata must be a dict from names to arrays") for given in (3, "x", [], True)),
    Case("short metadata", lambda: Bags(X[0], [0, 4], metadata={"t": [1]}),
         "^metadata 't' must have a row for each of the 4 instances, got shape \\(1,\\)"),
    Case("masked metadata", lambda: Bags(X[0], [0, 4], metadata={"t": np.ma.ones(4)}),
         "^metadata 't' must not be masked"),
    Case("metadata of objects", lambda: Bags(X[0], [0, 4], metadata={"t": np.array([{}] * 4)}),
         "^metadata 't' must be numbers, words or dates, got dict"),
    Case("metadata without a name", lambda: Bags(X[0], [0, 4], metadata={3: range(4)}),
         "^metadata must have words for names, got 3"),
    Case("nothing to concatenate", lambda: Bags.concatenate([]), "^there must be at least one of"),
    Case("what is no list", lambda: Bags.concatenate(RAGGED), "^bags must be a list of Bags, got"),
    Case("widths that differ", lambda: Bags.concatenate([X, X[:, :, :2]]), "^all must have the"),
    Case("ids of some", lambda: Bags.concatenate([Bags(X[0], [0, 4], ids=[1]), X]),
         "^all must have ids, or none: number 1 differs"),
    *(Case(f"a function that is {given!r}", partial(RAGGED.map, given),
           "^function must take the instances of a bag, got ") for given in (None, 3, "x", PCA())),
    Case("a function that drops", lambda: RAGGED.map(lambda bag: bag[:1]), "^function must return"),
    Case("other instances", lambda: RAGGED.with_instances(X[0]), "^instances must have a row for"),
    Case("bags of several sizes as an array", lambda: np.asarray(RAGGED), NOT_ONE),
    Case("PCA of bags", lambda: PCA(1).fit(RAGGED), NOT_ONE),
    *(Case(f"a path that is {given!r}", partial(call, given), "^path must be that of a file")
      for call, given in wired((RAGGED.save, Bags.load, read_hdf5, partial(read_h5ad, bag="b"),
                                partial(read_parquet, bag="b")), (None, 3, "", "a\0b"))),
    Case("overwrite in words", lambda: RAGGED.save("x", overwrite="no"), "^overwrite must be True"),
    Case("mapped in words", lambda: Bags.load("x", mapped="no"), "^mapped must be True, False or"),
    *(Case(f"nothing at a path: {call.__name__}", partial(call, "no/such/path", *more), says,
           FileNotFoundError)
      for call, more, says in ((Bags.load, (), "^no bags are saved in no/such/path"),
                               (read_hdf5, (), "^there is no file no/such/path"),
                               (read_h5ad, ("b",), "^there is no file no/such/path"),
                               (read_parquet, ("b",), "^there is no file no/such/path"))),
    Case("unmatched in other words", lambda: read_hdf5("x", unmatched="skip"), "^unmatched must"),
    *(Case(f"instances by {given!r:.20}",
           partial(lambda item: InstanceTransformer(item).fit(X), given),
           "^transformer must have methods fit and transform, as PCA\\(20\\) has, got ")
      for given in (None, 3, "x", PCA, [])),
]  # fmt: skip
DIGITS = {"bags": 10, "L": 4}
TOOLS = [
    *(Case(f"digits that return {given!r}",
           partial(make_digit_bags, **DIGITS, return_instances=given),
           "^return_instances must be True or False, got ") for given in (None, 1, "x", [])),
    Case("too many digits", lambda: make_digit_bags(bags=10**6, L=10**3), "^bags times L must be"),
    *(Case(f"digits with {name}={given!r}", partial(make_digit_bags, **{**DIGITS, name: given}),
           f"^{name} must (not )?be ")
      for name, given in wired(("bags", "L", "R", "digit", "noise", "positive"),
                               (-1, INF, NAN, HUGE, *WORDS))),
    Case("an estimate of hidden labels", lambda: estimate_task(X, HIDDEN), "^y must not be masked"),
    Case("an estimate of hidden bags", lambda: estimate_task(MASKED, Y), "^a masked array is not"),
    *(Case(f"an estimate of pos_label={given!r}", partial(estimate_task, X, Y, pos_label=given),
           "^pos_label must be a label of y, 0 or 1, got ")
      for given in (2, "x", [], {}, [0, 1], np.array([0, 1]), NAN)),
    *(Case(f"deletion by {given!r:.20}", partial(deletion_test, given, X),
           "^clf must have instance_scores, as MILClassifier does, got ")
      for given in (None, 3, "x", PooledClassifier())),
    *(Case(f"deletion with {name}={given!r}",
           partial(deletion_test, MILClassifier(), X, **{name: given}),
           f"^{name} must (be|hold) ")
      for name, given in wired(("count", "share", "repeats"),
                               (0, -1, INF, NAN, "x", [], [0.5]))),
    Case("an estimate with a bar", lambda: estimate_task(X, Y, progress="x"), "^progress must be"),
]  # fmt: skip


@pytest.mark.parametrize("cases", by_sentence([*SETTINGS, *FITS, *BAGS, *DATA, *TOOLS]))
def test_refused_with_a_sentence(cases):
    check_all(cases)


@pytest.mark.sampled(12)
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize(
    "weight",
    [
        np.where(np.arange(20) < 10, 1e-100, 1.0),
        np.where(np.arange(20) == 3, 1e8, 1.0),
        np.where(Y, 1e-8, 1.0),
        np.where(np.isin(np.arange(20), (3, 4)), 1e100, 1.0),
    ],
)
def test_weights_within_the_range_are_fitted(kind, weight):
    clf = fit(kind, weight=weight)
    p = clf.predict_proba(X)
    assert np.isfinite(p).all() and np.isfinite(clf.estimators_[0].model.w).all()
    assert p.min() >= 0.0 and p.max() <= 1.0


@pytest.mark.sampled(12)
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("kind", "parameters"),
    [(AttentionClassifier, {"kappa": item}) for item in (1e6, 1e-300, np.float32(3.0))]
    + [(kind, {"ridge": item}) for kind in CLASSIFIERS for item in (1e100, 1e-12, np.float32(0.1))],
)
def test_parameters_at_the_ends_of_their_range_are_fitted(kind, parameters):
    clf = fit(kind, **parameters)
    assert np.isfinite(clf.predict_proba(X)).all() and np.isfinite(clf.transform(X)).all()
