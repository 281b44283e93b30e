"""The set's mock services as services of `ws`, each a process beside the broker.

What the broker holds: `front.py`, `services/NAME.json` for it, and below `set/` the
servers and the fixtures at the set's own paths. No view shows any of these, but for
records that are served by themselves (`records`).
"""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from urllib.parse import urlsplit

from envplatform.bundle import View
from envplatform.interop.claw_eval_live.reading import (
    FoundTask,
    Service,
    TaskFile,
    Tool,
)
from envplatform.interop.claw_eval_live.records import Evidence, front_of, records_in
from envplatform.interop.imported import Problem
from envplatform.tree import File, Tree

PACKAGES = ("fastapi", "uvicorn", "pydantic", "pyyaml")
"""What the set's servers import."""
READY_S = 60.0
_FRONT_ABOVE = 10_000
_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")
_COMMAND = re.compile(r"python3? (mock_services/([a-z0-9_]{1,40})/server\.py)")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*_FIXTURES")
_PORTS = range(1024, 20_000)
_INSIDE = ("front.py", "moment.py", "withhold.py")
_NO_MAIL = "2026-01-01T00:00:00+00:00"
"""Where nothing tells when a task plays."""


def unfit(file: TaskFile, servers: Tree) -> Iterator[Problem]:
    """Yield why services can't be run as they are declared."""
    names = [one.name for one in file.services]
    ports = [one.port for one in file.services]
    if len(set(names)) < len(names) or len(set(ports)) < len(ports):
        what = "services: two of them have one name or one port"
        yield Problem(reason="malformed", detail=what)
    for one in file.services:
        found = _COMMAND.fullmatch(one.command)
        if not _NAME.fullmatch(one.name) or one.port not in _PORTS or found is None:
            what = (
                f"services: {one.name!r} is no `python mock_services/NAME/server.py` "
                "with a port"
            )
            yield Problem(reason="unsupported", detail=what)
        elif found[1] not in servers:
            what = f"services: {one.name}: the set has no {found[1]}"
            yield Problem(reason="missing_file", detail=what)
    for end in file.tool_endpoints:
        if _port(end.url) not in ports:
            what = f"tool_endpoints: {end.tool_name}: no service is at {end.url!r}"
            yield Problem(reason="malformed", detail=what)


def views(file: TaskFile) -> tuple[View, ...]:
    """Return one view a service; its text tells of the tools."""
    return tuple(
        View(
            name=one.name,
            kind="service",
            about=_about(one, file),
            options={
                "port": one.port + _FRONT_ABOVE,
                "command": ["python3", "-B", "front.py", f"services/{one.name}.json"],
                "ready_s": READY_S,
            },
        )
        for one in file.services
    )


def held(
    found: FoundTask,
    file: TaskFile,
    servers: Tree,
    evidence: Sequence[Evidence] = (),
) -> dict[str, File]:
    """Return what the broker holds in the beginning; `evidence` is served by itself."""
    inside = resources.files(f"{__package__}.inside")
    kept = {name: File((inside / name).read_bytes()) for name in _INSIDE}
    moment = moment_of(found, file)
    for one in file.services:
        paths = {path for path in found.workspace if _inside(path, found) in _read(one)}
        told = {
            **_config(one, file),
            "moment": moment,
            "records": front_of(evidence, paths),
        }
        kept[f"services/{one.name}.json"] = File(json.dumps(told, indent=1).encode())
        folder = str(Path(_path_of(one)).parent)
        for path, server in servers.items():
            if path.startswith(f"{folder}/") or path.count("/") == 1:
                kept[f"set/{path}"] = server
    for path in fixtures_of(file, found):
        kept[f"set/{_inside(path, found)}"] = found.workspace[path]
    return kept


def moment_of(found: FoundTask, file: TaskFile) -> str:
    """Return when a task plays, for its services: a day after its newest mail.

    So it is in the set, which shifts mails to the day of the run; here the day is
    shifted, and no date of a fixture.
    """
    stamps = [
        stamp
        for path in fixtures_of(file, found)
        for record in records_in(found.workspace[path])
        if "message_id" in record
        for stamp in [_stamp(record.get("date"))]
        if stamp is not None
    ]
    return (max(stamps) + timedelta(days=1)).isoformat() if stamps else _NO_MAIL


def _stamp(said: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(said))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def fixtures_of(file: TaskFile, found: FoundTask) -> tuple[str, ...]:
    """Return the files that services read; the agent is not to have them beside."""
    named = {value for one in file.services for value in _read(one)}
    return tuple(path for path in found.workspace if _inside(path, found) in named)


def _read(service: Service) -> set[str]:
    return {value for name, value in service.env.items() if _VARIABLE.fullmatch(name)}


def service_at(file: TaskFile, tool_name: str) -> tuple[Service, str, str] | None:
    """Return the service, the method and the path of a tool."""
    for end in file.tool_endpoints:
        for one in file.services:
            if end.tool_name == tool_name and _port(end.url) == one.port:
                return one, end.method, urlsplit(end.url).path
    return None


def told(file: TaskFile) -> str:
    """Return the part of the instruction that tells how tools are called."""
    if not file.services:
        return ""
    names = ", ".join(f"`{one.name}`" for one in file.services)
    return (
        f"\nYour tools are services: {names}. `ws list` tells of each what it offers; "
        "`ws call SERVICE METHOD PATH --body JSON` calls one.\n"
    )


def _about(service: Service, file: TaskFile) -> str:
    lines = [
        _line(tool, method, path)
        for tool in file.tools
        for place in [service_at(file, tool.name)]
        if place is not None and place[0].name == service.name
        for _, method, path in [place]
    ]
    return "\n".join(lines)


def _line(tool: Tool, method: str, path: str) -> str:
    schema = json.dumps(tool.input_schema, ensure_ascii=False, default=str)
    return f"{tool.name}: {method} {path} - {tool.description} Body: {schema}"


def _config(service: Service, file: TaskFile) -> dict[str, object]:
    endpoints = [
        [end.method, urlsplit(end.url).path]
        for end in file.tool_endpoints
        if _port(end.url) == service.port
    ]
    return {
        "name": service.name,
        "port": service.port,
        "front": service.port + _FRONT_ABOVE,
        "command": [_path_of(service)],
        "env": _variables(service),
        "endpoints": endpoints,
        "audit": urlsplit(service.reset_endpoint).path.rpartition("/reset")[0]
        + "/audit",
    }


def _variables(service: Service) -> dict[str, str]:
    """Fixtures as declared; nothing by chance and nothing by today's date."""
    given = {k: v for k, v in service.env.items() if _VARIABLE.fullmatch(k)}
    steady = f"{service.name.upper()}_DISABLE_DATE_SHIFT"
    return {**given, "ERROR_RATE": "0", steady: "1"}


def _path_of(service: Service) -> str:
    return service.command.partition(" ")[2]


def _inside(path: str, found: FoundTask) -> str:
    return f"tasks/{found.task_id}/{path}"


def _port(url: str) -> int | None:
    try:
        return urlsplit(url).port
    except ValueError:
        return None
