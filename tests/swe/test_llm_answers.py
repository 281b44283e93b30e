"""Answers of models as they come: what is read, put in place, or refused by name."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.patches import apply_patch
from envplatform.store import ResultCache
from envplatform.swe.inducers.base import Proposal
from envplatform.swe.inducers.llm import PromptedInducer, Prompting
from envplatform.swe.inducers.llm.answer import Body, read_answer
from envplatform.swe.inducers.llm.entities import find_entities
from envplatform.swe.inducers.llm.layout import splice
from envplatform.swe.inducers.mutation.source import ParsedSource, parse_source
from envplatform.tree import File
from tests.model_server import Reply, answer, model_server
from tests.swe.prompting import BUG, CODE, HEADER, block, file_of, prompting

LONG = HEADER + "    value += 1\n" * 1000 + "    return value\n"
DIFF = """```diff
--- a/spans/core.py
+++ b/spans/core.py
@@ -9 +9 @@
-    return low <= value <= high
+    return low <= value < high
```"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """One open model that always says the same, until it is told otherwise."""

    opened: Prompting
    replies: list[Reply]

    def asked(self, reply: Reply, results: Path, code: bytes = CODE) -> Proposal:
        """Ask it for one bug of a file."""
        self.replies[:] = [reply]
        fresh = replace(self.opened, results=ResultCache(results))
        inducer = PromptedInducer(name="llm_modify", prompting=fresh)
        return inducer.propose(file_of(code), 1, 0)


@pytest.fixture(scope="module")
def speaker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Speaker]:
    """Opened once: a client takes longer to open than to ask."""
    replies: list[Reply] = []
    folder: Path = tmp_path_factory.mktemp("results")
    with (
        model_server(lambda _: replies[0]) as server,
        prompting(server, folder) as opened,
    ):
        yield Speaker(opened=opened, replies=replies)


@pytest.mark.parametrize(
    "text",
    [
        f"Sure! Here it is:\n\n```python\n{BUG}```\n\nThe upper end is off.",
        f"```\n{BUG}```",
        f"~~~~py\n{BUG}~~~~",
        f"````python\n{BUG}\n````",
        f"```python\r\n{BUG}```".replace("\n", "\r\n"),
        BUG,
        f"```python\n\n\n{BUG}\n\n```",
        f"```python\n{HEADER}    # BUG: off by one\n    return low <= value < high  # <- here\n```",
        f'```python\n{HEADER}    """Other words."""\n    return low <= value < high\n```',
        f"```python\n{HEADER}  return low <= value < high\n```",
    ],
)
def test_one_function_is_found_in_what_is_said_around_it(
    text: str, speaker: Speaker, tmp_path: Path
) -> None:
    """Comments that would show the defect, and other docstrings, are left out."""
    (bug,) = speaker.asked(answer(text), tmp_path).candidates
    changed = apply_patch({"spans/core.py": File(CODE)}, bug.bug_patch)[
        "spans/core.py"
    ].data
    assert changed == CODE.replace(b"<= high", b"< high")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (answer(""), "no_answer"),
        (answer("  \n"), "no_answer"),
        (answer("no", finish="content_filter"), "no_answer"),
        (answer("I can't do that."), "no_code"),
        (block(""), "no_code"),
        (answer(f"```python\n{BUG}", finish="length"), "cut_off"),
        (answer(f"```python\n{BUG}"), "unterminated_fence"),
        (answer(f"```\n{BUG}```\nor\n```\n{BUG}```"), "several_blocks"),
        (answer(DIFF), "is_a_diff"),
        (block(LONG), "too_long"),
        (answer("x" * 200_000), "too_long"),
        (block(BUG.replace("return", "return\u202e")), "hidden_characters"),
        (block(BUG.replace("value <", "value\x00 <")), "hidden_characters"),
        (block(f"{HEADER}    return '\ud800'\n"), "no_answer"),
        (block(f"{HEADER}    return low <\n"), "not_python"),
        (block(f"{HEADER}    return {'(' * 500}1{')' * 500}\n"), "not_python"),
        (block(f"{HEADER}    return {'-' * 50_000}1\n"), "too_deep"),
        (block(CODE.decode()), "not_the_function"),
        (block(f"import os\n{BUG}"), "not_the_function"),
        (block(f"class A:\n    x = 1\n{BUG}"), "not_the_function"),
        (block("inside = None\n"), "not_the_function"),
        (block(BUG.replace("inside", "outside")), "other_name"),
        (block(f"async {BUG}"), "other_signature"),
        (block(f"@cache\n{BUG}"), "other_signature"),
        (block(BUG.replace("inf", "1")), "other_signature"),
        (block(BUG.replace("value,", "value: int,")), "other_signature"),
        (block(f'{HEADER}    """Only this."""\n'), "no_body"),
        (block(f"{HEADER[:-1]} return low <= value < high\n"), "unwritable"),
        (block(f"{HEADER}    break\n"), "does_not_compile"),
        (block(f"{HEADER}    return within(value)\n"), "undefined_name"),
        (block(f"{HEADER}    return (low <= value <= high)\n"), "same_ast"),
    ],
)
def test_everything_else_has_a_reason(
    reply: Reply, reason: str, speaker: Speaker, tmp_path: Path
) -> None:
    """Twice the same answer: it is refused as it was at first."""
    found = speaker.asked(reply, tmp_path)
    assert found.candidates == ()
    assert {row.reason for row in found.refused} == {reason}


FORMS = {
    "crlf": (
        b"def f(a):\r\n    b = a\r\n    return b\r\n\r\nX = 1\r\n",
        "def f(a):\n    b = a + 1\n    return b\n",
        b"def f(a):\r\n    b = a + 1\r\n    return b\r\n\r\nX = 1\r\n",
    ),
    "tabs": (
        b"class A:\n\tdef f(self, a):\n\t\tif a:\n\t\t\treturn 1\n\t\treturn 2\n",
        "def f(self, a):\n    if a:\n        return 2\n    return 1\n",
        b"class A:\n\tdef f(self, a):\n\t\tif a:\n\t\t\treturn 2\n\t\treturn 1\n",
    ),
    "method": (
        b"class A:\n    @property\n    def f(self):\n        return 1  # one\n\n    x = 2\n",
        "    @property\n    def f(self):\n        return 2  # one\n",
        b"class A:\n    @property\n    def f(self):\n        return 2  # one\n\n    x = 2\n",
    ),
    "async": (
        b"async def f(a):\n    return await a\n",
        "async def f(a):\n    await a\n    return None\n",
        b"async def f(a):\n    await a\n    return None\n",
    ),
    "not ascii": (
        "def größe(ä: 'Maß' = 'é') -> int:\n    'Länge'\n    return len(ä)  # ß\n".encode(),
        "def größe(ä: 'Maß' = 'é') -> int:\n    'Länge'\n    return len(ä + 'ö')\n",
        "def größe(ä: 'Maß' = 'é') -> int:\n    'Länge'\n    return len(ä + 'ö')\n".encode(),
    ),
    "strings keep their blanks": (
        b"class A:\n    def f(self):\n        return 1\n",
        'def f(self):\n    return """\nx\n  y # z\n    """\n',
        b'class A:\n    def f(self):\n        return """\nx\n  y # z\n    """\n',
    ),
    "brackets": (
        b"class A:\n    def f(self):\n        return 1\n",
        "def f(self):\n    return max(\n1,\n        2)\n",
        b"class A:\n    def f(self):\n        return max(\n1,\n            2)\n",
    ),
    "byte order mark, no line at the end": (
        b"\xef\xbb\xbfdef f(a):\n    return a",
        "def f(a):\n    return -a\n",
        b"\xef\xbb\xbfdef f(a):\n    return -a",
    ),
    "decorated inside": (
        b"def f(a):\n    return a\n",
        "def f(a):\n    @staticmethod\n    def g():\n        return a\n    return g()\n",
        b"def f(a):\n    @staticmethod\n    def g():\n        return a\n    return g()\n",
    ),
    "type comments and blank lines": (
        b"def f(a):\n\n    # why\n    b = a\n\n    return b\n",
        "def f(a):\n\n    # why\n    b = a\n    \n    # why\n    return -b\n",
        b"def f(a):\n\n    # why\n    b = a\n\n    # why\n    return -b\n",
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_body_takes_the_form_of_its_file(
    form: str, speaker: Speaker, tmp_path: Path
) -> None:
    """Line ends, tabs, indentation, encoding; all else byte for byte."""
    healthy, code, buggy = FORMS[form]
    found = speaker.asked(block(code), tmp_path, healthy)
    assert found.refused == ()
    (bug,) = found.candidates
    assert apply_patch({"spans/core.py": File(healthy)}, bug.bug_patch) == {
        "spans/core.py": File(buggy)
    }


def test_functions_are_found_wherever_they_stand() -> None:
    code = b"""
def a():
    def b():
        return 1
    return b

class C:
    async def d(self):
        return 2

    class E:
        def f(self):
            return 3

if True:
    def g():
        return 4

def stub():
    raise NotImplementedError("later")
"""
    source = parse_source(code)
    assert isinstance(source, ParsedSource)
    found = [(one.name, one.kind) for one in find_entities(source)]
    assert found == [
        ("a", "function"),
        ("a.b", "nested_function"),
        ("C.d", "async_method"),
        ("C.E.f", "method"),
        ("g", "function"),
    ]


PIECES = st.lists(
    st.sampled_from(
        [
            "```", "```python\n", "\n", "def inside(value, low, high=inf):", "    ",
            "return value", '"""', "'", "\\", "#x", "\t", "(", ")", "if 1:", "f'{", "}",
            "\x0c", "\ufeff", "é", ";", "else:", "class A:", "async ", "@x", "yield",
        ]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@given(text=PIECES, framed=st.booleans())
def test_no_answer_breaks_the_reader_or_another_byte_of_the_file(
    *, text: str, framed: bool
) -> None:
    """A fault or a body; and a body that is put in place leaves the rest alone."""
    source = parse_source(CODE)
    assert isinstance(source, ParsedSource)
    (entity,) = find_entities(source)
    said = f"```\n{HEADER}    {text}\n```" if framed else text
    body = read_answer(
        said, "stop", entity, known=frozenset(CODE.decode()), comments=frozenset()
    )
    if not isinstance(body, Body):
        return
    data = splice(source, entity, body)
    if isinstance(data, bytes):
        assert data.startswith(CODE[: entity.body.start])
        assert data.endswith(CODE[entity.body.end :])
        tree = ast.parse(data)
        assert [type(node) for node in tree.body] == [
            type(node) for node in source.tree.body
        ]
