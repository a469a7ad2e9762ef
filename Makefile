# Every target makes .venv when it is missing; nothing is needed but Python 3.11 and make.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
# Bytecode is kept: the tests start many processes, each of which would compile hundreds of modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo demo-service test test-peers test-minimum test-newest test-python suite-beside check types imports explore guarantees bench parity validity docs picture format clean

demo: .venv/base  ## the main job on real data
	$(BIN)/assay demo

demo-service: .venv/server  ## the service on real data, told late, against `assay stream`: the same, bit for bit
	$(BIN)/python examples/demo_service.py

# Each worker begins with a part of the tests in their order, and takes from the others when it is done: so two seldom
# compile the same loop at the same time, or set up the same module.
# One more than there are processors, since tests of servers wait for them.
WORKERS := $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 1)")
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

test: .venv/dev  ## all tests but the slow simulations
	$(PYTEST)

test-peers: .venv/peers  ## scikit-learn's own tests, with assay's classes in the place of its own; the tools around it
	$(PYTEST) -c pyproject.toml tests/peers/around tests/server/test_personalizer_sdk.py tests/server/test_described.py
	$(PYTEST) -c tests/peers/pytest.ini --pyargs $$(cat tests/peers/modules.txt)

# Other versions have environments of their own beside .venv, and compile their loops into them.
test-minimum: .venv-minimum/dev  ## all tests with the oldest release of every package that pyproject.toml allows
	@$(MAKE) --no-print-directory suite-beside BESIDE=.venv-minimum

test-newest: .venv-newest/dev  ## all tests with the newest releases; which are left out, and why, is said first
	@.venv-newest/bin/python -m tests.install.newest
	@$(MAKE) --no-print-directory suite-beside BESIDE=.venv-newest

VERSION ?= 3.13
test-python:  ## all tests on another Python: make test-python VERSION=3.12; skipped, with the reason, where there is none
	@python="$$($(PYTHON) -m tests.install.interpreter $(VERSION))" || exit 1; test -n "$$python" || exit 0; \
	$(MAKE) --no-print-directory .venv-$(VERSION)/dev PYTHON="$$python" && \
	$(MAKE) --no-print-directory suite-beside BESIDE=.venv-$(VERSION)

suite-beside:
	NUMBA_CACHE_DIR="$(CURDIR)/$(BESIDE)/loops" $(BESIDE)/bin/python -m pytest -n auto --dist worksteal

check: .venv/dev  ## format, lint, types, imports; the last two at the same time
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/ruff check --quiet --preview --select PLW1514 src  # text is read and written with an encoding, not the system's
	+$(MAKE) --no-print-directory --jobs=2 types imports

types: .venv/dev
	$(BIN)/mypy

imports: .venv/dev
	$(BIN)/lint-imports

explore: .venv/dev  ## all tests again, with examples nobody has tried yet
	ASSAY_EXPLORE=1 $(PYTEST)

guarantees: .venv/dev  ## the slow simulations: every bound is tried to be broken
	ASSAY_EXPLORE=1 $(PYTEST) -m guarantees

bench: .venv/bench  ## speed, as ratios against named peers in one run
	$(BIN)/python bench/run.py

parity: .venv/dev  ## accuracy beside scikit-learn's: 26 configurations on 14 real sets, some minutes
	$(BIN)/python bench/parity.py

validity: .venv/validity  ## whether intervals keep their 95 %, ours and those of named peers, on the same draws
	$(BIN)/python bench/validity.py --out docs/guide/validity_tables.txt

docs: .venv/dev  ## the documentation, warnings being errors; and where everything of the lecture notes lives
	$(BIN)/python docs/coverage.py
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

picture: .venv/base  ## the report as the README shows it; needs chromium
	$(BIN)/python docs/picture.py

format: .venv/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .venv-* docs/_build docs/gallery .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# What each environment holds; pip itself says nothing while it works.
base := learn,plots
server := server
dev := dev
bench := bench
validity := validity
peers := peers

.venv/bench .venv/validity: .venv/dev

.venv/peers: .venv/dev

.venv/base .venv/server .venv/dev .venv/bench .venv/validity .venv/peers: .venv/%: pyproject.toml
	@echo "Installing assay with [$($*)] into .venv: a minute or two the first time, longer on a slow network."
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$($*)]'
	@touch $@

.venv-minimum/constraints.txt: pyproject.toml tests/install/minima.py
	@mkdir -p $(@D)
	@$(PYTHON) -m tests.install.minima > $@

.venv-minimum/dev: .venv-minimum/constraints.txt
.venv-minimum/dev: TERMS = --constraint .venv-minimum/constraints.txt
.venv-newest/dev: TERMS = --upgrade --upgrade-strategy eager

.venv-%/dev: pyproject.toml
	@echo "Installing assay with [dev] into .venv-$*: a minute or two, longer on a slow network."
	@test -x .venv-$*/bin/python || $(PYTHON) -m venv .venv-$*
	@.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check $(TERMS) --editable '.[dev]'
	@touch $@
