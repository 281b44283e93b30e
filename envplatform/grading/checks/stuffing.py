"""stuffing: an answer made of nothing but the grader's own literals does not score.

A grader that looks for words in a text, or counts lines, is satisfied by who throws all
words at it. Files that the oracle made or changed are replaced; its session, log
included, stands, as an agent may go through the motions.
"""

import csv
import io
import json
import re
from collections.abc import Iterator

from envplatform.bundle import CheckResult
from envplatform.grading.batch import Bench
from envplatform.grading.checks.full_marks import nothing_to_damage
from envplatform.grading.checks.oracle_max import describe
from envplatform.grading.evidence import Evidence
from envplatform.grading.mutants import is_json
from envplatform.grading.pieces import Piece, pieces_of, solved_of, with_file
from envplatform.grading.sessions import Final
from envplatform.grading.shingles import text_of
from envplatform.tree import File, Tree

NAME = "stuffing"
MOST_REWARD = 0.5
"""What a stuffed answer may get: form alone, never the substance."""
_MOST_LITERALS = 2_000
_MOST_COLUMNS = 60
_QUOTED = re.compile(r"\"((?:[^\"\\\n]|\\.)+)\"|'((?:[^'\\\n]|\\.)+)'")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
_LABEL = re.compile(r"[A-Za-z_][\w-]{0,63}")
_DATA = (".txt", ".csv", ".tsv", ".json", ".jsonl", ".toml", ".yaml", ".md")


async def stuffing(evidence: Evidence, bench: Bench) -> CheckResult:
    """Passed if every stuffed answer has a verdict of `MOST_REWARD` or less.

    Raises:
        SandboxError: a sandbox failed; nothing is concluded.
    """
    undone = nothing_to_damage(NAME, evidence)
    if undone is not None:
        return undone
    literals = literals_of(evidence.environment.tests)
    states = list(_stuffed(solved_of(evidence), pieces_of(evidence), literals))
    gradings = await bench.grade([final for _, final in states])
    for (name, _), found in zip(states, gradings, strict=True):
        if found.reward is None or found.reward > MOST_REWARD:
            what = f"{len(literals)} literals as {name}: {describe(found)}"
            return CheckResult(name=NAME, status="failed", evidence=what)
    best = max(found.reward or 0.0 for found in gradings)
    what = (
        f"{len(literals)} literals of the grader, as {', '.join(n for n, _ in states)}, "
        f"get at most {best:g}; {MOST_REWARD} is allowed"
    )
    return CheckResult(name=NAME, status="passed", evidence=what)


def literals_of(tests: Tree) -> tuple[str, ...]:
    """Return texts and numbers that stand in a grader, each once, in their order."""
    found: dict[str, None] = {}
    for path in sorted(tests):
        text = text_of(tests[path].data)
        for match in _QUOTED.finditer(text):
            found[match.group(1) or match.group(2)] = None
        found.update(dict.fromkeys(_NUMBER.findall(text)))
        if path.endswith(_DATA):
            found.update(dict.fromkeys(filter(None, text.splitlines())))
    return tuple(found)[:_MOST_LITERALS]


def _stuffed(
    solved: Final, pieces: tuple[Piece, ...], literals: tuple[str, ...]
) -> Iterator[tuple[str, Final]]:
    for name, rich in (("words", None), ("lists", True), ("pairs", False)):
        final = solved
        for piece in pieces:
            data = _words(literals) if rich is None else _shaped(piece, literals, rich)
            final = with_file(final, piece, File(data))
        yield name, final


def _shaped(piece: Piece, literals: tuple[str, ...], rich: bool) -> bytes:  # noqa: FBT001
    """Fill the form that the oracle's own file has: an object, a list or a table."""
    labels = [one for one in literals if _LABEL.fullmatch(one)]
    after = piece.after.data if piece.after is not None else b""
    if is_json(after):
        every: object = list(literals)
        whole = {name: every if rich else name for name in labels}
        in_list = after.lstrip().startswith(b"[")
        return json.dumps([whole] if in_list else whole).encode(
            "utf-8", "surrogatepass"
        )
    if not piece.path.endswith((".csv", ".tsv")):
        return _words(literals)
    lines = io.StringIO()
    heads = labels[:_MOST_COLUMNS]
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(heads)
    rows = [[one] * len(heads) for one in literals] if rich else [heads] * len(heads)
    writer.writerows(rows)
    return lines.getvalue().encode("utf-8", "surrogateescape")


def _words(literals: tuple[str, ...]) -> bytes:
    return "".join(f"{one}\n" for one in literals).encode("utf-8", "surrogateescape")
