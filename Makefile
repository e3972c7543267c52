# `make help` lists the targets. Set-up happens by itself, once, and again when pyproject.toml, constraints.txt
# or the GPU's driver change. Settings: PYTHON=python3.12 (the Python to start from), EXTRA=cuda12 (instead of the
# extra that fits this machine), SUITE=quick (what `make bench` runs).

PYTHON ?= python3
# Without a GPU everything is emulated, which takes long for a large suite.
SUITE ?= $(if $(filter compile,$(shell cat .venv.extra)),quick,gtc2013)
# The oldest one supported: what it can install, newer ones can, too.
CONSTRAINTS_PYTHON ?= python3.11

BIN := .venv/bin
# Tests start hundreds of processes that import the same modules; compiled ones load faster, whatever the caller set.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -q -n auto
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help bench test test-archs lint types imports tests docs plots test-cuda12 constraints clean always

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

bench: .venv/ready ## run the GTC 2013 suite and draw its charts; without a GPU, emulate `quick` and draw its reference run
	@sh tools/bench.sh $(BIN)/shflbench $(SUITE)

test: .venv/ready ## lint, types, import contract and tests: what continuous integration runs
	@$(MAKE) -j2 lint types imports tests

lint: .venv/ready ## style and format
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

types: .venv/ready ## mypy, strict
	@$(BIN)/mypy

imports: .venv/ready ## the one-way flow of data
	@$(BIN)/lint-imports

# File by file, those that take long first (`expensive`), whatever their number of tests.
tests: .venv/ready ## pytest
	@$(PYTEST) --dist loadfile --no-loadscope-reorder

test-archs: .venv/ready ## what takes minutes: every kernel on six architectures, every check, ten thousand broken suites
	@$(PYTEST) -m archs --dist load --maxschedchunk 1

docs: .venv/ready ## write docs/reference from the code
	@$(BIN)/python -m tools.docs.generate

plots: .venv/ready ## redraw the charts of every run under results/
	@$(BIN)/shflbench plot results/

test-cuda12: .venv-cuda12/ready ## compile every kernel with NVRTC 12 for sm_70 to sm_90, in an environment of its own
	@.venv-cuda12/bin/pytest -q -m cuda12 tests/compile

constraints: ## choose the versions in constraints.txt anew
	@$(CONSTRAINTS_PYTHON) tools/constraints.py

clean: ## remove the environments and every cache
	rm -rf .venv .venv.extra .venv-cuda12 dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The extra that fits this machine; the file changes only when the choice does.
.venv.extra: always
	@$(PYTHON) tools/check_python.py
	@$(if $(EXTRA),echo $(EXTRA) | cmp -s - $@ || echo $(EXTRA) >$@,$(PYTHON) -m tools.choose_extra $@)

.venv/ready: pyproject.toml constraints.txt .venv.extra
	@sh tools/setup.sh $(PYTHON) .venv "$$(cat .venv.extra)"

.venv-cuda12/ready: pyproject.toml constraints.txt
	@$(PYTHON) tools/check_python.py
	@sh tools/setup.sh $(PYTHON) .venv-cuda12 cuda12
