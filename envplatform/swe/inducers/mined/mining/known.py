"""Names that mean the same everywhere, and so stay in a pattern: Python's own."""

import builtins
import re

_MODULES = frozenset(
    [
        "collections",
        "copy",
        "datetime",
        "functools",
        "io",
        "itertools",
        "json",
        "logging",
        "math",
        "os",
        "pathlib",
        "re",
        "sys",
        "time",
        "typing",
        "warnings",
    ]
)
_OTHERS = frozenset({"self", "cls"})
_METHODS = frozenset(
    name
    for kind in (str, bytes, list, dict, set, tuple, int, float)
    for name in dir(kind)
)
_ATTRIBUTES = frozenset(
    [
        "path",
        "exists",
        "isfile",
        "isdir",
        "isabs",
        "abspath",
        "dirname",
        "basename",
        "realpath",
        "splitext",
        "environ",
        "getcwd",
        "compile",
        "sub",
        "match",
        "search",
        "fullmatch",
        "findall",
        "finditer",
        "group",
        "groups",
        "deepcopy",
        "copy",
        "debug",
        "info",
        "warn",
        "warning",
        "error",
        "exception",
        "getLogger",
        "loads",
        "dumps",
        "load",
        "dump",
        "read",
        "write",
        "close",
        "flush",
        "readline",
        "readlines",
        "readable",
        "seek",
        "tell",
        "stdout",
        "stderr",
        "stdin",
        "fileno",
        "acquire",
        "release",
        "args",
        "message",
    ]
)
_TEXT = re.compile(
    r"[rwaxbt+]{1,3}|utf-?8|ascii|latin-?1|strict|ignore|replace|[\W_]{0,2}"
)
_SMALL = 2

BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))


def is_known_name(name: str) -> bool:
    """Tell whether a variable is one of Python's own, or of a module everybody has."""
    return name in BUILTINS or name in _MODULES or name in _OTHERS or is_dunder(name)


def is_known_attribute(name: str) -> bool:
    """Tell whether an attribute is one of Python's own types and modules."""
    return name in _METHODS or name in _ATTRIBUTES or is_dunder(name)


def is_dunder(name: str) -> bool:
    """Tell whether Python itself gives a name its meaning."""
    return name.startswith("__") and name.endswith("__")


def is_known_constant(value: object) -> bool:
    """Tell whether a constant means something by itself: None, 0, -1, "rb", ","."""
    if isinstance(value, str):
        return _TEXT.fullmatch(value) is not None
    if isinstance(value, bytes):
        return not value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return not isinstance(value, complex)
    return abs(value) <= _SMALL
