"""Evidence served by itself: tools tell of records by id, and RES works on the records."""

import asyncio
import json
from pathlib import Path

import pytest

from envplatform.bundle import Environment
from envplatform.grading.sessions import open_environment
from envplatform.interop.claw_eval_live.importing import ClawImporting, import_set
from envplatform.interop.claw_eval_live.inside.withhold import Records
from envplatform.res.lineage import Budget, Lineage, grow
from envplatform.res.measure import measure
from envplatform.res.proposers import Planned
from envplatform.res.replay import Replayer
from envplatform.res.verifier import Verifier
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.workspace import Interface
from tests.interop.made_claw import BASE, HEAD, MAIL_SERVER, MAIL_TASK

RECORDS = "records/mail.json"
MAILS = [
    {
        "mail_id": f"m{n}",
        "message_id": f"<{n}@orchard>",
        "date": f"2026-03-{n:02d}T08:00:00Z",
        "text": f"We can let you have {n * 7} crates of apples.",
    }
    for n in range(1, 9)
]
GRADER = """\
        read = {d.request_body["mail_id"] for d in dispatches
                if d.tool_name == "mail_get" and "crates" in str(d.response_body)}
        now = (audit_data or {}).get("mail", {}).get("now")
        scores.completion = 0.4 * (len(read) == 8) + 0.3 * ("252" in text) + 0.1 * (
            bool(read) and now == "2026-03-09T08:00:00+00:00")
        return scores
"""
DATED = MAIL_SERVER.replace(
    '"shift":',
    '"now": datetime.datetime.now(datetime.timezone.utc).isoformat(), "shift":',
).replace("import json, os", "import datetime, json, os")


@pytest.fixture(scope="module")
def root(
    tmp_path_factory: pytest.TempPathFactory,
    bubblewrap: BubblewrapProvider,
    bare_image: Image,
) -> Environment:
    folder = tmp_path_factory.mktemp("claw")
    task = folder / "tasks" / "good"
    written = {
        folder / "src" / "liveclaw_500" / "graders" / "base.py": BASE,
        folder / "mock_services" / "mail" / "server.py": DATED,
        task / "fixtures" / "mail.json": json.dumps(MAILS, indent=1),
        task / "fixtures" / "notes.md": "Crates hold twelve.\n" * 20,
        task / "grader.py": HEAD + GRADER,
        task / "task.yaml": MAIL_TASK.replace("SERVER", "mail")
        .replace("NAME", "good")
        .replace("PORT", "9100")
        .replace("fixtures/mail.json]", "fixtures/mail.json, fixtures/notes.md]")
        .replace("There are 6.", "They come to 252."),
    }
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    works = ClawImporting(
        provider=bubblewrap,
        image=bare_image,
        serving_image=lambda: bare_image,
        serves_evidence=True,
        verifier_timeout_s=20,
    )

    async def only() -> Environment:
        (task,) = [one async for one in import_set(folder, works)]
        assert task.accepted, task.problems
        assert task.environment is not None
        return task.environment

    return asyncio.run(only())


def test_records_and_attachments_have_names_and_the_workspace_has_neither(
    root: Environment,
) -> None:
    assert set(root.workspace) == {".keep"}
    shown = Interface(root)
    assert json.loads(shown.read(RECORDS)) == MAILS
    assert shown.read("fixtures/notes.md").startswith(b"Crates hold")
    assert f"`{RECORDS}`" in root.instruction
    assert len(root.core.transformable) == len(root.core.frozen) == 2


async def test_a_tool_tells_of_a_record_by_id_and_the_grader_reads_it_whole(
    root: Environment, bubblewrap: BubblewrapProvider, bare_image: Image
) -> None:
    call = """ws call mail POST /mail/get --body '{"mail_id": "m3"}'"""
    async with open_environment(bubblewrap, root, image=bare_image) as opened:
        said = await opened.sandbox.exec(["sh", "-c", call])
        final = await opened.final()
    assert json.loads(said.stdout)["body"] == [{"mail_id": "m3", "record": RECORDS}]
    assert final.served is not None
    kept = json.loads(final.served.held["record/mail.jsonl"].data)
    assert kept["response"] == [MAILS[2]]


async def test_a_lineage_keeps_tools_and_grader(
    root: Environment, bubblewrap: BubblewrapProvider, bare_image: Image
) -> None:
    size = measure(root).served_bytes
    with Replayer() as replayer:
        verifier = Verifier(
            provider=bubblewrap,
            image=bare_image,
            replayer=replayer,
            root_bytes=size,
            floor=0.0,
        )
        lineage = Lineage(root=root, root_bytes=size)
        async for lineage in grow(  # noqa: B020  the last one is what is looked at
            lineage, Planned(), verifier, seed=1, budget=Budget(depth=2)
        ):
            told = [one.diagnostics for one in lineage.children[-1].attempts]
            assert lineage.children[-1].is_accepted, told
    child = lineage.tip
    assert len(lineage.children) == 2
    assert (child.tests, child.core) == (root.tests, root.core)
    assert [view for view in child.views if view.kind == "service"] == [
        view for view in root.views if view.kind == "service"
    ]
    assert Interface(child).ask("read", name=RECORDS).content != Interface(root).read(
        RECORDS
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"total": 1}, {"total": 1}),
        ({"id": "a", "text": "long enough"}, {"id": "a", "record": "r"}),
        ({"id": "a", "text": "long e..."}, {"id": "a", "record": "r"}),
        ({"id": "a", "text": "new", "n": 3}, {"id": "a", "text": "new", "record": "r"}),
        ({"id": "b", "text": "long enough"}, {"id": "b", "text": "long enough"}),
        ({"id": "a", "record": 7}, {"id": "a", "record": 7, "_record": "r"}),
        ([{"of": {"id": "a", "n": 3}}], [{"of": {"id": "a", "record": "r"}}]),
    ],
)
def test_only_what_a_record_holds_is_withheld(
    said: object, told: object, tmp_path: Path
) -> None:
    file = tmp_path / "records.json"
    file.write_text(json.dumps([{"id": "a", "text": "long enough", "n": 3}]))
    records = Records([{"file": str(file), "id": "id", "name": "r"}])
    assert records.without(said) == told
