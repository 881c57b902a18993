# Two commands do all the set-up: `make run` and `make test`. Both need Python 3.11+ with venv, make and git.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Processes that run tests side by side: as many as the machine has cores, or a number.
TEST_WORKERS ?= logical

.PHONY: help install run test lint lock screenshots

# The first target is the one that a bare `make` runs.
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

install: $(VENV)/.installed ## make .venv from the locked versions
# The stamp is younger than the lock files exactly when the environment holds what they say.
$(VENV)/.installed: requirements-dev.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $@

run: install ## start web server and worker on this machine
	$(BIN)/python manage.py prepare
	$(BIN)/python manage.py up

test: install ## run the tests, on all cores
	$(BIN)/python -m pytest --numprocesses $(TEST_WORKERS) --dist loadscope

lint: install ## check style, types, templates and migrations
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	$(BIN)/djlint --quiet --lint templates
	$(BIN)/python manage.py makemigrations --check --dry-run

screenshots: install ## take the pictures in docs/ anew
	$(BIN)/python -m docs.screenshots

# Needs uv. The lock files hold hashes and no addresses, so that any mirror serves.
lock: ## resolve the dependencies anew; needs uv
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements.lock
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-dev.lock
