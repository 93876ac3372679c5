"""Bad questions to theory and simulation, refused before any work starts."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from tests.catalogue.refusals import Case, by_sentence, check_all, wired

TASK = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
TRAINING = ns.Training(alpha0=4.0, alpha1=1.0)
READOUT = ns.Training(alpha1=1.0)
QUERY = ns.Query(1.0, 0.5)
JOINT = ns.Training.joint(1.0)
NOT_A_TASK = r"task must be a needlescope\.Task, got "
NOT_A_TRAINING = r"training must be a needlescope\.Training, got "
NOT_A_QUERY = r"query must be a needlescope\.Query\(kappa, cosine\), got "
NEEDS_D0 = "alpha0 must be given: the query is trained on D0"
IDLE_QUERY = "query is for attention, got Query.* leave it out"
ONE_TOL = r"tol must be a number in \(0, 1\]"


def asks(call, *given, **named):
    return lambda: call(*given, **named)


THIN = ns.Training(4.0, 1.0, schedule=ns.Schedule([0.01, 0.99]))
SEVERAL = TASK.replace(signals=(0.5, 0.5))
PAIR = ns.Query(1.0, cosines=(0.5, 0.5))
SOLVED = (  # calls that solve to a tolerance, and what they are asked
    *((ns.predict, TASK, TRAINING), (ns.focus, TASK, TRAINING), (ns.oracle, TASK)),
    *((ns.asymptote, TASK, "pooled"), (ns.capacity, TASK, "pooled"), (ns.crossover, TASK, 1.0)),
    *((ns.bayes_threshold, TASK, 1.0, 0.1), (ns.training_threshold, TASK, TRAINING, 0.1)),
    (ns.oracle_threshold, TASK, "pooled", 0.1),
)
NOISY = TASK.replace(noise=ns.Noise(spectrum=[2.0, 0.5]))
TWO_NOISES = TASK.replace(signal_noise=ns.Noise(spectrum=[4.0]))
ONE_NOISE = r"supports only tasks whose tokens all have the same noise, got signal_noise=Noise"
WHITE = (
    r"supports only tasks with white noise, got noise=Noise.*; leave it out, or ask for task\.wh"
)
ONE_SIGNAL = r"supports only tasks with one signal, got signals=\(0\.5, 0\.5\); align, predict"


def simulated(**options):
    given = {"query": PAIR, "d": 20, "trials": 2, "n_jobs": 1} | options
    return lambda: ns.simulate(SEVERAL, READOUT, **given)


def whitened(**options):
    given = {"whitening": "estimated", "d": 20} | options
    return lambda: ns.simulate(NOISY, TRAINING, **given)


CASES = [
    Case(
        "predict at no dimension",
        asks(ns.predict, TASK, TRAINING, d=0),
        r"d must be an integer in 1\.\.1000000000, got 0",
    ),
    Case(
        "predict at half a dimension",
        asks(ns.predict, TASK, TRAINING, d=0.5),
        r"d must be a single integer in 1\.\.1000000000, got 0\.5",
    ),
    *(
        Case(f"{call.__name__} of several signals", asks(call, SEVERAL, *more), ONE_SIGNAL)
        for call, more in (
            (ns.capacity, ("pooled",)),
            (ns.bayes_optimal, (1.0,)),
            (ns.bayes_threshold, (1.0, 0.1)),
            (ns.oracle, ()),
            (ns.phase_boundaries, ()),
            (ns.state_evolution, (1.0,)),
            (ns.training_threshold, (TRAINING, 0.1)),
            (ns.simulate_amp, (1.0,)),
            (ns.simulate_oracle, ()),
            (ns.simulate_separability, (TRAINING,)),
        )
    ),
    *(
        Case(f"{call.__name__} with two noises", asks(call, TWO_NOISES, *more), ONE_NOISE)
        for call, more in (
            (ns.asymptote, ("pooled",)),
            (ns.bayes_optimal, (1.0,)),
            (ns.capacity, ("pooled",)),
            (ns.focus, (TRAINING,)),
            (ns.oracle, ()),
            (ns.phase_boundaries, ()),
            (ns.state_evolution, (1.0,)),
            (ns.simulate_amp, (1.0,)),
            (ns.simulate_oracle, ()),
            (ns.tune, (20.0,)),
        )
    ),
    *(
        Case(
            f"predict with two noises and {more}",
            asks(
                ns.predict,
                TWO_NOISES,
                TRAINING.replace(**more.get("training", {})),
                **{name: value for name, value in more.items() if name != "training"},
            ),
            words,
        )
        for more, words in (
            ({"model": "hard"}, "predict with signal_noise supports the models attention, pooled"),
            ({"d": 100}, "d must be left out with signal_noise, got 100"),
            ({"training": {"ridge": 0.0}}, "ridge must be above 0 with signal_noise, got 0"),
            ({"query": ns.Query(np.inf, 0.8)}, "kappa must be at most 100 with signal_noise, got"),
            (
                {"test_task": TWO_NOISES.replace(theta=2.0)},
                "predict with signal_noise tests on the task that it trains on",
            ),
        )
    ),
    Case(
        "two noises of many eigenvalues",
        asks(
            ns.predict,
            TASK.replace(
                noise=ns.Noise(spectrum=ns.Spectrum.power_law(0.5, 3001)),
                signal_noise=ns.Noise(spectrum=ns.Spectrum.power_law(0.6, 3001)),
            ),
            TRAINING,
        ),
        "signal_noise supports at most 3000 features, or eigenvalues of a spectrum",
    ),
    Case(
        "a covariance of another size than d",
        asks(ns.predict, TASK.replace(noise=ns.Noise(covariance=2.0 * np.eye(3))), TRAINING, d=9),
        "covariance must be 9 × 9 to go with d=9, got 3 × 3",
    ),
    Case(
        "two noises whitened by an estimate",
        asks(ns.simulate, TWO_NOISES, TRAINING, d=20, whitening="negatives"),
        f"whitening='negatives' {ONE_NOISE}",
    ),
    Case(
        "an exact test with two noises",
        asks(ns.simulate, TWO_NOISES, TRAINING, d=20, test="exact"),
        "test='exact' integrates over tokens of one noise, got signal_noise=Noise",
    ),
    *(
        Case(f"{call.__name__} in noise with a spectrum", asks(call, NOISY, *more), WHITE)
        for call, more in (
            (ns.bayes_threshold, (1.0, 0.1)),
            (ns.sensitivity, (THIN,)),
            *((call, (THIN,)) for call in (ns.align, ns.predict, ns.focus)),
        )
    ),
    *(
        Case(
            f"{call.__name__} with a noise of its own beside that of the task",
            asks(call, NOISY, TRAINING, noise=ns.Noise("rademacher")),
            "noise must be left out where the task says it, got a task with noise=Noise",
        )
        for call in (ns.simulate, ns.simulate_alignment, ns.simulate_focus)
    ),
    Case(
        "predict whitened by an estimate",
        asks(ns.predict, NOISY, TRAINING, whitening="estimated"),
        r"the theory has no whitening='estimated': .* use needlescope\.simulate",
    ),
    *(
        Case(
            f"{call.__name__} with a whitening that is none",
            asks(call, NOISY, TRAINING, whitening="zca"),
            "whitening must be one of 'known', 'estimated', 'negatives'",
        )
        for call in (ns.predict, ns.simulate)
    ),
    *(
        Case(f"whitening shrunk by {value}", whitened(shrinkage=value), says)
        for value, says in (
            (1.5, r"shrinkage must be a number in \(0, 1\], got 1\.5"),
            (0.0, r"shrinkage must be a number in \(0, 1\], got 0\.0"),
            ("some", "shrinkage must be one of 'auto'"),
        )
    ),
    *(
        Case(
            f"a shrinkage of {kind}",
            whitened(whitening=kind, shrinkage=0.1),
            r"shrinkage belongs to an estimated whitening, got 0\.1 without one",
        )
        for kind in (None, "known")
    ),
    Case("another test_task", whitened(test_task=TASK), "tests on the task that it is estimated"),
    Case(
        "another noise",
        asks(ns.simulate, TASK, TRAINING, noise=ns.Noise("rademacher"), whitening="estimated"),
        "whitening='estimated' is of the noise of the task, got noise=",
    ),
    Case(
        "whitening of a reduced law",
        asks(ns.simulate, TASK, TRAINING, whitening="estimated", sampler="reduced"),
        "supports the theory's own setting only, not with whitening='estimated'",
    ),
    Case(
        "simulate with a signal of its own beside that of the task",
        asks(ns.simulate, NOISY, TRAINING, d=20, signal=np.ones(20)),
        "signal must be left out where the task says it",
    ),
    *(
        Case(
            f"{call.__name__} tested in other noise",
            asks(call, NOISY, TRAINING, test_task=TASK),
            "test_task must have the noise and signal of the task, whose whitened coordinates",
        )
        for call in (ns.predict, ns.simulate)
    ),
    *(
        Case(
            f"{call.__name__} with more eigenvalues than dimensions",
            asks(call, NOISY, *more, d=1),
            "d must leave a dimension for each of the 2 eigenvalues of the noise, got d=1",
        )
        for call, more in (
            (ns.simulate, (TRAINING, "pooled")),
            (ns.simulate_amp, (1.0,)),
            (ns.simulate_separability, (TRAINING, "pooled")),
        )
    ),
    Case("crossover of several", asks(ns.crossover, SEVERAL, kappa=1.0), ONE_SIGNAL),
    Case("weakest of several", asks(ns.oracle_threshold, SEVERAL, "pooled", 0.1), ONE_SIGNAL),
    *(
        Case(
            f"{call.__name__} trains a query on several signals without data",
            asks(call, SEVERAL, READOUT, model),
            "alpha0 must be given: the query is trained on D0",
        )
        for call, model in wired((ns.predict, ns.simulate), ("attention", "hard", "linear"))
    ),
    *(
        Case(
            f"{call.__name__} with {query!r} of two signals",
            asks(call, SEVERAL, READOUT, query=query),
            "the query must have 2 cosines, one for each of the task's signals, got ",
        )
        for call, query in wired(
            (ns.predict, ns.simulate),
            (QUERY, ns.Query(1.0, cosines=(0.5, 0.5, 0.5)), ns.Query(1.0, cosines=(1.0,))),
        )
    ),
    *(
        Case(
            f"{call.__name__} with cosines of one signal",
            asks(call, TASK, *more, query=PAIR),
            r"cosines=\(0.5, 0.5\) is for a task of several signals, and this one has one",
        )
        for call, more in (
            (ns.predict, (READOUT,)),
            (ns.simulate, (READOUT,)),
            (ns.asymptote, ()),
            (ns.capacity, ()),
            (ns.focus, (READOUT,)),
            (ns.simulate_focus, (READOUT,)),
            (ns.simulate_separability, (READOUT,)),
            (ns.training_threshold, (READOUT, 0.1)),
        )
    ),
    Case(
        "asymptote of several signals without a query",
        asks(ns.asymptote, SEVERAL),
        "the limit of attention depends on its query",
    ),
    Case(
        "best query of one signal",
        asks(ns.best_query, TASK),
        "best_query is for tasks of several signals; .* or use oracle",
    ),
    Case("best query of nothing", asks(ns.best_query, None), NOT_A_TASK),
    Case("best query, no training", asks(ns.best_query, SEVERAL, 3), NOT_A_TRAINING),
    Case("best query, exactly", asks(ns.best_query, SEVERAL, tol=0.0), ONE_TOL),
    Case(
        "tested on fewer signals",
        asks(ns.predict, SEVERAL, READOUT, "pooled", test_task=TASK),
        "test_task must have the signals of the task, of which there are 2, got signals=None",
    ),
    Case(
        "tested on more signals",
        asks(ns.simulate, TASK, READOUT, "pooled", test_task=SEVERAL),
        "test_task must have the signals of the task, of which there are 1",
    ),
    Case(
        "signals that are not orthogonal",
        simulated(signal=[[1.0] + [0.0] * 19, [1.0] * 20]),
        "signal must be vectors that are orthogonal to each other, got a cosine of 0.224 between",
    ),
    Case(
        "as many vectors as signals",
        simulated(signal=np.eye(3, 20)),
        "signal must be 2 vectors, one for each signal, got 3",
    ),
    Case("a vector for two signals", simulated(signal=np.ones(20)), "signal must be 2 vectors"),
    Case("vectors too short", simulated(signal=np.eye(2, 19)), "signal must be a vector of d=20"),
    Case(
        "more signals than room",
        simulated(d=2),
        "d must be above 2, the number of orthogonal signals, .* got 2",
    ),
    Case(
        "a reduced law of given vectors",
        simulated(signal=np.eye(2, 20), sampler="reduced"),
        "not with a signal of your own",
    ),
    *(
        Case(f"{call.__name__} of alpha {bad!r}", asks(call, TASK, bad), "alpha must (be|hold|not)")
        for call, bad in wired(
            (ns.bayes_optimal, ns.state_evolution, ns.simulate_amp),
            (0.0, -1.0, np.nan, np.inf, "much", None, [], [1.0, 0.0], np.ma.masked, True),
        )
    ),
    Case("threshold of no alpha", asks(ns.bayes_threshold, TASK, 0.0, 0.1), "alpha "),
    *(
        Case(f"{call.__name__} to {bad!r}", asks(call, TASK, more, bad), "error must")
        for (call, more), bad in wired(
            ((ns.bayes_threshold, 1.0), (ns.training_threshold, TRAINING)),
            (0.0, 1e-8, 0.5, 1.0, -0.1, np.nan, "low", None, [], [0.1, 0.7], True),
        )
    ),
    Case("trained with nothing", asks(ns.training_threshold, TASK, None, 0.1), NOT_A_TRAINING),
    Case("trained without D0", asks(ns.training_threshold, TASK, READOUT, 0.1), NEEDS_D0),
    Case(
        "trained on all, without D0",
        asks(ns.training_threshold, TASK, READOUT, 0.1, "pooled", data="all"),
        "alpha0 must be given",
    ),
    Case(
        "trained flat with a query",
        asks(ns.training_threshold, TASK, TRAINING, 0.1, "vectorized", query=QUERY),
        IDLE_QUERY,
    ),
    Case(
        "trained as nothing",
        asks(ns.training_threshold, TASK, TRAINING, 0.1, "mamba"),
        "model must be one of",
    ),
    Case(
        "targets that do not broadcast",
        asks(ns.training_threshold, TASK.replace(pi=[0.4, 0.5]), TRAINING, [0.1, 0.2, 0.3]),
        "broadcast",
    ),
    *(
        Case(f"{call.__name__} of no task", asks(call, 3, *more), NOT_A_TASK)
        for call, *more in (
            (ns.bayes_optimal, 1.0),
            (ns.bayes_threshold, 1.0, 0.1),
            (ns.state_evolution, 1.0),
            (ns.phase_boundaries,),
            (ns.simulate_amp, 1.0),
            (ns.training_threshold, TRAINING, 0.1),
        )
    ),
    Case(
        "limits that do not broadcast",
        asks(ns.bayes_optimal, ns.Task(10, 1, [1.0, 2.0], 0.5), [1.0, 2.0, 3.0]),
        "do not broadcast|broadcast",
    ),
    Case(
        "paths that do not broadcast",
        asks(ns.state_evolution, ns.Task(10, 1, [1.0, 2.0], 0.5), [1.0, 2.0, 3.0]),
        "task and alpha must broadcast against each other",
    ),
    *(
        Case(
            f"path of {bad!r} iterations",
            asks(ns.state_evolution, TASK, 1.0, bad),
            "iterations must be",
        )
        for bad in (0, -1, 2.5, 10_001, True, None, [3, 4], "ten")
    ),
    Case("path of tolerance 0", asks(ns.state_evolution, TASK, 1.0, tol=0.0), ONE_TOL),
    Case("path on_error", asks(ns.state_evolution, TASK, 1.0, on_error="no"), "on_error must be"),
    Case("limit of tolerance 0", asks(ns.bayes_optimal, TASK, 1.0, tol=0.0), ONE_TOL),
    Case("boundaries of tolerance 2", asks(ns.phase_boundaries, TASK, tol=2.0), ONE_TOL),
    Case("limit on_error", asks(ns.bayes_optimal, TASK, 1.0, on_error="no"), "on_error must be"),
    Case("limit in no dimension", asks(ns.simulate_amp, TASK, 1.0, 0), "d must be an integer in 1"),
    Case(
        "limit with more tokens than memory",
        asks(ns.simulate_amp, TASK.replace(L=[10, 10**5]), 10.0, 10_000),
        r"5\d+ samples of 100000 tokens need about .* GiB, above memory=1073741824 .* or pass mem",
    ),
    Case(
        "limit in no iteration",
        asks(ns.simulate_amp, TASK, 1.0, iterations=0),
        "iterations must be",
    ),
    Case("limit by magic", asks(ns.simulate_amp, TASK, 1.0, method="magic"), "method must be one"),
    Case(
        "limit of a guess",
        asks(ns.simulate_amp, TASK, 1.0, assumed_theta="guess"),
        "assumed_theta must be one",
    ),
    Case(
        "limit of two",
        asks(ns.simulate_amp, TASK, 1.0, assumed_theta=[1, 2]),
        "assumed_theta must be one",
    ),
    Case(
        "limit below nothing",
        asks(ns.simulate_amp, TASK, 1.0, assumed_theta=-1),
        "assumed_theta must be",
    ),
    *(
        Case(f"limit of {bad!r} tokens", asks(ns.simulate_amp, TASK, 1.0, assumed_R=bad), "assum")
        for bad in (0, 11, 1.5, "two", True, [1, 2])
    ),
    Case(
        "limit of places and a number",
        asks(ns.simulate_amp, TASK.replace(positions=ns.Positions([(0,)])), 1.0, assumed_R=1),
        "assumed_R must be left out with given positions",
    ),
    Case("limit of no trial", asks(ns.simulate_amp, TASK, 1.0, trials=0), "trials must be"),
    *(
        Case(f"{call.__name__} without a task", asks(call, None, *more), NOT_A_TASK)
        for call, *more in (
            *((ns.predict, TRAINING), (ns.align, TRAINING), (ns.focus, TRAINING)),
            *((ns.asymptote,), (ns.capacity,), (ns.crossover, 1.0), (ns.oracle,)),
            *((ns.oracle_threshold, "pooled", 0.1), (ns.simulate, TRAINING)),
            *((ns.simulate_alignment, TRAINING), (ns.simulate_focus, TRAINING)),
            *((ns.simulate_separability, TRAINING), (ns.simulate_oracle,)),
        )
    ),
    *(
        Case(f"{call.__name__} with training={given!r}", asks(call, TASK, given), NOT_A_TRAINING)
        for call, given in wired(
            (ns.predict, ns.align, ns.focus, ns.simulate, ns.simulate_alignment),
            (None, {}, "logistic", TASK),
        )
    ),
    *(
        Case(
            f"{call.__name__} of joint training",
            asks(call, TASK, JOINT),
            r"trained on D0, and joint training, with ridge_q=0\.01, has no D0; predict and sim",
        )
        for call in (ns.align, ns.focus, ns.sensitivity, ns.simulate_alignment, ns.simulate_focus)
    ),
    *(
        Case(f"predict of joint training with {more}", asks(ns.predict, TASK, JOINT, **more), says)
        for more, says in (
            ({"model": "hard"}, r"joint training trains a softmax end to end, got model='hard'"),
            ({"query": QUERY}, "joint training would train the query that is given as Query"),
            ({"test_task": NOISY}, "test_task must have the noise and signal of the task, whose"),
            ({"test_task": 12}, "test_task must be a needlescope.Task"),
            ({"d": 100}, r"d must be left out with joint training, got 100: its equations answer"),
            ({"minimum": "least"}, r"minimum must be one of 'field', 'lowest', got 'least'"),
            ({"start": "far"}, r"start must be one of 'informed', 'uninformed', got 'far'"),
            ({"tol": 2.0}, r"tol must be a number in \(0, 1\]"),
        )
    ),
    *(
        Case(f"predict of joint training on {name}", asks(ns.predict, task, JOINT), says)
        for name, task, says in (
            ("a single token", TASK.replace(L=1), "joint training needs L of at least 2, got 1"),
            (
                "long samples",
                TASK.replace(L=1001),
                "is solved for L up to 1,000, got 1,001: its equ",
            ),
            ("several signals", SEVERAL, "joint training supports only tasks with one signal"),
            ("a spectrum", NOISY, "joint training supports only tasks with white noise, got no"),
            ("two noises", TWO_NOISES, f"joint training {ONE_NOISE}"),
            (
                "correlated tokens",
                TASK.replace(noise=ns.Noise(token_correlation=0.5)),
                "joint training supports only noise that is independent from token to token",
            ),
        )
    ),
    Case(
        "the lowest minimum without joint training",
        asks(ns.predict, TASK, TRAINING, minimum="lowest"),
        "minimum is about joint training of attention, got 'lowest' with a training without a rid",
    ),
    Case(
        "the uninformed solution without joint training",
        asks(ns.predict, TASK, TRAINING, start="uninformed"),
        "start is about joint training of attention, got 'uninformed' with a training without a r",
    ),
    Case(
        "the lowest minimum of pooling",
        asks(ns.predict, TASK, JOINT, "pooled", minimum="lowest"),
        "minimum is about joint training of attention, got 'lowest' with model='pooled'",
    ),
    *(
        Case(f"{call.__name__} without alpha0", asks(call, TASK, READOUT), NEEDS_D0)
        for call in (ns.predict, ns.align, ns.focus, ns.simulate, ns.simulate_focus)
    ),
    *(
        Case(
            f"{call.__name__} of linear attention at infinite kappa",
            asks(call, *given, "linear", query=ns.Query([1.0, np.inf], 0.5)),
            "kappa must be finite with model='linear', whose weights grow with it, got array",
        )
        for call, *given in (
            *((ns.predict, TASK, TRAINING), (ns.simulate, TASK, TRAINING)),
            *((ns.focus, TASK, TRAINING), (ns.simulate_focus, TASK, TRAINING)),
            *((ns.capacity, TASK), (ns.asymptote, TASK)),
        )
    ),
    *(
        Case(
            f"{call.__name__} of linear attention by two steps on its query",
            asks(call, TASK, TRAINING.replace(query_steps=2), "linear"),
            "query_steps must be 1 with model='linear', got 2: its first step is that of softmax",
        )
        for call in (ns.simulate, ns.simulate_focus)
    ),
    *(
        Case(
            f"{call.__name__} of model={model!r}",
            asks(call, TASK, TRAINING, model),
            "model must be one of 'attention', 'hard', 'linear', got",
        )
        for call, model in wired(
            (ns.focus, ns.simulate_focus), ("pooled", "vectorized", "bayes", "", None, 300)
        )
    ),
    *(
        Case(
            f"{call.__name__} of {model} without alpha0", asks(call, TASK, READOUT, model), NEEDS_D0
        )
        for call, model in wired((ns.focus, ns.simulate_focus), ("hard", "linear"))
    ),
    *(
        Case(
            f"{call.__name__} of {model} by a pair",
            asks(call, *given, model, query=(1.0, 0.5)),
            NOT_A_QUERY,
        )
        for (call, *given), model in wired(
            ((ns.focus, TASK, TRAINING), (ns.simulate_focus, TASK, TRAINING), (ns.capacity, TASK)),
            ("hard", "linear"),
        )
    ),
    *(
        Case(
            f"{model} capacity without a query",
            asks(ns.capacity, TASK, model),
            "depends on its query",
        )
        for model in ("hard", "linear")
    ),
    *(
        Case(f"{call.__name__} of {model}, {name}", asks(call, *given, **bad), says)
        for model in ("hard", "linear")
        for call, *given in ((ns.oracle, TASK, model), (ns.oracle_threshold, TASK, model, 0.1))
        for name, bad, says in (
            ("tolerance 0", {"tol": 0.0}, ONE_TOL),
            ("tolerance NaN", {"tol": np.nan}, "tol must"),
            ("on_error", {"on_error": "no"}, "on_error must be one of"),
        )
    ),
    *(
        Case(f"drawn {model}, {name}", asks(ns.simulate_oracle, TASK, model, **bad), says)
        for model in ("hard", "linear")
        for name, bad, says in (
            ("99 samples", {"samples": 99}, "samples must be an integer in 100"),
            ("too many samples", {"samples": 10**9}, "samples times L must be at most"),
            ("no trial", {"trials": 0}, "trials must be an integer in 1"),
        )
    ),
    Case(
        "drawn vectorized",
        asks(ns.simulate_oracle, TASK, "vectorized"),
        "model must be one of 'attention', 'pooled', 'hard', 'linear', 'bayes', got 'vectorized'",
    ),
    *(
        Case(
            f"{model} attention end to end",
            asks(ns.simulate, TASK, TRAINING, model, starts=2),
            f"starts=2 trains a softmax end to end, got model='{model}'; use model='attention'",
        )
        for model in ("hard", "linear")
    ),
    *(
        Case(
            f"{call.__name__} of {model} with a query",
            asks(call, *given, model, query=QUERY),
            IDLE_QUERY,
        )
        for (call, *given), model in wired(
            (
                *((ns.predict, TASK, TRAINING), (ns.asymptote, TASK), (ns.capacity, TASK)),
                *((ns.simulate, TASK, TRAINING), (ns.simulate_separability, TASK, TRAINING)),
            ),
            ("pooled", "vectorized"),
        )
    ),
    *(
        Case(
            f"{call.__name__} of model={model!r}", asks(call, *given, model), "model must be one of"
        )
        for (call, *given), model in wired(
            (
                *((ns.predict, TASK, TRAINING), (ns.asymptote, TASK), (ns.capacity, TASK)),
                *((ns.oracle, TASK), (ns.simulate, TASK, TRAINING), (ns.simulate_oracle, TASK)),
            ),
            ("transformer", "", None, 3, ["pooled"]),
        )
    ),
    *(
        Case(
            f"{call.__name__} to tolerance {bad!r}",
            asks(call, *given, tol=bad),
            "tol must",
        )
        for (call, *given), bad in wired(
            SOLVED, (0.0, -1.0, 2.0, float("nan"), None, "high", [1e-3, 1e-4], np.ma.masked)
        )
    ),
    *(
        Case(
            f"{call.__name__} on_error={bad!r}",
            asks(call, *given, on_error=bad),
            "on_error must be one of",
        )
        for (call, *given), bad in wired(SOLVED, ("ignore", None, True))
    ),
    *(
        Case(
            f"{call.__name__} of linear attention by a schedule",
            asks(call, TASK, TRAINING.replace(schedule=ns.Schedule.even(2)), *more, "linear"),
            "schedule must be left out with model='linear'",
        )
        for call, *more in (
            *((ns.predict,), (ns.simulate,), (ns.training_threshold, 0.1)),
            *((ns.focus,), (ns.simulate_focus,)),
        )
    ),
    *(
        Case(
            f"{call.__name__} by batches of less than a sample",
            asks(call, TASK, THIN, *more, d=20),
            r"schedule.shares must give every step a sample: the smallest, 0.01 of alpha0 \* d = "
            "80 samples, is 0.8; raise d=20 or alpha0, or take fewer steps",
        )
        for call, *more in (
            (ns.simulate,),
            (ns.simulate_alignment,),
            (ns.simulate_focus,),
        )
    ),
    Case("query a pair", asks(ns.predict, TASK, TRAINING, query=(1.0, 0.5)), NOT_A_QUERY),
    Case("query missing", asks(ns.capacity, TASK), "depends on its query: pass query=Query"),
    Case(
        "all data without D0",
        asks(ns.predict, TASK, READOUT, "pooled", data="all"),
        "alpha0 must be",
    ),
    Case("data unknown", asks(ns.predict, TASK, TRAINING, data="D2"), "data must be one of 'D1'"),
    Case(
        "test task a word", asks(ns.predict, TASK, TRAINING, test_task="long"), "test_task must be"
    ),
    Case(
        "flat on another L",
        asks(ns.predict, TASK, TRAINING, "vectorized", test_task=TASK.replace(L=20)),
        "cannot be tested at L=20",
    ),
    Case("kappa negative", asks(ns.crossover, TASK, -1.0), "kappa must be a finite number"),
    Case("kappa masked", asks(ns.crossover, TASK, np.ma.masked), "kappa must not be masked"),
    *(
        Case(
            f"{model} to {error:g}",
            asks(ns.oracle_threshold, TASK, model, error),
            f"error must be at least 2e-08 for model='{model}', .* got {error:g}",
        )
        for model, error in wired(
            ("attention", "vectorized", "hard", "linear", "bayes"), (1e-8, 1e-100, 1e-300, 5e-324)
        )
    ),
    Case("pooled to 9e-291", asks(ns.oracle_threshold, TASK, "pooled", 9e-291), "at least 1e-290"),
    Case(
        "error zero",
        asks(ns.oracle_threshold, TASK, "pooled", 0.0),
        r"error must be a number in \(0, 1\)",
    ),
    Case("error a half", asks(ns.oracle_threshold, TASK, "pooled", 0.5), "error must be below min"),
    *(
        Case(
            f"{model} to what needs no signal",
            asks(ns.oracle_threshold, TASK, model, 0.5 - 1e-10),
            "which needs no signal, by 2e-08 at least, got 0.4999999999",
        )
        for model in ("attention", "pooled", "vectorized", "hard", "linear", "bayes")
    ),
    Case(
        "bayes to 1e-5",
        asks(ns.oracle_threshold, TASK, "bayes", 1e-5),
        "too large to find where it is 1e-05; take a larger error",
        ns.NotConverged,
    ),
    Case(
        "signal complex",
        asks(ns.simulate, TASK, TRAINING, d=2, signal=np.ones(2) * (1 + 1j)),
        "signal must be a vector of d=2 finite numbers",
    ),
    Case("d zero", asks(ns.simulate, TASK, TRAINING, d=0), "d must be an integer in 1"),
    Case("d a half", asks(ns.simulate, TASK, TRAINING, d=1.5), "d must be a single integer"),
    Case(
        "trials zero", asks(ns.simulate, TASK, TRAINING, trials=0), "trials must be an integer in 1"
    ),
    Case(
        "signal masked",
        asks(ns.simulate, TASK, TRAINING, d=2, signal=np.ma.array([1.0, 2.0])),
        "signal must not be masked",
    ),
    Case(
        "reuse without D0",
        asks(ns.simulate, TASK, READOUT, query=QUERY, reuse="all"),
        "alpha0 must",
    ),
    Case(
        "shapes",
        asks(ns.predict, TASK.replace(theta=[1.0, 2.0]), TRAINING.replace(alpha1=[1.0, 2.0, 3.0])),
        "must broadcast",
    ),
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("cases", by_sentence(CASES))
def test_refused(cases):
    check_all(cases)
