"""What a target is, in digests: from these a stage knows whether it must run again."""

from collections.abc import Mapping
from dataclasses import asdict

from envplatform.store.values import digest_json
from envplatform.swe.targets.engine import named_images, read_dockerfile
from envplatform.swe.targets.folder import read_folder
from envplatform.swe.targets.surroundings import DockerfileImage, ImageSource
from envplatform.swe.targets.target import (
    FolderSource,
    GitSource,
    SdistSource,
    Source,
    Target,
)
from envplatform.tree import tree_digest

_LATER = {"directory": ".", "results": "pytest", "command": (), "report": ""}
"""Keys that came later, and what they mean where they are not given: as before."""


def target_digest(target: Target) -> str:
    """SHA-256 (hex) over all that a target says but where its files come from.

    Raises:
        TargetError: its Dockerfile can't be read.
    """
    suite, code = asdict(target.suite), asdict(target.code)
    for name, unsaid in _LATER.items():
        if suite[name] == unsaid:
            del suite[name]
    more: dict[str, object] = {}
    if target.package:
        more["package"] = asdict(target.package)
    if target.image:
        more["image"] = _recipe(target.image)
    if target.services:
        more["services"] = [_plain(asdict(service)) for service in target.services]
    return digest_json(
        {
            **more,
            "name": target.name,
            "license": target.license,
            "python": list(target.python),
            "requirements": list(target.requirements),
            "suite": _plain(suite),
            "code": _plain(code),
        }
    )


def sources_of(target: Target) -> dict[str, str]:
    """Name and SHA-256 (hex) of each thing that a repository is made from.

    Raises:
        TargetError: its folder or Dockerfile can't be read.
    """
    return {
        "target.toml": target_digest(target),
        **_files(target.source),
        **named_images(target.image),
    }


def _files(source: Source) -> dict[str, str]:
    match source:
        case SdistSource():
            return {f"sdist {source.package} {source.version}": source.sha256}
        case GitSource():
            # Its URL may change and its files can't: the commit says what they are.
            return {"git commit": digest_json(source.commit)}
        case FolderSource():
            return {"folder": tree_digest(read_folder(source.path))}


def _recipe(image: ImageSource) -> dict[str, object]:
    """What the table says, with the Dockerfile's content in place of where it lies."""
    values = {name: value for name, value in asdict(image).items() if name != "path"}
    if isinstance(image, DockerfileImage):
        values["dockerfile"] = read_dockerfile(image)
    return {"kind": type(image).__name__, **_plain(values)}


def _plain(values: Mapping[str, object]) -> dict[str, object]:
    return {name: _listed(value) for name, value in values.items()}


def _listed(value: object) -> object:
    return [_listed(item) for item in value] if isinstance(value, tuple) else value
