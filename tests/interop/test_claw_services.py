"""Tasks over mock services: a made service of the standard library, real sandboxes."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from envplatform.bundle import read_environment, write_environment
from envplatform.grading.sessions import open_environment
from envplatform.interop.claw_eval_live.importing import ClawImporting, import_set
from envplatform.interop.imported import ImportedTask
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from tests.interop.made_claw import BASE, HEAD, MAIL_SERVER, MAIL_TASK

GRADER = """\
        read = {d.request_body["mail_id"] for d in dispatches
                if d.tool_name == "mail_get" and d.response_status == 200}
        listed = [d.response_body for d in dispatches if d.tool_name == "mail_list"]
        calls = (audit_data or {}).get("mail", {}).get("calls", [])
        scores.completion = 0.2 * (read == {"m1", "m2"}) + 0.2 * (
            listed == [["m1", "m2"]]) + 0.2 * (len(calls) == 3) + 0.2 * ("6" in text)
        return scores
"""
WANTS = """\
        scores.completion = 0.4 * ('{}' in text) + 0.4 * bool(dispatches)
        return scores
"""
MAILS = [{"mail_id": "m1", "apples": 2}, {"mail_id": "m2", "apples": 4}]
EXPECTED = {
    "good": set[str](),
    "detailed": set[str](),
    "unknown": {"oracle_failed"},
    "ends": {"malformed"},
    "elsewhere": {"malformed"},
    "absent": {"missing_file"},
    "shell": {"unsupported"},
}


def _write(
    folder: Path,
    name: str,
    *,
    server: str = "mail",
    port: str = "9100",
    grader: str = GRADER,
) -> None:
    task = folder / "tasks" / name
    (task / "fixtures").mkdir(parents=True)
    (task / "fixtures" / "mail.json").write_text(json.dumps(MAILS))
    text = (
        MAIL_TASK.replace("SERVER", server).replace("NAME", name).replace("PORT", port)
    )
    (task / "task.yaml").write_text(text)
    (task / "grader.py").write_text(HEAD + grader)


@pytest.fixture(scope="module")
def imported(
    tmp_path_factory: pytest.TempPathFactory,
    bubblewrap: BubblewrapProvider,
    bare_image: Image,
) -> Mapping[str, ImportedTask]:
    folder = tmp_path_factory.mktemp("claw")
    base = folder / "src" / "liveclaw_500" / "graders" / "base.py"
    base.parent.mkdir(parents=True)
    base.write_text(BASE)
    for name, server in (("mail", MAIL_SERVER), ("ends", "raise SystemExit(3)\n")):
        (folder / "mock_services" / name).mkdir(parents=True)
        (folder / "mock_services" / name / "server.py").write_text(server)
    _write(folder, "good")
    _write(folder, "detailed", grader=WANTS.format('"apples": 4'))
    _write(folder, "unknown", grader=WANTS.format("pears"))
    _write(folder, "ends", server="ends")
    _write(folder, "elsewhere", port="9999")
    _write(folder, "absent", server="nothing")
    _write(folder, "shell", server="mail/server.py; id; echo ")
    works = ClawImporting(
        provider=bubblewrap,
        image=bare_image,
        serving_image=lambda: bare_image,
        verifier_timeout_s=20,
    )

    async def whole() -> dict[str, ImportedTask]:
        return {task.task_id: task async for task in import_set(folder, works)}

    return asyncio.run(whole())


@pytest.mark.parametrize("name", EXPECTED)
def test_each_task_ends_with_its_reasons(
    imported: Mapping[str, ImportedTask], name: str
) -> None:
    reasons = {problem.reason for problem in imported[name].problems}
    assert reasons == EXPECTED[name], imported[name].problems


def test_an_oracle_reads_by_tools_and_doing_nothing_is_not_paid(
    imported: Mapping[str, ImportedTask], tmp_path: Path
) -> None:
    task = imported["good"]
    assert (task.floor, task.oracle, task.accepted) == (0.0, 1.0, True)
    assert task.environment is not None
    write_environment(task.environment, tmp_path / "good")
    assert read_environment(tmp_path / "good") == task.environment


def test_records_are_put_below_a_reference_that_does_not_pass_and_that_is_told(
    imported: Mapping[str, ImportedTask],
) -> None:
    told = {name: imported[name] for name in ("good", "detailed", "unknown")}
    facts = {
        name: task.environment.core.facts["oracle"]
        for name, task in told.items()
        if task.environment is not None
    }
    assert (facts["good"], facts["detailed"]) == ("reference", "reference_and_records")
    assert told["good"].findings == told["unknown"].findings == ()
    assert [one.partition(":")[0] for one in told["detailed"].findings] == [
        "its reference does not pass by itself",
        "its grader passes records that are copied without a word",
    ]


def test_an_agent_has_the_tools_and_neither_fixtures_nor_the_record(
    imported: Mapping[str, ImportedTask],
    bubblewrap: BubblewrapProvider,
    bare_image: Image,
) -> None:
    environment = imported["good"].environment
    assert environment is not None
    assert set(environment.workspace) == {".keep"}
    asked = "ws list; ws call mail GET /mail/audit; ws call mail POST /mail/reset"
    call = """ws call mail POST /mail/get --body '{"mail_id": "m9"}'"""

    async def session() -> tuple[str, Mapping[str, bytes]]:
        async with open_environment(
            bubblewrap, environment, image=bare_image
        ) as opened:
            said = await opened.sandbox.exec(["sh", "-c", f"{asked}; {call}"])
            final = await opened.final()
        assert final.served is not None
        held = final.served.held
        return said.stdout.decode(), {path: held[path].data for path in held}

    said, held = asyncio.run(session())
    assert "mail_get: POST /mail/get - Read one." in said
    assert said.count("no tool of this task") == 2
    assert json.loads(held["record/mail.jsonl"]) == {
        "method": "POST",
        "path": "/mail/get",
        "request": {"mail_id": "m9"},
        "status": 404,
        "response": [],
    }
    known = json.loads(held["audit/mail.json"])
    assert known == {"calls": ["/mail/get"], "shift": "1"}
