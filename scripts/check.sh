#!/usr/bin/env bash
# Lint, types, arrows, and the tests that need neither Docker, browser nor network. The
# minutes of hostile code in tests/sandbox are left to `make test`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PATH="$PWD/.venv/bin:$PATH"

ruff format --check .
ruff check .
mypy
lint-imports
pytest -q -m "not docker and not browser and not network and not slow" --ignore tests/sandbox "$@"
