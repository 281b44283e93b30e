# The commands a person types. Each works on a fresh Debian or Ubuntu with Python 3.11+.
.DEFAULT_GOAL := help
SHELL := /bin/bash
export ENVPLATFORM_HOME ?= $(CURDIR)/.envplatform
BIN := .venv/bin

.PHONY: help setup setup-dev demo demo-full check test ui clean

help: ## what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup: .venv/.ready ## create .venv, install the platform, name or install what the system lacks

.venv/.ready: pyproject.toml constraints.txt scripts/setup.sh scripts/system_packages.sh
	@bash scripts/setup.sh embedded

.venv/.ready-learning: .venv/.ready # torch and what trains
	@bash scripts/setup.sh embedded,learning && touch $@

setup-dev: .venv/.ready-dev # what tests need beyond the demo

.venv/.ready-dev: .venv/.ready Makefile
	@bash scripts/setup.sh embedded,postgres,hub,learning,dev

demo: setup ## make proven environments on the embedded default, then print a summary
	@$(BIN)/envplatform demo

demo-full: .venv/.ready-learning ## the demo plus training: a bug model and an adapter from its rollouts
	@mkdir -p "$(ENVPLATFORM_HOME)"
	@cat envplatform.toml scripts/demo_training.toml > "$(ENVPLATFORM_HOME)/demo-full.toml"
	@$(BIN)/envplatform demo --config "$(ENVPLATFORM_HOME)/demo-full.toml"

check: setup-dev ## lint, types, arrows and the tests that need no service
	@bash scripts/check.sh

test: setup-dev ## everything: installs and starts what the tests need
	@bash scripts/test.sh

ui: setup ## the Dagster UI on http://127.0.0.1:3000
	@$(BIN)/envplatform ui

clean: ## remove what was made here, releases too; votes of reviewers and the virtual environment stay
	@cd "$(ENVPLATFORM_HOME)" 2>/dev/null && rm -rf tables directories results cache models dagster staging releases demo-full.toml || true
	@rmdir "$(ENVPLATFORM_HOME)" 2>/dev/null || true
	rm -rf .cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage build dist
