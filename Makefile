# Two commands do all the set-up: `make run` and `make test`. Both need Python 3.11+ with venv, make and git.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: install run test lint lock screenshots clean

install: $(VENV)/.installed

# The stamp is younger than the lock files exactly when the environment holds what they say.
$(VENV)/.installed: requirements-dev.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $@

run: install
	$(BIN)/python manage.py prepare
	$(BIN)/python manage.py up

test: install
	$(BIN)/python -m pytest

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	$(BIN)/djlint --quiet --lint templates
	$(BIN)/python manage.py makemigrations --check --dry-run

screenshots: install
	$(BIN)/python -m docs.screenshots

# Needs uv. The lock files hold hashes and no addresses, so that any mirror serves.
lock:
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements.lock
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-dev.lock
