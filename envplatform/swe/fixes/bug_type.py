"""The kinds of bug that fixes are sorted into."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

BugType = Literal[
    "interface",
    "logic",
    "boundary",
    "constructor",
    "import",
    "state",
    "mutability",
    "resource",
    "data",
    "exception",
    "concurrency",
    "type",
    "other",
]

BUG_TYPES: Mapping[BugType, str] = MappingProxyType(
    {
        "interface": "a call, signature, keyword or return value that callers rely on",
        "logic": "a condition, operator, branch, order of steps or missing case",
        "boundary": "an edge of the input: empty, None, off by one, index, range",
        "constructor": "an object built wrongly: `__init__`, defaults, class attributes",
        "import": "an import, module path or optional dependency",
        "state": "an attribute, cache, flag or global that is not kept in step",
        "mutability": "a shared or copied mutable value, an argument changed in place",
        "resource": "files, sockets, processes, encodings, paths, input and output",
        "data": "a literal, constant, regular expression, message, table or format",
        "exception": "what is raised, caught, or cleaned up on failure",
        "concurrency": "threads, locks, processes, async, callbacks, timeouts",
        "type": "a conversion, isinstance check, annotation or str-bytes mix-up",
        "other": "none of these by any rule",
    }
)
"""What each stands for, for labellers and for documentation."""
