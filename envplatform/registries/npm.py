"""Tarballs of an npm registry as files; which registry is npm's own setting here.

The registry is asked where a version's tarball lies, and for that. What it must be is
pinned, so nothing else that the registry says counts.
"""

import base64
import binascii
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import requests

from envplatform.errors import RegistryError
from envplatform.registries.download import TIMEOUT_S, Pin, keep, new_session, persist

REGISTRY_VARIABLE = "NPM_CONFIG_REGISTRY"
_ANSWER_S = 30
_MAX_DOCUMENT = 5_000_000
_PACKAGE = re.compile(r"(?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class NpmRegistry:
    """A registry and how to trust it."""

    url: str
    certificate: str | None = None
    """Path of a bundle of certificate authorities; None for the usual one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NpmRelease:
    """The tarball of one version."""

    package: str
    """`name` or `@scope/name`."""
    version: str
    integrity: str
    """`sha512-` and base64, as npm writes it into lock files."""

    @property
    def pin(self) -> Pin:
        """What the tarball must be.

        Raises:
            RegistryError: the integrity is not of that form.
        """
        name = f"{self.package} {self.version}"
        kind, _, text = self.integrity.partition("-")
        try:
            digest = base64.b64decode(text, validate=True).hex()
        except (binascii.Error, ValueError):
            digest = ""
        if kind != "sha512" or len(digest) != 128:  # noqa: PLR2004  512 bits in hex
            msg = f"{name}: integrity is not sha512- and base64, as in a lock file"
            raise RegistryError(msg)
        return Pin(name=name, algorithm="sha512", digest=digest)


def configured_npm(environ: Mapping[str, str] = os.environ) -> NpmRegistry:
    """Return what npm is set up with: its variables, else what `npm config` says.

    Raises:
        RegistryError: neither is there; says what to do.
    """
    lowered = {name.lower(): value for name, value in environ.items()}
    url = lowered.get(REGISTRY_VARIABLE.lower()) or _asked("registry")
    if not url:
        msg = (
            "no npm registry is known: install npm, or set the variable "
            f"{REGISTRY_VARIABLE} to the registry's address"
        )
        raise RegistryError(msg)
    authorities = lowered.get("npm_config_cafile") or _asked("cafile")
    return NpmRegistry(url=url, certificate=authorities)


def fetch_npm(release: NpmRelease, cache: Path, *, registry: NpmRegistry) -> Path:
    """Return the tarball's path below `cache`, downloading it if it is not there.

    Raises:
        RegistryError: no such version, the registry does not answer, or the file is
            not the one that is pinned.
    """
    pin = release.pin
    if kept := pin.kept(cache):
        return kept

    def once() -> Path:
        with new_session(registry.certificate) as session:
            url = _tarball(release, registry, session)
            return keep(pin, cache, session=session, url=url, filename="package.tgz")

    return persist(pin.name, once)


def _tarball(
    release: NpmRelease, registry: NpmRegistry, session: requests.Session
) -> str:
    """Address of the tarball, which may lie on another host."""
    name = release.pin.name
    if not _PACKAGE.fullmatch(release.package):
        msg = f"{name}: no name of an npm package"
        raise RegistryError(msg)
    base = registry.url.rstrip("/")
    page = (
        f"{base}/{quote(release.package, safe='@')}/{quote(release.version, safe='')}"
    )
    answer = session.get(page, timeout=TIMEOUT_S, stream=True)
    if answer.status_code == requests.codes.not_found:
        msg = f"{name}: the npm registry has no such version"
        raise RegistryError(msg)
    answer.raise_for_status()
    return _address(answer, name)


def _address(answer: requests.Response, name: str) -> str:
    text = next(answer.iter_content(_MAX_DOCUMENT), b"")
    try:
        found = json.loads(text)["dist"]["tarball"]
    except (ValueError, KeyError, TypeError) as error:
        msg = f"{name}: the npm registry names no tarball of it"
        raise RegistryError(msg) from error
    if not isinstance(found, str) or not found.startswith(("http://", "https://")):
        msg = f"{name}: the npm registry names no address of its tarball"
        raise RegistryError(msg)
    return found


def _asked(key: str) -> str | None:
    """What `npm config get` says; None without npm, or where it says nothing."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    try:
        answer = subprocess.run(
            [npm, "config", "get", key],
            check=False,
            capture_output=True,
            text=True,
            timeout=_ANSWER_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        msg = (
            f"npm does not tell its settings ({type(error).__name__}); set the variable "
            f"{REGISTRY_VARIABLE} to the registry's address"
        )
        raise RegistryError(msg) from error
    value = answer.stdout.strip()
    return value if value and value not in {"null", "undefined"} else None
