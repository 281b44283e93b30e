"""What the PKG-INFO of an sdist says: a build wrote it, so what is computed stands there.

A checkout has none. The file is parsed as data; what is no metadata says nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from packaging.metadata import parse_email
from packaging.requirements import InvalidRequirement, Requirement

from envplatform.swe.targets.drafting.reading import as_text, as_texts, text_of
from envplatform.tree import Tree

PLACE = "PKG-INFO"
_EXTRA = re.compile(r"""\s*(?:and\s+)?\(?\bextra\s*==\s*["']([\w.-]+)["']\)?""")


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltMetadata:
    """The facts that a target needs; empty where the file is silent."""

    name: str = ""
    version: str = ""
    requires_python: str = ""
    runtime: tuple[str, ...] = ()
    """Requirements that hold without any extra."""
    extras: tuple[tuple[str, str], ...] = ()
    """Pairs of an extra's name and one of its requirements, in their order."""


def built_metadata(tree: Tree) -> BuiltMetadata:
    """Read the file at the top; the headers alone, not the description."""
    headers = text_of(tree, PLACE).partition("\n\n")[0]
    said, _ = parse_email(headers)
    listed = tuple(_by_extra(as_texts(said.get("requires_dist"))))
    return BuiltMetadata(
        name=as_text(said.get("name")),
        version=as_text(said.get("version")),
        requires_python=as_text(said.get("requires_python")),
        runtime=tuple(requirement for extra, requirement in listed if not extra),
        extras=tuple((extra, one) for extra, one in listed if extra),
    )


def _by_extra(requirements: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Take the extra out of each requirement's marker; empty: it holds without one."""
    for text in requirements:
        plain = text
        head, semicolon, marker = text.partition(";")
        found = _EXTRA.search(marker)
        if found:
            rest = (marker[: found.start()] + marker[found.end() :]).strip()
            rest = rest.removeprefix("and ")
            plain = f"{head.strip()}{semicolon} {rest}" if rest else head.strip()
        if _is_requirement(plain):
            yield (found[1] if found else "", plain)


def _is_requirement(text: str) -> bool:
    try:
        Requirement(text)
    except InvalidRequirement:
        return False
    return True
