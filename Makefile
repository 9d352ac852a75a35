# Everything a newcomer types. Nothing needs to be installed by hand but Python 3.11 or newer and make.
#
#   make demo           a real study on two cores, with sharing; make demo ARGS=--fused walks many trials as one, and
#                       make demo ARGS=--surrogate tunes a narrower net, and trains the net itself with the best of it
#   make demo-compare   the same study with and without sharing
#   make test           every test; make test-fast the quick ones
#   make test-properties    those with examples that are drawn, with others than the last time
#   make docs           the documentation as a site, into the folder site
#   make check          what CI runs: lint, types, contracts, tests
#   make dist           wheel and source distribution, tried in empty environments
#   make changelog VERSION=0.2.0    move the fragments of changes into CHANGELOG.md
#   make evaluation     measure again what the pages cite, half an hour on two quiet cores

PYTHON ?= python3
# Where pip finds torch, e.g. PyTorch's public index of CPU wheels: https://download.pytorch.org/whl/cpu
TORCH_INDEX ?=
# Test processes at a time.
TEST_WORKERS ?= 2
# What did not come in time on a busy machine is asked for once more, and told; what came and was wrong never is.
TEST_AGAIN := --reruns 1 --only-rerun TimeoutError --only-rerun TimeoutExpired

TORCH_VERSION := 2.13.0
BIN := .venv/bin
# Paths are relative, and scripts run as modules: so a folder with spaces in its name is no trouble.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: help demo demo-compare docs test test-fast test-properties lint format types contracts check benchmarks evaluation \
  evaluation-ray stale dist changelog clean

help:
	@sed -n 's/^#   //p' Makefile

# torch first and by itself: its index may be another one, and everything else must not come from there.
.venv/stamp: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "hippo needs Python 3.11 or newer; name one: make PYTHON=python3.12" >&2; exit 1; }
	@echo "setting up .venv (a few minutes at most, mostly torch) ..."
	$(PYTHON) -m venv .venv
	$(PIP) --no-compile torch==$(TORCH_VERSION) $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX))
	$(PIP) --no-compile --constraint constraints.txt --editable ".[dev]"
	@# on all cores, which pip would not. Where Python may write no bytecode, each process would compile anew what it
	@# imports; these parts hardly any does
	@$(BIN)/python -m compileall -qq -j 0 -x '/(tests?|transformers/models|databricks|rllib|pip|mypy|debugpy)/' .venv/lib || true
	@$(BIN)/python -m compileall -q src/hippo
	@touch .venv/stamp

demo: .venv/stamp
	@$(BIN)/python examples/$(if $(findstring --surrogate,$(ARGS)),surrogate,digits).py $(filter-out --surrogate,$(ARGS))

demo-compare: .venv/stamp
	@$(BIN)/python examples/digits.py --compare

docs: .venv/stamp
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "open site/index.html"

test: .venv/stamp
	$(BIN)/python -m pytest -n $(TEST_WORKERS) --dist worksteal $(TEST_AGAIN)

test-fast: .venv/stamp
	$(BIN)/python -m pytest -n $(TEST_WORKERS) --dist worksteal -m "not slow"

test-properties: .venv/stamp
	HIPPO_TEST_NEW_EXAMPLES=1 $(BIN)/python -m pytest -n $(TEST_WORKERS) --dist worksteal -m hypothesis

lint: .venv/stamp
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .

format: .venv/stamp
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

types: .venv/stamp
	$(BIN)/python -m mypy

contracts: .venv/stamp
	$(BIN)/lint-imports

check: lint types contracts test

# Half an hour on two quiet cores; writes benchmarks/results, and the figures of the pages that cite them.
evaluation: .venv/stamp
	$(BIN)/python benchmarks/evaluation.py

benchmarks: evaluation

# The comparison with Ray Tune by itself: an hour, and Ray.
evaluation-ray: .venv/stamp
	$(PIP) --constraint constraints.txt --editable ".[ray-tune]"
	$(BIN)/python benchmarks/evaluation.py --only ray_tune

# Which results were made by other code than is here. No failure, unless a result does not say what made it.
stale: .venv/stamp
	@$(BIN)/python benchmarks/provenance.py

# More than this Python, and torch: make dist DIST_ARGS="--torch --python python3.11 --python python3.12"
dist: .venv/stamp
	$(BIN)/python .ci/try_distribution.py $(if $(TORCH_INDEX),--torch-index $(TORCH_INDEX)) $(DIST_ARGS)

changelog: .venv/stamp
	$(BIN)/python .ci/changelog.py "$(VERSION)"

clean:
	rm -rf dist build .venv .demo site .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
