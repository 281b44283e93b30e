"""The requests of a mechanical solution: every reading tool, over all ids there are.

A tool is taken as one that reads by the last words of its name. Writes are not made:
what should be written stands in no field of a task.
"""

import json
import re
from collections.abc import Iterator

from envplatform.interop.claw_eval_live.reading import FoundTask, TaskFile, Tool
from envplatform.interop.claw_eval_live.services import fixtures_of, service_at
from envplatform.ws import Request
from envplatform.ws.wire import encode_request

_READS = re.compile(r"_(list|get|search|fetch|read)(_[a-z_]+)?$|_user_events$")
_MOST_VALUES = 200
_QUERY, _TITLE = "query", "title"
"""What is searched for by words: the titles of what there is."""


def reading(found: FoundTask, file: TaskFile) -> bytes:
    """Return the requests, a line each, as `ws lines` takes them."""
    return b"".join(map(encode_request, _requests(found, file)))


def _requests(found: FoundTask, file: TaskFile) -> Iterator[Request]:
    values = _values(found, file)
    for tool in file.tools:
        place = service_at(file, tool.name)
        if place is None or not _READS.search(tool.name):
            continue
        service, method, path = place
        for body in _bodies(tool, values):
            yield Request(
                "call",
                {"name": service.name, "method": method, "path": path, "body": body},
            )


def _bodies(tool: Tool, values: dict[str, list[object]]) -> Iterator[dict[str, object]]:
    """Yield one body a value of the one thing that a tool needs; an empty one else."""
    needs = tool.input_schema.get("required", [])
    if not isinstance(needs, list) or not needs:
        yield {}
    elif len(needs) == 1:
        need = str(needs[0])
        known = values.get(need) or values.get(_TITLE if need == _QUERY else need, [])
        for value in known[:_MOST_VALUES]:
            yield {need: value}


def _values(found: FoundTask, file: TaskFile) -> dict[str, list[object]]:
    kept: dict[str, list[object]] = {}
    for path in fixtures_of(file, found):
        try:
            known = json.loads(found.workspace[path].data)
        except (ValueError, RecursionError):
            continue
        for key, value in _walked(known):
            if value not in kept.setdefault(key, []):
                kept[key].append(value)
    return kept


def _walked(known: object) -> Iterator[tuple[str, object]]:
    if isinstance(known, list):
        for one in known:
            yield from _walked(one)
    elif isinstance(known, dict):
        for key, value in known.items():
            if isinstance(value, str | int):
                yield key, value
            yield from _walked(value)
