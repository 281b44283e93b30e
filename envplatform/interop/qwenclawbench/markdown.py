"""The Markdown of one task: front matter, sections, the grader's code. Strict and pure.

Here: text to values. Not here: files beside the text (`reading`), running code.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from envplatform.errors import BundleError
from envplatform.interop.strict_yaml import load_strictly

MAX_TASK_BYTES = 2_000_000
_MAX_FRONT_CHARACTERS = 500_000
_FRONT = re.compile(r"---[ \t]*\n(.*?\n)---[ \t]*\n", re.DOTALL)
# Without lazy parts: a line of a million blanks must not cost a million squared.
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`\n]*)")
_HEADING = re.compile(r"##[ \t]+(\S.*)")


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class AssetFile(_Part):
    """A file that lies beside the tasks."""

    source: str
    """Below the task's own folder of assets."""
    dest: str
    """Below the workspace."""


class InlineFile(_Part):
    """A file that stands in the front matter."""

    path: str
    content: str


class FrontMatter(_Part):
    """What is needed of a task's YAML; other keys are about publishing the set."""

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,150}$")]
    name: str
    category: str = ""
    grading_type: Literal["automated", "hybrid", "llm_judge"]
    timeout_seconds: Annotated[int, Field(gt=0)] = 120
    workspace_files: list[AssetFile | InlineFile] = []
    grading_weights: dict[str, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskText:
    """One task as its author wrote it."""

    front: FrontMatter
    prompt: str
    sections: Mapping[str, str]
    """By heading; `Prompt` among them."""
    code: str
    """Python that defines `grade`; never run here."""


def parse_task(text: str, where: str) -> TaskText:
    """Read one task.

    Raises:
        BundleError: names the place and what is wrong.
    """
    found = _FRONT.match(text)
    if found is None:
        msg = f"{where}: begins with no front matter between two lines of ---"
        raise BundleError(msg)
    front = _front(found[1], where)
    sections = _sections(text[found.end() :], where)
    prompt = sections.get("Prompt", "")
    if not prompt:
        msg = f"{where}: there is no text below '## Prompt'"
        raise BundleError(msg)
    code = _code(sections.get("Automated Checks", ""), where)
    return TaskText(front=front, prompt=prompt, sections=sections, code=code)


def _front(text: str, where: str) -> FrontMatter:
    if len(text) > _MAX_FRONT_CHARACTERS:
        msg = f"{where}: front matter of more than {_MAX_FRONT_CHARACTERS} characters"
        raise BundleError(msg)
    found = load_strictly(text, f"{where}: front matter")
    try:
        return FrontMatter.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        msg = f"{where}: front matter: {place}: {first['msg']}"
        raise BundleError(msg) from error


def _sections(body: str, where: str) -> dict[str, str]:
    """Text by heading of the second level; what stands in a fence is no heading."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line, inside in _fenced(body):
        heading = None if inside else _HEADING.fullmatch(line)
        if heading is None:
            lines.append(line)
        elif (name := heading[1].rstrip()) in found:
            msg = f"{where}: the section {name[:80]!r} stands twice"
            raise BundleError(msg)
        else:
            lines = found[name] = []
    return {name: "\n".join(part).strip() for name, part in found.items()}


def _code(section: str, where: str) -> str:
    blocks: list[list[str]] = []
    previous = ""
    for line, inside in _fenced(section):
        opens = inside if not previous else None
        if opens == "python":
            blocks.append([])
        elif inside == previous == "python" and not _closes(line):
            blocks[-1].append(line)
        previous = inside
    if len(blocks) != 1:
        msg = f"{where}: '## Automated Checks' holds {len(blocks)} blocks of python"
        raise BundleError(msg)
    return "\n".join(blocks[0]) + "\n"


def _closes(line: str) -> bool:
    found = _FENCE.fullmatch(line)
    return found is not None and not found[2].strip()


def _fenced(text: str) -> Iterator[tuple[str, str]]:
    """Yield each line, and the language of the fence that it is in; `-` for none.

    Lines that open and close a fence belong to it. Outside of fences: empty.
    """
    mark, language = "", ""
    for line in text.split("\n"):
        found = _FENCE.fullmatch(line)
        if not mark and found:
            mark, language = found[1], found[2].strip().lower() or "-"
            yield line, language
            continue
        yield line, language
        if mark and found and not found[2].strip() and found[1].startswith(mark):
            mark, language = "", ""
