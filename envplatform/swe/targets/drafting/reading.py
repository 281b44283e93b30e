"""Reading a stranger's files: what does not parse is as if it were not there.

What the files mean for a target is not known here.
"""

import configparser
import tomllib
from collections.abc import Mapping

from envplatform.tree import Tree

Table = Mapping[str, object]
_MAX_BYTES = 2_000_000


def text_of(tree: Tree, path: str) -> str:
    """Text of a file; empty if it is not there or too large to be what it is called."""
    file = tree.get(path)
    if file is None or len(file.data) > _MAX_BYTES:
        return ""
    return file.data.decode("utf-8", "replace").replace("\r\n", "\n")


def toml_of(tree: Tree, path: str) -> Table:
    """Read a TOML file; empty if it is none."""
    try:
        return tomllib.loads(text_of(tree, path))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def ini_of(tree: Tree, path: str) -> Mapping[str, Mapping[str, str]]:
    """Sections of an INI file; empty if it is none."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text_of(tree, path))
    except configparser.Error:
        return {}
    return {name: dict(parser.items(name)) for name in parser.sections()}


def table(values: object, *keys: str) -> Table:
    """Walk into tables; empty where there is none."""
    for key in keys:
        values = values.get(key) if isinstance(values, Mapping) else None
    return values if isinstance(values, Mapping) else {}


def as_text(value: object) -> str:
    """The text without blanks around it; empty if it is none."""
    return value.strip() if isinstance(value, str) else ""


def as_texts(value: object) -> tuple[str, ...]:
    """The texts of a list; empty if it is none."""
    items = value if isinstance(value, (list, tuple)) else ()
    return tuple(item.strip() for item in items if isinstance(item, str))


def as_lines(value: str | None) -> tuple[str, ...]:
    """Lines that say something, without comments."""
    lines = (line.split(" #")[0].strip() for line in (value or "").splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


def table_text(values: object, section: str, key: str) -> str:
    """Text at a key of a section; empty if there is none."""
    return as_text(table(values, section).get(key))
