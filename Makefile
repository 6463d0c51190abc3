# `make demo` and `make test` are all a new machine needs: Debian, Python 3.11 and make.
PYTHON ?= python3.11
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes

.PHONY: setup setup-dev demo test lint check format bench faults mutants shots lock clean

setup: $(VENV)/.runtime
setup-dev: $(VENV)/.dev

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.lock pyproject.toml | $(VENV)/bin/python
	$(PIP) -r requirements.lock
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	$(PIP) -r requirements-dev.lock
	touch $@

demo: setup
	$(PY) manage.py demo

test: setup-dev
	$(PY) -m pytest $(PYTEST_ARGS)

format: setup-dev
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

lint: setup-dev
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy

check: lint test

bench: setup-dev
	$(PY) -m bench

mutants: setup-dev
	nice $(PY) -m mutmut run
	$(PY) -m mutmut results

faults: setup-dev
	FAULTS=all $(PY) -m pytest tests/faults $(PYTEST_ARGS)
	GATE_RACES=1000 $(PY) -m pytest tests/dashboard/test_gates.py -k Races $(PYTEST_ARGS)

shots: setup-dev
	$(PY) -m tests.browser.shots

# Needs uv; the locks carry hashes and no addresses.
lock:
	uv pip compile --quiet --generate-hashes --no-header --no-emit-index-url --no-annotate \
		--python-version 3.11 pyproject.toml --extra build -o requirements.lock
	uv pip compile --quiet --generate-hashes --no-header --no-emit-index-url --no-annotate \
		--python-version 3.11 pyproject.toml --extra build --extra dev -c requirements.lock \
		-o requirements-dev.lock

clean:
	rm -rf $(VENV) build var .mypy_cache .ruff_cache .pytest_cache
