"""What the figures refuse: no table, no rows, other columns, one axis too many."""

from __future__ import annotations

from functools import partial
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from needlescope import figures
from needlescope.figures.reading.validation import NothingToDraw
from tests.catalogue.refusals import Case, by_sentence, check_all, wired

TASK = {"task.L": 10, "task.R": 1, "task.theta": 5.0, "task.pi": 0.5}
DATA = {"training.alpha0": 4.0, "training.alpha1": 2.0}
QUERY = {"query.kappa": 0.6843, "query.cosine": 0.9762}
ERRORS = {"test_error": 0.2, "train_loss": 0.1, "train_error": 0.01}
CALL, X = "call", "training.alpha1"


def rows(call, simulation, **columns):
    """A row of theory and two trials."""
    trials = [{"call": simulation, "d": 50, **columns}] * 2
    return [{"call": call, **columns}, *trials]


POINT = {**TASK, **DATA, **ERRORS}
POOLED = rows("predict", "simulate", model="pooled", **POINT)
ATTENDS = rows("predict", "simulate", model="attention", **POINT)
SQUARE = {"training.loss": "square"}
LIMIT = {"call": "asymptote", "model": "pooled", "limit": 0.1, "limit_se": 0.0, "rate": 0.2}
GIVEN = rows("predict", "simulate", model="attention", **POINT, **QUERY)
ORACLE = rows("oracle", "simulate_oracle", model="pooled", **(TASK | {"task.L": 100}), error=0.2)
NEEDED = {"call": "oracle_threshold", "model": "pooled", **TASK, "theta": 4.0}
BASE = {**TASK, "model": "attention", **QUERY}
FOCUS = {**TASK, **DATA, "signal": 0.5, "noise": 0.05, "largest": 0.8}
COSINES = {"cosine_q": 0.9, "cosine_w": 0.8, "constant": 0.8}
LEARNED = rows("bayes_optimal", "simulate_amp", **TASK, alpha=2.0, test_error=0.2)
EDGES = {"call": "phase_boundaries", **TASK, "alpha_it": 0.2, "alpha_amp": 1.2}
SHARES = {"task.signals": [0.7, 0.3]}
STEPPED = {"training.alpha0": 2.0, "training.schedule": "given", "training.schedule.steps": 4}
TABLES = {
    "errors": POOLED,
    "alignment": rows("align", "simulate_alignment", **TASK, **DATA, **COSINES),
    "attention_map": rows("focus", "simulate_focus", **FOCUS),
    "capacity": [
        {"call": "capacity", "alpha": 22.0, **BASE},
        {"call": "simulate_separability", **BASE, "d": 60, **DATA, "fraction": 0.5},
    ],
    "limit": [*LEARNED, *POOLED],
    "phases": [EDGES, *LEARNED],
    "keep_up": rows("align", "simulate_alignment", **TASK, **DATA, **COSINES, kappa=0.5),
    "kinds": ATTENDS,
    "length": [{**row, "test_task.L": 64} for row in POOLED],
    "rare": [*ATTENDS, *rows("align", "simulate_alignment", **TASK, **DATA, **COSINES)],
    "rates": [LIMIT, *({**row, **SQUARE, "test_error_se": 0.0} for row in POOLED)],
    "reuse": [{**row, "training.alpha0": 2.0} for row in ATTENDS],
    "robustness": POOLED,
    "separation": [NEEDED, *ORACLE],
    "signals": [
        *({**row, **SHARES} for row in ATTENDS),
        *rows("align", "simulate_alignment", **TASK, **DATA, **SHARES, cosines_q_1=0.9),
    ],
    "steps": [*({**row, **STEPPED} for row in ATTENDS), LEARNED[0]],
    "win_or_lose": [*POOLED, *GIVEN],
}
NUMBER = {
    "alignment": "cosine_q",
    "attention_map": "signal",
    "capacity": "alpha",
    "keep_up": "cosine_q",
    "separation": "error",
}


def table(name):
    return pd.DataFrame(TABLES[name])


def doubled(frame):
    return frame.set_axis([*frame.columns[:-1], frame.columns[-1]], axis=1).pipe(
        lambda item: pd.concat([item, item[["d"]]], axis=1)
    )


def lost(name):
    """The table without its numbers."""
    answers = {"test_error", "train_loss", "train_error", "cosine_q", "cosine_w", "signal"}
    answers |= {"cosines_q_1", "cosines_q_2"}
    answers |= {
        "noise",
        "largest",
        "alpha_it",
        "alpha_amp",
        "fraction",
        "limit",
        "error",
        "theta",
        "cosine",
    }
    answers |= {"alpha"} if name == "capacity" else set()  # elsewhere it is asked
    return table(name).assign(**dict.fromkeys(answers & set(table(name)), np.nan))


def failed(name):
    return lost(name).assign(error_message="OSError: x")


def twice(name, column, values):
    """The table once for each value of a column."""
    return pd.concat([table(name).assign(**{column: value}) for value in values], ignore_index=True)


def number(name):
    return NUMBER.get(name, "test_error")


def with_number(name, value):
    return table(name).assign(**{number(name): value})


def drawn(name, change=table, **options):
    return getattr(figures, name)(change(name), **options)


NONE = "^figures.{} has nothing to draw: .*"
NO_TABLE = [  # what is wrong, what is passed, and what is said
    ("None", lambda name: None, "^table must be a pandas DataFrame, .* got NoneType$"),
    ("a list", lambda name: [], "^table must be a pandas DataFrame, .* got list$"),
    ("a dict", lambda name: {CALL: []}, "^table must be a pandas DataFrame, .* got dict$"),
    ("a word", lambda name: "x", "^table must be a pandas DataFrame, .* got str$"),
    ("an array", lambda name: np.ones((2, 2)), "^table must be .* got ndarray$"),
    ("a column", lambda name: table(name)[CALL], "^table must be .* got Series$"),
    ("a column twice", lambda name: table(name).assign(d=1).T.T.pipe(doubled), "'d' twice$"),
    ("numbers", lambda name: table(name).assign(model=3), "model must hold words, got 3"),
]
NO_NUMBERS = [
    ("words", lambda name: with_number(name, "x"), "must hold numbers, got 'x' in row 0$"),
    ("truths", lambda name: with_number(name, True), "must hold numbers, got True in row"),
    ("dates", lambda name: with_number(name, pd.Timestamp(0)), "hold numbers, got Timest"),
    ("complex", lambda name: with_number(name, 1j), "must hold numbers, got 1j in row 0$"),
]
NOTHING = [
    ("other calls", lambda name: table(name).assign(call="x"), "it draws rows .* has x$"),
    ("calls of 3", lambda name: table(name).assign(call=3), "it draws rows .* has 3$"),
    ("no rows", lambda name: table(name)[:0], "it draws rows of the calls .* has none$"),
    ("nothing", lambda name: pd.DataFrame(), "the table has no column call"),
    ("no call", lambda name: table(name).drop(columns=CALL), "no column call"),
    ("failures", lambda name: failed(name), "all of its . units failed, .*'OSError: x'"),
]
OF_EACH = [  # which depends on the columns that a figure draws
    ("no model", lambda name: table(name).assign(model="x"), "draws model .*, the table has x$"),
    ("no columns", lambda name: table(name)[[CALL]], "its rows"),
    ("no numbers", lambda name: lost(name), "its rows have no numbers in "),
]
AX = r"^ax must be axes of a figure, as plt.subplots\(\) makes them, got "
WITHOUT_MODEL = ("alignment", "attention_map", "keep_up", "phases")
TABLED = [
    Case(f"{name} of {what}", partial(drawn, name, change), says)
    for kinds in (NO_TABLE, NO_NUMBERS)
    for name, (what, change, says) in wired(TABLES, kinds)
]
TABLED += [
    Case(f"{name} of {what}", partial(drawn, name, change), NONE.format(name) + says, NothingToDraw)
    for name, (what, change, says) in (*wired(TABLES, NOTHING), *product(TABLES, OF_EACH))
    if not (name in WITHOUT_MODEL and what == "no model")
]
AXES = [
    Case(f"{name} into {ax!r}", partial(drawn, name, ax=ax), AX)
    for name, ax in wired(TABLES, (3, "x", [], True, plt))
]
ONE = [  # a parameter that changes and is not drawn
    Case(
        f"{name} of two {column}",
        partial(drawn, name, partial(twice, column=column, values=values)),
        rf"^figures.{name} draws a single {column}, got {values[0]}, {values[1]}; select one, as "
        rf'table\[table\["{column}"\] == {values[0]}\]',
    )
    for column, values, names in (
        ("task.pi", (0.2, 0.5), set(TABLES) - {"errors", "capacity", "rare"}),
        ("task.R", (1, 2), {"alignment", "limit", "rare", "steps"}),
        ("task.theta", (4.0, 5.0), {"alignment", "length", "rates", "reuse", "robustness"}),
        ("task.theta", (4.0, 5.0), {"rare", "win_or_lose"}),
        ("training.ridge", (0.1, 0.2), {"length", "rates", "reuse", "robustness", "win_or_lose"}),
        ("training.beta", (1.0, 2.0), {"alignment", "attention_map", "keep_up", "reuse", "steps"}),
        ("test_task.L", (20, 30), {"robustness", "reuse", "win_or_lose"}),
    )
    for name in sorted(names)
]


def changed(name, **columns):
    return table(name).assign(**columns)


OWN = [
    Case(
        "errors of two axes more",
        lambda: figures.errors(pd.concat([twice("errors", "task.L", (3, 4)).assign(**{"task.pi": p})
                                          for p in (0.2, 0.5)])),
        "the table has task.L and task.pi as well, of which it draws one with a curve for each",
    ),
    Case("errors of five θ", lambda: figures.errors(twice("errors", "task.theta", range(1, 6))),
         "^figures.errors draws at most 4 values of task.theta, got 5; select some"),
    Case("errors of no loss", lambda: drawn("errors", loss=3), "^loss must be one of 'logistic'"),
    Case("errors of another loss", lambda: drawn("errors", loss="hinge"), "^loss must be one of"),
    Case("errors of a loss that is not there",
         lambda: drawn("errors", ax=plt.figure().add_subplot(), loss="square"),
         "no test error of the square loss, the table has that of logistic$", NothingToDraw),
    Case("errors at no α1", lambda: figures.errors(changed("errors", **{X: 0.0})),
         "^column training.alpha1 must hold finite numbers above 0, got 0.0 in row 0$"),
    Case("errors that are infinite", lambda: figures.errors(changed("errors", test_error=np.inf)),
         "^column test_error must hold finite numbers, got inf in row 0$"),
    Case("errors of noise", lambda: figures.errors(changed("errors", **{
         "noise.entries": ["gaussian", "student", "student"], "noise.df": [0.0, 3.0, 5.0]})),
         "or draw it with figures.robustness$"),
    Case("alignment of no panel", lambda: drawn("alignment", panel="map"),
         "^panel must be one of 'cosines', 'gap', got 'map'$"),
    Case("alignment of a list", lambda: drawn("alignment", panel=[]), r"panel must be .*\[\]$"),
    Case("alignment without a gap",
         lambda: figures.alignment(changed("alignment", cosine_q=np.nan), panel="gap",
                                   ax=plt.figure().add_subplot()),
         'the panel "gap" needs the column cosine_q$', NothingToDraw),
    Case("attention_map of no panel", lambda: drawn("attention_map", panel=None),
         "^panel must be one of 'weights', 'largest', got None$"),
    Case("attention_map without a panel",
         lambda: figures.attention_map(changed("attention_map", largest=np.nan), panel="largest",
                                       ax=plt.figure().add_subplot()),
         'the panel "largest" needs the column largest$', NothingToDraw),
    Case("attention_map of a grid",
         lambda: figures.attention_map(pd.concat(
             [twice("attention_map", "task.theta", (3.0, 5.0)).assign(**{"training.eta_q": step})
              for step in (2.5, 10.0)])),
         "draws training.eta_q at task.theta = 3 and task.theta at training.eta_q = 2.5, got "),
    Case("capacity elsewhere", lambda: figures.capacity(changed("capacity", **{"task.pi": 0.2})),
         "^figures.capacity draws task.L = 10, .* changed, got task.pi = 0.2; leave those"),
    Case("capacity of two changes",
         lambda: figures.capacity(changed("capacity", **{"task.L": 20, "task.theta": 4.0})),
         "got task.L = 20, task.theta = 4; leave those rows out"),
    Case("capacity without fractions",
         lambda: figures.capacity(table("capacity")[:1], ax=plt.figure().add_subplot()),
         "the fractions need rows of capacity and of simulate_separability", NothingToDraw),
    Case("limit of two signals", lambda: figures.limit(twice("limit", "task.theta", (4.0, 5.0))),
         "draws a single task.theta for each task.L, got 4 and 5 for task.L = 10; leave one"),
    *(Case(f"{name} of {L!r} tokens", lambda name=name, L=L: drawn(
           name, ax=plt.figure().add_subplot(), L=L), "^L must be 10, as the table has it, got ")
      for name, L in wired(("limit", "phases", "steps"), (3, "x", True, []))),
    Case("errors of a limit alone", lambda: figures.errors(pd.DataFrame(LEARNED)),
         "draws rows of the calls predict and simulate, the table has bayes_op", NothingToDraw),
    Case("alignment, balanced and not",
         lambda: figures.alignment(twice("alignment", "training.balanced", (True, False))),
         "draws a single training.balanced, got False, True; .* draw it with figures.rare$"),
    Case("rare of no panel", lambda: drawn("rare", panel="x"), "^panel must be one of 'cosine'"),
    Case("rare without an error",
         lambda: figures.rare(changed("rare", test_error=np.nan), panel="error",
                              ax=plt.figure().subplots()),
         '^figures.rare has nothing to draw: the panel "error" needs the column test_error',
         NothingToDraw),
    Case("rare of a balance in words",
         lambda: figures.rare(changed("rare", **{"training.balanced": "yes"})),
         "^column training.balanced must hold True or False, got 'yes' in row 0$"),
    Case("keep_up of no panel", lambda: drawn("keep_up", panel="error"),
         "^panel must be one of 'samples', 'step', got 'error'$"),
    Case("keep_up without a step",
         lambda: figures.keep_up(changed("keep_up", kappa=np.nan), panel="step",
                                 ax=plt.figure().add_subplot()),
         'the panel "step" needs the columns kappa and cosine_q$', NothingToDraw),
    Case("keep_up of two θ at one L",
         lambda: figures.keep_up(twice("keep_up", "task.theta", (4.0, 5.0))),
         r"^figures.keep_up draws a single task.theta for each task.L, got 4 and 5 for task.L = 10"
         r'; leave one out, as table\[~\(\(table\["task.L"\] == 10\) & '),
    Case("length without a test", lambda: figures.length(table("errors")),
         "its rows of predict need the column test_task.L$", NothingToDraw),
    Case("length of a flat model", lambda: figures.length(twice("length", "model",
         ("pooled", "vectorized"))), "draws model attention and pooled, got vectorized; leave"),
    Case("rates without limits", lambda: figures.rates(table("rates")[1:]),
         "needs rows of asymptote, and of predict or simulate, of the same model$", NothingToDraw),
    Case("rates that are not sure", lambda: figures.rates(changed("rates", test_error=0.1)[:2]),
         "no error differs from its limit by more than 3 of its", NothingToDraw),
    Case("rates of another loss", lambda: figures.rates(changed("rates", **{
         "training.loss": "logistic"})), "draws training.loss square, the table has log",
         NothingToDraw),
    Case("reuse of other steps", lambda: figures.reuse(changed("reuse", **{
         "training.query_steps": 3})),
         "got reuse 'none', query_steps 3 and starts 0; leave those rows out$"),
    Case("reuse of all", lambda: figures.reuse(changed("reuse", reuse="all")), "got reuse 'all'"),
    Case("reuse of many starts", lambda: figures.reuse(changed("reuse", starts=[0, 2, 3])),
         "draws a single number of starts, got 2 to 3; leave the others out"),
    Case("reuse of uneven data", lambda: figures.reuse(changed("reuse", **{X: 3.0})),
         "got training.alpha0 2 with training.alpha1 3; leave the rest out"),
    Case("reuse of pooling", lambda: figures.reuse(table("errors")), "draws model attention, the"
         " table has pooled$", NothingToDraw),
    Case("robustness of no model", lambda: drawn("robustness", model="vectorized"),
         "^model must be one of 'attention', 'pooled', got 'vectorized'$"),
    Case("robustness without a model", lambda: drawn("robustness", ax=plt.figure().add_subplot()),
         "no test_error of attention$", NothingToDraw),
    Case("robustness of another law", lambda: figures.robustness(changed("robustness", **{
         "noise.token_correlation": 0.3})), "got Gaussian, tokens correlated 0.3; leave those"),
    Case("robustness of both", lambda: figures.robustness(changed("robustness", **{
         "noise.token_correlation": 0.5, "noise.covariance_decay": 0.5})), "tokens and dimensions"),
    Case("separation of other laws", lambda: figures.separation(changed("separation", **{
         "task.theta": 3.3})), "draws errors at task.theta c log L .* got 3.3 with task.L = 100"),
    Case("separation without thresholds",
         lambda: figures.separation(table("separation")[1:], ax=plt.figure().add_subplot()),
         "the thresholds need rows of oracle_threshold$", NothingToDraw),
    Case("steps of no panel", lambda: drawn("steps", panel="step"),
         "^panel must be one of 'error', 'cosine', got 'step'$"),
    Case("steps of two signals", lambda: figures.steps(twice("steps", "task.theta", (4.0, 5.0))),
         "draws a single task.theta for each task.L, got 4 and 5 for task.L = 10; leave one"),
    Case("steps of pooling", lambda: figures.steps(changed("steps", model="pooled")),
         "draws model attention, the table has pooled$", NothingToDraw),
    Case("alignment of two schedules",
         lambda: figures.alignment(twice("alignment", "training.schedule", ("given", "two steps"))),
         "^figures.alignment draws a single training.schedule, got given, two steps; select one"),
    Case("win_or_lose of pooling alone", lambda: figures.win_or_lose(table("errors")),
         "the difference of attention and pooling needs rows of both", NothingToDraw),
]  # fmt: skip
CURVES = {"model": ["pooled"], "alpha1": [1.0], "test_error": [0.3], "floor": [0.2],
          "bayes_optimal": [0.1]}  # fmt: skip
NEEDS = {"learner": ["pooled"], "L": [10], "theta": [3.0]}


def overview(curves=CURVES, thresholds=NEEDS):
    return figures.overview(
        *(item if item is None else pd.DataFrame(item) for item in (curves, thresholds))
    )


WEIGHTS = [np.array([0.2, 0.8]), np.array([1.0])]
OTHERS = [
    Case("overview of None", lambda: overview(None), "^curves must be a pandas DataFrame, got N"),
    Case("overview of no need", lambda: overview(CURVES, None), "^thresholds must be a pandas"),
    Case("overview of no rows", lambda: overview(pd.DataFrame(CURVES)[:0]), "at least one row"),
    Case("overview without α1", lambda: overview(pd.DataFrame(CURVES).drop(columns="alpha1")),
         "^curves must have the columns model, alpha1, .*, bayes_optimal, got .* without alpha1$"),
    Case("overview of words", lambda: overview(CURVES | {"floor": ["x"]}),
         "^column floor must hold numbers, got 'x' in row 0$"),
    Case("overview of NaN", lambda: overview(CURVES | {"floor": [np.nan]}),
         "^column floor must hold finite numbers, got nan in row 0$"),
    Case("overview of a model", lambda: overview(CURVES | {"model": ["x"]}), "draws model .* x$",
         NothingToDraw),
    Case("overview of a learner", lambda: overview(CURVES, NEEDS | {"learner": ["x"]}),
         "draws learner .* x$", NothingToDraw),
    Case("overview of no α1", lambda: overview(CURVES | {"alpha1": [0.0]}),
         "^column alpha1 must hold finite numbers above 0, got 0.0 in row 0$"),
    *(Case(f"attended by {given!r}", partial(figures.attended, given),
           "^weights must be a list of arrays, one number for each instance")
      for given in (None, [], {}, "x", 3, {"a": [1.0]}, [1.0, 2.0], [[]], [None], ["x"], [["x"]],
                    [[True, False]], np.ones((2, 2, 2)), pd.DataFrame({"a": [1.0]}), [[1j]])),
    Case("attended by NaN", lambda: figures.attended([[np.nan, 1.0]]), "^weights must be finite"),
    Case("attended by a mask", lambda: figures.attended([np.ma.array([0.5, 0.5], mask=[0, 1])]),
         "^weights must not be masked"),
    Case("attended by labels", lambda: figures.attended(WEIGHTS, 3), "^y must have a label for"),
    Case("attended by masked labels",
         lambda: figures.attended(WEIGHTS, np.ma.array([0, 1], mask=[0, 1])), "^y must not be"),
    Case("attended by kinds", lambda: figures.attended(WEIGHTS, [1, "a"]), "^labels in y must be"),
    *(Case(f"attended with {name}={value!r}", partial(figures.attended, WEIGHTS, **{name: value}),
           f"^{name} must be ")
      for name, value in wired(("bags", "instances", "order"), (None, -1, 0.5, "x", []))),
    *(Case(f"a bag of {given!r}", partial(figures.bag, given),
           "^scores must be a finite number for each instance of one bag, got ")
      for given in (None, [], {}, "x", 3, [[1.0]], [np.nan], [True], [[1.0], [1.0, 2.0]])),
    Case("a bag of a mask", lambda: figures.bag(np.ma.array([0.5, 0.5], mask=[0, 1])),
         "^scores must not be masked"),
    Case("a bag with little attention", lambda: figures.bag([0.5, 1.0], [1.0]),
         "^attention must have a number for each of 2 instances, got "),
    Case("a bag with queries of another", lambda: figures.bag([0.5, 1.0], np.ones((2, 3))),
         r"^attention\[0\] must have a number for each of 2 instances, got "),
    Case("a bag with queries of queries", lambda: figures.bag([0.5, 1.0], np.ones((3, 2, 2))),
         "^attention must be a finite number for each instance of one bag, got "),
    *(Case(f"a bag at {given!r}", partial(figures.bag, [0.5, 1.0], coords=given),
           "^coords must be one or two finite numbers for each of 2 instances, got ")
      for given in (3.0, [1.0], np.ones((2, 3)), [np.inf, 1.0], "xy", [[1.0], [1.0, 2.0]])),
    *(Case(f"a bag with {name}={value!r}", partial(figures.bag, [0.5, 1.0], **{name: value}),
           f"^{name} must be ")
      for name, value in wired(("instances", "panel"), (None, -1, 0.5, "x", []))),
    Case("a bag without attention", lambda: figures.bag([0.5, 1.0], panel="attention"),
         '^panel="attention" needs the attention of the bag, got attention=None$'),
    *(Case(f"a bag into {ax!r}", partial(figures.bag, [0.5, 1.0], ax=ax), AX)
      for ax in (3, "x", [], True)),
    *(Case(f"curves of {given!r}", partial(figures.curves, given, None),
           "^figure must be one of 'errors', .*'deep_rare', got ")
      for given in (None, 3, "monalisa", "curves", [])),
    Case("curves of no table", lambda: figures.curves("errors", None), "^table must be a pandas"),
    *(Case(f"attended into {ax!r}", partial(figures.attended, WEIGHTS, ax=ax), AX)
      for ax in (3, "x", [], True)),
]  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize("cases", by_sentence([*TABLED, *AXES, *ONE, *OWN, *OTHERS]))
def test_refused_with_a_sentence(cases):
    check_all(cases)
    assert len(plt.get_fignums()) <= len(cases)  # at most one a case: that of the axes it was given
    plt.close("all")


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", TABLES)
def test_what_is_changed_for_the_catalogue_is_drawn_as_it_is(name):
    assert drawn(name).axes
    plt.close("all")
