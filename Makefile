# Every command builds its own environment in .venv: nothing is needed but make and Python.

PYTHON ?= python3
N ?= 3000
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help test test-slow test-kernels test-oldest mutants layers bench bench-bags agreement plan-check pilot-check fuzz lint format wheel reproduce reproduce-deep test-deep test-browser picture clean

help: ## list the commands
	@echo "usage: make <command>"
	@echo
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | \
		while IFS='|' read -r name text; do printf '  %-14s %s\n' "$$name" "$$text"; done
	@echo
	@echo "PYTHON=python3.12 picks the interpreter, N=500 the number of fuzz problems,"
	@echo "ARGS='-k losses' goes to pytest."

# Made from scratch when missing and whenever pyproject.toml changes. The pip that Python 3.11 to 3.13
# bring along may be older than dependency groups, so each environment gets a newer one first.
PIP := -m pip --quiet --disable-pip-version-check
NEWER := 'pip>=25.1'
EXTRAS := -e '.[dask,h5,parquet,live,notebook]'

$(READY): pyproject.toml
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python $(PIP) install --upgrade $(NEWER)
	$(BIN)/python $(PIP) install --group dev $(EXTRAS)
	@touch $@

# Two test processes, each with one BLAS thread; figures are drawn without a display. A file stays
# with one process, for what its tests share; the doctests, small files all, come last and even out
# the two.
test test-slow test-oldest test-deep agreement: export OPENBLAS_NUM_THREADS = 1
test test-slow test-oldest test-deep agreement: export OMP_NUM_THREADS = 1
test test-slow test-oldest test-deep: export MPLBACKEND = Agg
# Hundreds of processes are started: where bytecode is not written each compiles the package anew.
test test-slow test-oldest test-deep: export PYTHONDONTWRITEBYTECODE =
TWO := -n 2 --dist loadfile --no-loadscope-reorder

# Style is judged first, which takes a second. Types and the import contract go beside the tests, so
# that no core is idle; what they say comes last, and fails the command as a test does.
STYLE = $(BIN)/ruff check . && $(BIN)/ruff format --check .
TYPES = $(BIN)/mypy && $(BIN)/lint-imports --no-cache

test: $(READY) ## lint, and all but the slow tests and doctests
	$(STYLE)
	@($(TYPES)) > $(VENV)/types.log 2>&1 & types=$$!; \
	$(BIN)/python -m pytest $(TWO) $(ARGS); tested=$$?; \
	wait $$types; typed=$$?; cat $(VENV)/types.log; \
	exit $$((tested || typed))

test-slow: $(READY) ## only the tests marked slow
	$(BIN)/python -m pytest $(TWO) -m slow $(ARGS)

test-kernels: $(READY) ## the numeric tests on several BLAS kernels and numbers of threads
	$(BIN)/python -m tools.kernels $(ARGS)

mutants: $(READY) ## make mistakes in a copy of the source, and see that the tests notice each
	$(BIN)/python -m tools.mutants $(ARGS)

layers: $(READY) ## show the packages, their imports, and the files that six calls pass through
	$(BIN)/python -m tools.layers $(ARGS)

# Fuller attention has an environment of its own: torch is large, and made once. It comes first, and
# from where pip is told to look: TORCH="torch==2.13.0 --index-url ..." takes a build for CPUs only.
TORCH ?= torch==2.13.0
DEEP := .venv-deep

$(DEEP)/.torch:
	$(PYTHON) -m venv --clear $(DEEP)
	@echo '*' > $(DEEP)/.gitignore
	$(DEEP)/bin/python $(PIP) install --upgrade $(NEWER)
	$(DEEP)/bin/python $(PIP) install $(TORCH)
	@touch $@

$(DEEP)/.installed: pyproject.toml $(DEEP)/.torch
	$(DEEP)/bin/python $(PIP) install --group test -e '.[deep,dask]'
	@touch $@

test-deep: $(DEEP)/.installed ## the tests of fuller attention, which need torch
	$(DEEP)/bin/python -m pytest $(TWO) tests/deep src/needlescope/deep $(ARGS)

reproduce-deep: $(DEEP)/.installed ## draw the figures of fuller attention into figures/deep/; ARGS=--full for full sizes
	$(DEEP)/bin/needlescope reproduce --deep --folder figures/deep $(ARGS)

# The explorer in a real browser, Debian's Chromium. Screenshots are kept beside the environment.
BROWSER := .browser
CHROMIUM ?= /usr/bin/chromium
AXE := axe-core@4.14.1

$(BROWSER)/.installed: pyproject.toml
	$(PYTHON) -m venv --clear $(BROWSER)/venv
	@echo '*' > $(BROWSER)/.gitignore
	$(BROWSER)/venv/bin/python $(PIP) install --upgrade $(NEWER)
	$(BROWSER)/venv/bin/python $(PIP) install --group test -e '.[live,notebook]' 'playwright>=1.55' 'jupyterlab>=4.4'
	npm install --silent --no-fund --no-audit --prefix $(BROWSER) $(AXE)
	@touch $@

test-browser: export OPENBLAS_NUM_THREADS = 1
test-browser: export CHROMIUM := $(CHROMIUM)

test-browser: ## the explorer in a browser: its controls, its speed, and whether all can use it
	@test -x $(CHROMIUM) || { echo "$(CHROMIUM) is missing: apt-get install chromium" >&2; exit 1; }
	@$(MAKE) --no-print-directory $(BROWSER)/.installed
	$(BROWSER)/venv/bin/python -m pytest tests/browser $(ARGS)

# The lowest versions that pyproject.toml allows, on the lowest Python.
OLDEST := .venv-oldest
LOWEST ?= python3.11

$(OLDEST)/.installed: pyproject.toml tools/oldest.py
	$(LOWEST) -m venv --clear $(OLDEST)
	@echo '*' > $(OLDEST)/.gitignore
	$(OLDEST)/bin/python $(PIP) install --upgrade $(NEWER)
	$(OLDEST)/bin/python tools/oldest.py > $(OLDEST)/oldest.txt
	$(OLDEST)/bin/python $(PIP) install --constraint $(OLDEST)/oldest.txt --group test $(EXTRAS)
	@touch $@

test-oldest: $(OLDEST)/.installed ## the tests of make test, with the oldest versions allowed
	$(OLDEST)/bin/python -m pytest $(TWO) $(ARGS)

bench: $(READY) ## time this package beside its alternatives
	$(BIN)/python -m benchmarks $(ARGS)

# The alternatives live in an environment of their own; torch is large, and made once.
BENCH := .venv-bench

$(BENCH)/.alternatives:
	$(PYTHON) -m venv --clear $(BENCH)
	@echo '*' > $(BENCH)/.gitignore
	$(BENCH)/bin/python $(PIP) install torch==2.13.0
	$(BENCH)/bin/python $(PIP) install torchmil milwrap
	@touch $@

$(BENCH)/.installed: pyproject.toml $(BENCH)/.alternatives
	$(BENCH)/bin/python $(PIP) install -e .
	@touch $@

bench-bags: export OPENBLAS_NUM_THREADS = 1
bench-bags: export OMP_NUM_THREADS = 1

bench-bags: $(BENCH)/.installed ## compare the classifiers of bags with others, on DIR=folder of .npz files
	$(BENCH)/bin/python -m benchmarks.bags $(DIR) $(ARGS)

agreement: $(READY) ## print how far theory and simulation are apart, in standard errors
	$(BIN)/python -m tests.agreement

plan-check: export OPENBLAS_NUM_THREADS = 1
plan-check: export OMP_NUM_THREADS = 1

plan-check: $(READY) ## ask random questions of the planner, simulate the plans, set grids against tuned settings; hours
	$(BIN)/python -m tools.plan_check $(ARGS)

pilot-check: export OPENBLAS_NUM_THREADS = 1
pilot-check: export OMP_NUM_THREADS = 1

pilot-check: $(READY) ## plan from pilots of the sets in DIR=folder of .npz files, and compare with the rest of each
	$(BIN)/python -m tools.pilot_check $(DIR) $(ARGS)

fuzz: $(READY) ## solve N random problems and check each answer, and N/10 of joint training
	$(BIN)/python -m fuzz --problems $(N)
	$(BIN)/python -m fuzz limits --problems $(N)
	$(BIN)/python -m fuzz joint --problems $$(( $(N) / 10 ))

lint: $(READY) ## style, format, types and the import contract
	$(STYLE)
	$(TYPES)

format: $(READY) ## format the code and repair what ruff can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

wheel: ## build the wheel into dist/ and try it in an environment of its own
	$(PYTHON) -m venv --clear .venv-wheel
	@echo '*' > .venv-wheel/.gitignore
	rm -rf dist
	.venv-wheel/bin/python $(PIP) wheel --no-deps --wheel-dir dist .
	.venv-wheel/bin/python $(PIP) install dist/*.whl
	.venv-wheel/bin/needlescope predict
	.venv-wheel/bin/python -c 'from needlescope.estimators import load_musk1; load_musk1()'

reproduce: $(READY) ## draw all figures, theory and simulation, into figures/; ARGS=--full for full sizes
	$(BIN)/needlescope reproduce $(ARGS)

picture: $(READY) ## draw the picture at the head of the README
	$(BIN)/python tools/picture.py

clean: ## remove the environments, caches and builds
	rm -rf $(VENV) $(BROWSER) .venv-bench $(DEEP) $(OLDEST) .venv-wheel .nox build dist .pytest_cache .ruff_cache .mypy_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
