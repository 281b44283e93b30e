"""What a grader's source tells without being run: what it reads, which paths it names.

Texts only, so upper bounds: a constant may be one of several spellings that will do.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from envplatform.interop.qwenclawbench.markdown import TaskText

_TOOL_WORDS = frozenset(
    {"toolCall", "toolResult", "tool_call", "tool_calls", "tool_result", "tool_use"}
)
_RUNNERS = frozenset({"subprocess", "importlib.util", "runpy", "exec", "eval"})
_FILE = re.compile(
    r"(?:[\w.-]+/)*[\w-][\w.-]*"
    r"\.(?:csv|env|html|ini|js|json|jsonl|log|md|pdf|py|sh|sql|toml|tsv|txt|xml|ya?ml)"
)
_MOST_CHARACTERS = 300
_REPOSITORY = re.compile(r"(?:^|/)\.git(?:/|$)")
REQUIREMENTS = {"yaml": "pyyaml"}
"""What graders import beyond the standard library, by module, as wheels are called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """One grader, as read."""

    reads_transcript: bool
    tool_words: tuple[str, ...]
    """Kinds of transcript entries that stand for tools. Sorted."""
    reads_repository: bool
    """Whether it looks into .git of the workspace."""
    runs: tuple[str, ...]
    """What it can run code by that the agent left. Sorted."""
    requirements: tuple[str, ...]
    not_in_prompt: tuple[str, ...]
    """File names that it looks for, which neither the prompt nor the workspace has."""
    nowhere: tuple[str, ...]
    """Those of them that no other part of the task names either."""


def inspect_grader(text: TaskText, dests: frozenset[str]) -> Inspection:
    """Read the grader's code; one that is no Python is told by running it."""
    try:
        nodes = list(ast.walk(ast.parse(text.code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        nodes = []
    constants = {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    modules = set(_modules(nodes))
    loaded = {
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    reads = "transcript" in loaded
    words = _TOOL_WORDS & constants if reads else set[str]()
    unknown = _unknown(constants, f"{text.prompt}\n" + "\n".join(dests))
    told = "\n".join(v for k, v in text.sections.items() if k != "Automated Checks")
    return Inspection(
        reads_transcript=reads,
        tool_words=tuple(sorted(words)),
        reads_repository=any(_REPOSITORY.search(text) for text in constants),
        runs=tuple(sorted(_RUNNERS & (modules | loaded))),
        requirements=tuple(
            sorted(pin for name, pin in REQUIREMENTS.items() if name in modules)
        ),
        not_in_prompt=unknown,
        nowhere=_unknown(set(unknown), told),
    )


def _modules(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def _unknown(constants: set[str], told: str) -> tuple[str, ...]:
    """Constants that are names of files, whose last part stands nowhere in `told`."""
    told = told.casefold()
    return tuple(
        sorted(
            name
            for name in constants
            if _FILE.fullmatch(name) and PurePosixPath(name).name.casefold() not in told
        )
    )
