# Two commands do all the set-up: `make run` and `make test`. Both need Python 3.11+ with venv, make and git.
# Distributions compile Python with optimisations that most version managers leave out: the same work takes a sixth less
# CPU time. So theirs comes first, where it is new enough; `make PYTHON=...` takes another one.
ifndef PYTHON
PYTHON := $(shell /usr/bin/python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo /usr/bin/python3 || echo python3)
endif
VENV := .venv
BIN := $(VENV)/bin
# Processes that run tests side by side: three for two cores, as a test in a browser often waits.
TEST_WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) \* 3 / 2)

# The scripts are checked with Node.js 18 or newer. Without it that is left out, saying so; with CI=true it fails instead.
NODE := $(shell command -v node 2>/dev/null)
NO_NODE = echo "There is no Node.js here: the scripts in static/scripts/ are not $(1)."; [ "$$CI" != true ]

.PHONY: help install install-dev env run test test-scripts lint lint-scripts lock sbom screenshots docs

# The first target is the one that a bare `make` runs.
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

install: $(VENV)/.installed ## make .venv with what the program needs, in the locked versions
install-dev: $(VENV)/.installed-dev ## and with what tests and checks need

# A stamp is younger than its lock file exactly when the environment holds what that says. Python compiles the modules
# that are used when they are; to compile all of them here takes a fifth of a newcomer's first minute.
PIP_INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes
$(VENV)/.installed: requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) -r requirements.lock
	touch $@

$(VENV)/.installed-dev: requirements-dev.lock $(VENV)/.installed
	$(PIP_INSTALL) -r requirements-dev.lock
	touch $@

env: ## ask three questions and write .env, for docker compose
	@cd config && $(PYTHON) -m reading.make_env  # without the packages of .venv, which config itself needs

# Each process would otherwise compile the project anew, which takes as long as all else of a second start.
run: export PYTHONDONTWRITEBYTECODE =
run: install ## start web server and worker on this machine
	$(BIN)/python manage.py prepare --start

# Those of the scripts first, so that the last line is pytest's summary; the others run even if they fail.
# The many processes that tests start would otherwise each compile the project anew.
test: export PYTHONDONTWRITEBYTECODE =
test: install-dev ## run the tests, on all cores; CI=true runs the thorough ones too
	@$(MAKE) --no-print-directory test-scripts; scripts=$$?; \
	$(BIN)/python -m pytest --numprocesses $(TEST_WORKERS) --dist loadscope --no-loadscope-reorder --durations 20 && exit $$scripts

test-scripts: ## run the tests of the scripts alone
ifdef NODE
	node --test tests/scripts/test_*.mjs
else
	@$(call NO_NODE,tested)
endif

lint: install-dev lint-scripts ## check style, types, templates and migrations
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	$(BIN)/djlint --quiet --lint templates
	$(BIN)/python manage.py makemigrations --check --dry-run

lint-scripts: ## check style and types of the scripts
ifdef NODE
lint-scripts: node_modules/.installed
	node_modules/.bin/biome lint --error-on-warnings
	node_modules/.bin/tsc --project .

# Only the checks need what npm installs: nothing of it runs in a browser or on the server.
node_modules/.installed: package-lock.json
	npm ci --no-progress
	touch $@
else
	@$(call NO_NODE,checked)
endif

sbom: install-dev ## write the packages of the lock file into sbom.cdx.json (CycloneDX)
	$(BIN)/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --mc-type application --output-reproducible --of JSON -o sbom.cdx.json

screenshots: install-dev ## take the pictures in docs/ anew
	$(BIN)/python -m docs.screenshots

# In an environment of its own: `make install` is none the heavier.
docs: .venv-docs/.installed ## build the site of the docs into site/, its links checked
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --strict --quiet
	.venv-docs/bin/python -m docs.loaded site

.venv-docs/.installed: docs/requirements.lock
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/pip install --quiet --disable-pip-version-check --require-hashes -r docs/requirements.lock
	touch $@

# The lock files hold hashes and no addresses, so that any mirror serves.
lock: install-dev ## resolve the dependencies anew; needs npm
	npm install --package-lock-only --no-progress
	$(BIN)/uv pip compile pyproject.toml --extra pictures --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements.lock
	$(BIN)/uv pip compile pyproject.toml --extra pictures --group dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-dev.lock
	$(BIN)/uv pip compile docs/requirements.in --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file docs/requirements.lock
