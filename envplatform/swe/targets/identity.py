"""What a target is, in digests: from these a stage knows whether it must run again."""

from dataclasses import asdict

from envplatform.store.values import digest_json
from envplatform.swe.targets.folder import read_folder
from envplatform.swe.targets.target import (
    FolderSource,
    GitSource,
    SdistSource,
    Source,
    Target,
)
from envplatform.tree import tree_digest


def target_digest(target: Target) -> str:
    """SHA-256 (hex) over all that a target says but where its files come from."""
    suite, code = asdict(target.suite), asdict(target.code)
    if suite["directory"] == ".":
        del suite["directory"]  # as before there was one
    package = {"package": asdict(target.package)} if target.package else {}
    return digest_json(
        {
            **package,
            "name": target.name,
            "license": target.license,
            "python": list(target.python),
            "requirements": list(target.requirements),
            "suite": {name: _listed(value) for name, value in suite.items()},
            "code": {name: _listed(value) for name, value in code.items()},
        }
    )


def sources_of(target: Target) -> dict[str, str]:
    """Name and SHA-256 (hex) of each thing that a repository is made from.

    Raises:
        TargetError: its folder can't be read.
    """
    return {"target.toml": target_digest(target), **_files(target.source)}


def _files(source: Source) -> dict[str, str]:
    match source:
        case SdistSource():
            return {f"sdist {source.package} {source.version}": source.sha256}
        case GitSource():
            # Its URL may change and its files can't: the commit says what they are.
            return {"git commit": digest_json(source.commit)}
        case FolderSource():
            return {"folder": tree_digest(read_folder(source.path))}


def _listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
