# `make help` lists the targets. The environment in .venv is created on first use, and again when pyproject.toml,
# constraints.txt or the GPU's driver change. Settings: PYTHON=python3.12 (the Python for the environment), EXTRA=cuda12
# (instead of the extra that fits this machine), SUITE=quick (what `make bench` runs).

PYTHON ?= python3
# Without a GPU everything is emulated, which is slow for a large suite.
SUITE ?= $(if $(filter compile,$(shell cat .venv.extra)),quick,gtc2013)
# The oldest one supported: newer ones can install the same versions.
CONSTRAINTS_PYTHON ?= python3.11

BIN := .venv/bin
# Tests start hundreds of processes that import the same modules: write byte code, so that they load faster, and let
# NumPy start no threads, which take 0.15 of the 0.25 s of its import on four cores.
PYTEST := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -q -n auto
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help bench test test-quick test-archs test-complete lint types imports tests docs plots site test-browser test-cuda12 constraints wheel wheelhouse release-check clean always

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

bench: .venv/ready ## run the suite `gtc2013` and draw its charts; without a GPU, emulate `quick` and draw its reference run
	@sh tools/bench.sh $(BIN)/shflbench $(SUITE)

test: .venv/ready ## lint, types, import contract and tests, as in continuous integration
	@$(MAKE) -j2 lint types imports tests

test-quick: .venv/ready ## at most a minute: style, and the tests that files changed since BASE (the main branch) can affect
	@$(BIN)/ruff check
	@$(BIN)/python -m tools.quick $(BASE)

lint: .venv/ready ## style, format, spelling, size, and the files for GitHub
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@git ls-files -z | xargs -0 $(BIN)/codespell --dictionary - --dictionary tools/language/spelling.txt
	@git ls-files -z | $(BIN)/python -m tools.tracked_size
	@$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml
	@$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	@$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	@$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml

types: .venv/ready ## mypy, strict
	@$(BIN)/mypy

imports: .venv/ready ## the one-way flow of data
	@$(BIN)/lint-imports

# File by file, slow ones (`expensive`) first, whatever their number of tests.
tests: .venv/ready ## pytest
	@$(PYTEST) --dist loadfile --no-loadscope-reorder

test-archs: .venv/ready ## tests that take minutes: every kernel, in turn on six architectures, every check, ten thousand broken suites, rarer faults
	@$(PYTEST) -m "archs and not complete" --dist loadgroup --no-loadscope-reorder

test-complete: .venv/ready ## tests that take hours: what `make test-archs` takes a sample of
	@$(PYTEST) -m complete --dist loadgroup --no-loadscope-reorder

docs: .venv/ready ## write docs/reference from the code
	@$(BIN)/python -m tools.docs.generate

plots: .venv/ready ## redraw the charts of the runs under results/ that suites declare or pages show, and update the figures of README and docs
	@$(BIN)/python -m tools.docs.charts
	@$(BIN)/python -m tools.docs.figures
	@$(BIN)/python -m tools.docs.page_factors
	@$(BIN)/python -m tools.docs.readme
	@$(BIN)/python -m tools.docs.claims_page
	@$(BIN)/python -m tools.docs.contradictions_page
	@$(BIN)/python -m tools.docs.exchanges_page
	@$(BIN)/python -m tools.docs.runs_page
	@$(BIN)/python -m tools.docs.answers.pages
	@$(BIN)/python -m tools.docs.first_page

site: .venv/docs-ready ## build the documentation as HTML in build/site; warnings are errors
	@$(BIN)/sphinx-build -q -b html --nitpicky --fail-on-warning --keep-going -d build/doctrees docs build/site
	@echo build/site/index.html

test-browser: .venv/browser-ready ## open reports and the documentation in Chromium, with axe
	@$(PYTEST) --dist loadfile -m browser tests/browser

test-cuda12: .venv-cuda12/ready ## compile every kernel with NVRTC 12 for sm_70 to sm_90, in a separate environment
	@.venv-cuda12/bin/pytest -q -m cuda12 tests/cuda/compile

constraints: ## update the versions in constraints.txt
	@$(CONSTRAINTS_PYTHON) tools/constraints.py

wheel: .venv/ready ## build the wheel in dist/
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@ls dist/*.whl

wheelhouse: .venv/ready ## download what an offline machine needs to dist/wheelhouse/
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --constraint constraints.txt \
		--wheel-dir dist/wheelhouse ".[$$(cat .venv.extra)]"
	@ls dist/wheelhouse

release-check: .venv/ready ## build wheel and source archive in dist/, and try them as users install them
	@$(BIN)/python -m tools.release

clean: ## remove the environments and every cache
	rm -rf .venv .venv.extra .venv-cuda12 build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The extra that fits this machine; the file changes only when the choice changes.
.venv.extra: always
	@$(PYTHON) tools/check_python.py
	@$(if $(EXTRA),echo $(EXTRA) | cmp -s - $@ || echo $(EXTRA) >$@,$(PYTHON) -m tools.choose_extra $@)

.venv/ready: pyproject.toml constraints.txt .venv.extra
	@sh tools/setup.sh $(PYTHON) .venv "$$(cat .venv.extra)"

# Sphinx, which only `make site` and `make test-browser` need.
.venv/docs-ready: .venv/ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		--editable ".[$$(cat .venv.extra),docs]"
	@touch $@

# What drives Chromium, which only `make test-browser` needs.
.venv/browser-ready: .venv/docs-ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		--editable ".[$$(cat .venv.extra),browser]"
	@touch $@

.venv-cuda12/ready: pyproject.toml constraints.txt
	@$(PYTHON) tools/check_python.py
	@sh tools/setup.sh $(PYTHON) .venv-cuda12 cuda12
