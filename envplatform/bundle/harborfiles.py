"""The files that Harbor reads and that follow from the rest: task.toml, Dockerfile.

Pure text from an `Environment`. Nothing reads them back: `disk` compares them with
what they must be. They are part of the identity, so any change of a text here is a
new format version.
"""

import json
from collections.abc import Mapping, Sequence

from envplatform.bundle.environment import Environment, ImageReference

TASK_SCHEMA = "1.4"
TASK_ORGANISATION = "envplatform"
AGENT_USER = "agent"
AGENT_UID = 1000

_INSTALL = """\
COPY requirements.txt /opt/requirements.txt
RUN python3 -m pip install --no-cache-dir --only-binary=:all: --target /opt/site -r /opt/requirements.txt
"""

TomlValue = str | int | float | Sequence[str]


def task_toml(environment: Environment) -> bytes:
    """Harbor's task.toml: separate verifier, no network, an agent that is not root."""
    allowance = environment.allowance
    machine: dict[str, TomlValue] = {
        "network_mode": "no-network",
        "cpus": allowance.cpus,
        "memory_mb": allowance.memory_mb,
        "storage_mb": allowance.disk_mb,
        "workdir": "/workspace",
    }
    tables: dict[str, Mapping[str, TomlValue]] = {
        "task": {
            "name": f"{TASK_ORGANISATION}/{environment.environment_id}",
            "description": environment.description,
            "keywords": [environment.pillar],
        },
        "metadata": {
            "pillar": environment.pillar,
            "image_digest": environment.image.digest,
            **{
                f"label_{name}": text
                for name, text in sorted(environment.labels.items())
            },
        },
        "agent": {
            "timeout_sec": float(allowance.agent_timeout_s),
            "user": AGENT_USER,
        },
        "verifier": {
            "timeout_sec": float(allowance.verifier_timeout_s),
            "environment_mode": "separate",
        },
        "verifier.environment": machine,
        "environment": machine,
    }
    head = {"schema_version": TASK_SCHEMA, "artifacts": ["/workspace"]}
    return (_pairs(head) + "".join(_table(*item) for item in tables.items())).encode()


_CHOSEN = """\
# Derived from the image {name}, content digest {digest}.
ARG BASE={base}
FROM ${{BASE}}
USER root
ENTRYPOINT []
{install}ENV PYTHONPATH=/opt/site${{PYTHONPATH:+:$PYTHONPATH}} PYTHONDONTWRITEBYTECODE=1
RUN id {user} >/dev/null 2>&1 || useradd --create-home --non-unique --uid {uid} {user}
RUN rm -rf /workspace
COPY --chown={user}:{user} workspace/ /workspace/
RUN chown {user}: /workspace
WORKDIR /workspace
"""


def dockerfile(image: ImageReference, base: str = "") -> bytes:
    """A Dockerfile with the meaning of `image`, for who builds with Docker.

    The base is an argument, so that a place without a registry can name its own. It is
    `base` where one is given: an image with users, a /workspace and settings of its own.
    """
    install = _INSTALL if image.requirements else ""
    if base:
        return _CHOSEN.format(
            name=image.name,
            digest=image.digest,
            base=base,
            install=install,
            user=AGENT_USER,
            uid=AGENT_UID,
        ).encode()
    return f"""\
# Derived from the image {image.name}, content digest {image.digest}.
ARG BASE=python:{image.python}-slim
FROM ${{BASE}}
{install}ENV PYTHONPATH=/opt/site PYTHONDONTWRITEBYTECODE=1
RUN useradd --create-home --uid {AGENT_UID} {AGENT_USER}
COPY --chown={AGENT_USER}:{AGENT_USER} workspace/ /workspace/
RUN chown {AGENT_USER}: /workspace
WORKDIR /workspace
""".encode()


def requirements_txt(image: ImageReference) -> bytes:
    """One pin a line; empty for a bare image."""
    return "".join(f"{pin}\n" for pin in image.requirements).encode()


def _table(name: str, pairs: Mapping[str, TomlValue]) -> str:
    return f"\n[{name}]\n{_pairs(pairs)}"


def _pairs(pairs: Mapping[str, TomlValue]) -> str:
    return "".join(f"{key} = {_value(value)}\n" for key, value in pairs.items())


def _value(value: TomlValue) -> str:
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        # A JSON string is a TOML string, but for DEL, which TOML wants escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"[{', '.join(_value(item) for item in value)}]"
