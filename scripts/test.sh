#!/usr/bin/env bash
# Every check there is. Installs and starts what they need: Docker Engine, Chromium.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PATH="$PWD/.venv/bin:$PATH"

bash scripts/system_packages.sh chromium:chromium file:/usr/share/fonts/truetype/dejavu:fonts-dejavu-core
if ! bash scripts/docker_for_tests.sh; then
  echo "Docker Engine is not to be had here: tests marked docker will be skipped" >&2
fi

ruff format --check .
ruff check .
mypy
lint-imports
python -m compileall -q envplatform resources assets
# With our instance settings, which turn telemetry off, and nothing left in the home.
instance=$(mktemp -d)
trap 'rm -rf "$instance"' EXIT
cp dagster.yaml "$instance"
DAGSTER_HOME=$instance ENVPLATFORM_HOME=$instance dg check defs
# Two files at a time. A test that fails is asked twice more, and told as `R`: browsers,
# daemons and clocks of a busy machine have their moods; a defect fails every time.
pytest -n 2 --dist loadfile --reruns 2 --reruns-delay 5 \
  --cov --cov-report=term:skip-covered "$@"
