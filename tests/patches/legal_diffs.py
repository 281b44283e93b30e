"""Hypothesis strategies: files with all that is odd in them, trees, and legal diffs."""

from typing import Literal, get_args

from hypothesis import strategies as st

from envplatform.patches.names import quote_name
from envplatform.tree import File

LINES = st.sampled_from(
    [
        b"",
        b"\n",
        b"\r\n",
        b"a\n",
        b"b\n",
        b"a\r\n",
        b"x\ry\n",
        b"\x0c\n",
        b"s = '\xe2\x80\xa8'\n",
        b"\xe9\xff\n",
        b"-- a\n",
        b"++ b\n",
        b"-- a/f\n",
        b"++ b/f\n",
        b"-- \n",
        b"@@ -1 +1 @@\n",
        b"\\ No newline at end of file\n",
        b"diff --git a/x b/x\n",
        b"\xef\xbb\xbf# bom\n",
    ]
)
TEXT = st.builds(
    lambda lines, tail: b"".join(lines) + tail,
    st.lists(LINES, max_size=25),
    st.sampled_from([b"", b"a", b"tail", b"\r", b"\xc3"]),
)
DATA = st.one_of(
    TEXT, st.binary(max_size=60).map(lambda data: data.replace(b"\0", b""))
)
PATHS = st.sampled_from(
    ["a.py", "b c.py", "x b/y", "é/ü.py", 'q"uote', "tab\t", "n\nl", "d/e", "\udcff"]
)
FILES = st.builds(File, DATA, st.booleans())
TREES = st.dictionaries(PATHS, FILES, max_size=4)

_ENDED = LINES.filter(bool)
_BODY_LINES = st.tuples(st.sampled_from([b" ", b"-", b"+"]), _ENDED)
_MARKER = b"\\ No newline at end of file\n"


_Kind = Literal["git", "plain", "modes", "create", "delete", "rename"]
_KINDS: tuple[_Kind, ...] = get_args(_Kind)
_EXTENDED: dict[_Kind, list[bytes]] = {
    "git": [b"", b"dissimilarity index 99%\n"],
    "modes": [b"old mode 100644\nnew mode 100755\n"],
    "create": [b"new file mode 100755\n"],
    "delete": [b"deleted file mode 100644\n"],
    "rename": [b"", b"old mode 100755\nnew mode 100644\nsimilarity index 7%\n"],
}


@st.composite
def legal_diffs(draw: st.DrawFn) -> str:
    """Diffs as git and others print them, of files that need not exist."""
    paths = draw(st.lists(PATHS, min_size=1, max_size=3, unique=True))
    kinds: tuple[_Kind, ...] = ("plain",)
    if draw(st.booleans()):
        kinds = tuple(kind for kind in _KINDS if kind != "plain")
    prose = [b"", b"Subject: prose\n\n--- not a file\n"]
    parts = [draw(st.sampled_from(prose))]
    for path in paths:
        name = path.encode("utf-8", "surrogateescape")
        parts += draw(_file(name, draw(st.sampled_from(kinds))))
    parts.append(draw(st.sampled_from([b"", b"-- \n2.39.5\n\n", b"\n"])))
    return b"".join(parts).decode("utf-8", "surrogateescape")


@st.composite
def _file(draw: st.DrawFn, name: bytes, kind: _Kind) -> list[bytes]:
    old = name + b".was" if kind == "rename" else name
    head: list[bytes] = []
    if kind != "plain":
        head.append(_line(b"diff --git ", b"a/" + old, b"b/" + name))
        head.append(draw(st.sampled_from(_EXTENDED[kind])))
        if kind == "rename":
            head += [_line(b"rename from ", old), _line(b"rename to ", name)]
        if kind != "git" and draw(st.booleans()):
            return head
        head.append(
            draw(st.sampled_from([b"", b"index 1..2\n", b"index 1..2 100644\n"]))
        )
    stamp = draw(st.sampled_from([b"", b"\t2020-01-01 00:00:00"]))
    for mark, side, missing in (
        (b"--- ", b"a/" + old, "create"),
        (b"+++ ", b"b/" + name, "delete"),
    ):
        spelled = b"/dev/null" if kind == missing else quote_name(side)
        head.append(mark + spelled + stamp + b"\n")
    return [*head, *draw(_hunks(kind))]


def _line(start: bytes, *names: bytes) -> bytes:
    return start + b" ".join(quote_name(name) for name in names) + b"\n"


@st.composite
def _hunks(draw: st.DrawFn, kind: _Kind) -> list[bytes]:
    one_sided = {"create": b"+", "delete": b"-"}.get(kind)
    parts: list[bytes] = []
    ends = [0, 0]
    for _ in range(1 if one_sided else draw(st.integers(1, 3))):
        body = draw(st.lists(_BODY_LINES, max_size=8))
        body.append((draw(st.sampled_from([b"-", b"+"])), b"last\n"))
        if one_sided:
            body = [(one_sided, text) for _, text in body]
        gap = 0 if one_sided else draw(st.integers(0, 5))
        counts = [sum(origin != skip for origin, _ in body) for skip in (b"+", b"-")]
        ranges = [
            draw(_range(end + gap, count))
            for end, count in zip(ends, counts, strict=True)
        ]
        ends = [end + gap + count for end, count in zip(ends, counts, strict=True)]
        section = draw(st.sampled_from([b"", b" def f():", b" @@ \xe9"]))
        parts.append(b"@@ -%s +%s @@%s\n" % (*ranges, section))
        for origin, text in body:
            may_be_bare = origin == b" " and text in {b"\n", b"\r\n"}
            bare = may_be_bare and draw(st.booleans())
            parts.append(text if bare else origin + text)
    if draw(st.booleans()):
        parts.append(_MARKER)
    return parts


@st.composite
def _range(draw: st.DrawFn, start: int, count: int) -> bytes:
    first = start + 1 if count else start
    if count == 1 and draw(st.booleans()):
        return b"%d" % first
    return b"%d,%d" % (first, count)
