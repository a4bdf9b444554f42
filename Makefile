# One word for everything that is done here; `make` alone is the inner loop.
PYTHON3 ?= python3
BIN := .venv/bin
SETUP := $(PYTHON3) tools/set_up.py
PYTEST := $(PYTHON3) tools/run_tests.py
WITH_QT := $(PYTHON3) tools/qt_libraries.py
UV := $(shell command -v uv || echo .cache/uv/bin/uv)
export UV_SYSTEM_CERTS ?= 1

.PHONY: all setup check fix run echo test test-full test-window bench bench-llama catalogue lock app check-app clean
.DEFAULT_GOAL := all

all: check  ## format check, lint, types and the fast tests
	$(PYTEST) -q tests/unit tests/model tests/gui

setup:  ## make .venv from the lock; nothing to do when it is there
	@$(SETUP)

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

fix: setup  ## format and auto-fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

run: setup  ## open the app
	$(WITH_QT) $(BIN)/python -m app

echo: setup  ## open the app with the engine that needs no model
	$(WITH_QT) $(BIN)/python -m app --echo

test: check  ## every test with a seeded tenth of the large counts, the real model's too: what CI runs
	$(PYTEST)

test-full: check  ## every test with every count
	$(PYTEST) --full

test-window: setup  ## drive the real window on a virtual screen
	$(PYTEST) --full tests/window

bench: setup  ## the performance tables
	@for file in tests/benchmarks/bench_*.py; do \
	  echo "== $$file"; PYTHONPATH=. $(WITH_QT) $(BIN)/python $$file || exit 1; done

bench-llama: setup  ## build llama.cpp in a scratch environment and measure it beside ours
	@PYTHONPATH=. $(BIN)/python tests/benchmarks/against_llama.py

catalogue: setup  ## compare the catalogue of models with the hub; needs a connection
	PYTHONPATH=. $(BIN)/python tools/check_catalogue.py

COMPILE := pip compile --quiet --universal --generate-hashes --no-emit-index-url \
	--python-version 3.11 --custom-compile-command "make lock"

lock: $(UV)  ## write both locks anew, keeping the versions that still fit
	$(UV) $(COMPILE) pyproject.toml --extra starter --group dev --group blas -o requirements.lock
	$(UV) $(COMPILE) packaging/requirements.in -o packaging/requirements.lock

.cache/uv/bin/uv:
	$(PYTHON3) -m venv .cache/uv
	.cache/uv/bin/python -m pip install --quiet uv

PACKAGING := .cache/packaging-venv
BUNDLE := PYTHONPATH=packaging $(PACKAGING)/bin/python

$(PACKAGING)/ready: packaging/requirements.lock
	rm -rf $(PACKAGING)
	$(BIN)/python -m venv $(PACKAGING)
	$(PACKAGING)/bin/python -m pip install --quiet --require-hashes --no-deps -r $<
	touch $@

app: setup $(PACKAGING)/ready  ## assemble, sign and zip the macOS bundle, on Linux or a Mac
	$(BUNDLE) packaging/build.py $(if $(IDENTITY),"$(IDENTITY)")

check-app: setup $(PACKAGING)/ready  ## prove what can be proven of the bundle without a Mac
	$(BUNDLE) packaging/check.py

clean:  ## remove what was made, the environment too
	rm -rf .venv .cache build dist
