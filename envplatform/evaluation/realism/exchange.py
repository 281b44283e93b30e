"""Pairs to reviewers who use another tool, and their votes back: JSON lines, Label Studio.

What goes out is blinded: ids and texts, nothing of which side is whose.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from envplatform.errors import StoreError
from envplatform.evaluation.realism.pairs import Pair, unique_keys

Format = Literal["jsonl", "label-studio"]

LABELLING = """\
<View>
  <Header value="Which of the two is a bug that a developer once made?"/>
  <Text name="left" value="$left"/>
  <Text name="right" value="$right"/>
  <Choices name="choice" toName="left" choice="single" required="true">
    <Choice value="left"/><Choice value="right"/><Choice value="unsure"/>
  </Choices>
</View>
"""
"""Labelling interface of a Label Studio project for these tasks."""


def exported(pairs: Sequence[Pair], format_: Format) -> bytes:
    """Return pairs as a file for reviewers: a line each, or Label Studio's tasks."""
    shown = [
        {"pair_id": one.pair_id, "left": one.left, "right": one.right} for one in pairs
    ]
    if format_ == "jsonl":
        return "".join(f"{json.dumps(one)}\n" for one in shown).encode()
    return json.dumps([{"data": one} for one in shown], indent=1).encode() + b"\n"


def vote_lines(
    data: bytes, format_: Format, *, name: str
) -> Iterator[tuple[str, bytes]]:
    """Yield votes as lines for `sorted_votes`, each with the place where it stands.

    An annotation that is no vote comes as a line that is none; so it is told of.

    Raises:
        StoreError: the file as a whole is not what the format says.
    """
    if format_ == "jsonl":
        for number, line in enumerate(data.split(b"\n"), start=1):
            yield f"{name}:{number}", line
        return
    for number, task in enumerate(_tasks(data, name)):
        where = f"{name}: task {number}"
        if not isinstance(task, Mapping) or not isinstance(
            task.get("annotations"), list
        ):
            yield where, b'"a task has a list of annotations"'
            continue
        for place, annotation in enumerate(task["annotations"]):
            said = _vote(task.get("data"), annotation)
            yield f"{where}, annotation {place}", json.dumps(said).encode()


def _tasks(data: bytes, name: str) -> list[Any]:
    try:
        tasks = json.loads(data.decode(), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        msg = f"{name} is no JSON export of Label Studio: {error}"
        raise StoreError(msg) from error
    if not isinstance(tasks, list):
        msg = f"{name} is no JSON export of Label Studio: a list of tasks is needed"
        raise StoreError(msg)
    return tasks


def _vote(data: object, annotation: object) -> object:
    """Return an annotation as a vote has it; fields that are not there are left out."""
    if not isinstance(data, Mapping) or not isinstance(annotation, Mapping):
        return "a task has data, and annotations are objects"
    by = annotation.get("completed_by")
    reviewer = by.get("email") if isinstance(by, Mapping) else by
    said = {
        "pair_id": data.get("pair_id"),
        "reviewer": str(reviewer) if isinstance(reviewer, int) else reviewer,
        "choice": _choice(annotation.get("result")),
        "at": annotation.get("created_at"),
    }
    return {key: value for key, value in said.items() if value is not None}


def _choice(results: object) -> object:
    for one in results if isinstance(results, list) else ():
        if isinstance(one, Mapping) and one.get("from_name") == "choice":
            value = one.get("value")
            choices = value.get("choices") if isinstance(value, Mapping) else None
            if isinstance(choices, list) and len(choices) == 1:
                return choices[0]
    return None
