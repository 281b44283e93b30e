"""The two scripts of an instance: how its image is built, and how it is graded."""

import hashlib
import shlex

from envplatform.bundle import ImageReference
from envplatform.interop.swebench.bug import ROOT, Bug

ARCHIVE = "repository.tar"
REQUIREMENTS = "requirements.txt"

_RUN = (
    "import sys, pytest; "
    "sys.exit(pytest.main([*sys.argv[1:], *sys.stdin.read().splitlines()]))"
)
_PYTEST = ("-rA", "--tb=no", "--show-capture=no", "-p", "no:cacheprovider")


def eval_script(bug: Bug) -> str:
    """Return `eval.sh`: put tests back, add the hidden ones, run, between the marks.

    The harness takes the exit status of the line before the second mark.
    """
    end = _delimiter(bug)
    lines = ["#!/bin/bash", "set -uxo pipefail", f"cd {ROOT}"]
    lines.append(f"git config --global --add safe.directory {ROOT}")
    if bug.restored:
        restore = f"git --literal-pathspecs checkout -q {bug.base_commit}"
        lines.append(f"{restore} --pathspec-from-file=- <<'{end}'")
        lines += [*(_quoted(path) for path in bug.restored), end]
    # What the solver left under such a name would stop the patch.
    lines += [f"rm -rf -- {shlex.quote(path)}" for path in bug.hidden]
    lines += [f"git apply -v - <<'{end}'", bug.test_patch.rstrip("\n"), end]
    lines += [
        f"export {name}={shlex.quote(value)}" for name, value in bug.variables.items()
    ]
    lines.append(f"export PYTHONPATH={_search_path(bug)}")
    words = ["python", "-c", _RUN, *bug.arguments, *_PYTEST]
    lines += [
        f"cd {shlex.quote(bug.directory)}",
        ": '>>>>> Start Test Output'",
        f"{shlex.join(words)} <<'{end}'",
        *bug.ids,
        end,
        ": '>>>>> End Test Output'",
    ]
    return "\n".join(lines) + "\n"


def dockerfile(bug: Bug, image: ImageReference) -> str:
    """Return a Dockerfile that stands alone beside the archive and the pins."""
    base = bug.base_image or f"python:{image.python}-slim"
    install = (
        f"COPY {REQUIREMENTS} /opt/{REQUIREMENTS}\n"
        f"RUN python -m pip install --no-cache-dir --no-deps -r /opt/{REQUIREMENTS}\n"
        if image.requirements
        else ""
    )
    return f"""\
# Derived from the image {image.name}, content digest {image.digest}.
ARG BASE={base}
FROM ${{BASE}}
RUN command -v git >/dev/null || {{ apt-get update \\
    && apt-get install -y --no-install-recommends git \\
    && rm -rf /var/lib/apt/lists/*; }}
RUN command -v python >/dev/null || ln -s "$(command -v python3)" /usr/local/bin/python
{install}ADD {ARCHIVE} {ROOT}/
WORKDIR {ROOT}
"""


def _search_path(bug: Bug) -> str:
    """Of the suite, before whatever the image has."""
    own = shlex.quote(":".join(bug.search_path))
    return own + "${PYTHONPATH:+:$PYTHONPATH}"


def _delimiter(bug: Bug) -> str:
    """A line that nothing in the script is equal to, the same for the same bug."""
    text = "\0".join((bug.test_patch, *bug.ids, *bug.restored))
    return f"END_{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _quoted(path: str) -> str:
    """A path as git reads it from a list: quoted where it starts with a quote."""
    return f'"{path.replace(chr(92), chr(92) * 2).replace(chr(34), chr(92) + chr(34))}"'
