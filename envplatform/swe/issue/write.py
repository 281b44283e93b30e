"""Write an issue by template, blind; then hold it against the patch, which it never saw."""

import re
from dataclasses import replace
from random import Random

from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.issue.examples import Example, example_of, subjects_of
from envplatform.swe.issue.facts import FailingTest, IssueFacts
from envplatform.swe.issue.gather import gather_facts
from envplatform.swe.issue.hidden import HiddenTests
from envplatform.swe.issue.issue import Issue
from envplatform.swe.issue.leaks import find_leaks
from envplatform.swe.issue.material import Material
from envplatform.swe.issue.report import read_failure
from envplatform.swe.issue.snippets import session
from envplatform.swe.issue.template import MAX_MORE, fits_sentence, render
from envplatform.swe.targets import HealthyRepository

MAX_TESTS_READ = 30
"""Failing tests that are looked at for examples; the rest only counts."""
_PLAINEST = 3
_OUTPUTS = 2
_OUTPUT_LINES = 12
_TOPIC = 80
_SUBJECTS = 3


def issue_for(
    repository: HealthyRepository,
    candidate: BugCandidate,
    verdict: Verdict,
    *,
    seed: int,
) -> Issue:
    """Write the issue of a proven bug and look for leaks in it.

    The candidate is shown to the leak check alone. Deterministic in its arguments.
    """
    facts = gather_facts(repository, verdict)
    issue = write_issue(facts, seed=seed)
    leaks = find_leaks(issue.text, patch=candidate.bug_patch, seen=facts.seen())
    return replace(issue, leaks=leaks)


def write_issue(facts: IssueFacts, *, seed: int) -> Issue:
    """Write an issue from failing behaviour and public documentation.

    Never holds a passage of a failing test's file, as `grading` defines it, nor a test's id:
    those tests are hidden from whoever solves it.
    """
    name = f"{seed}:{facts.package}:{facts.tests[0].test_id}"
    secrets = HiddenTests.of(facts.tests)
    examples = _examples(facts, secrets)
    attempts = [
        Material(facts=facts, examples=_chosen(examples, Random(name))),  # noqa: S311
        Material(facts=facts, examples=(), topic=_topic(facts.tests[0])),
        Material(facts=facts, examples=()),
    ]
    if not examples:
        attempts[0] = _without_examples(facts, secrets)
    texts = (render(material, Random(name)) for material in attempts)  # noqa: S311
    text = next((text for text in texts if not secrets.are_in(text)), "")
    return Issue(text=text or f"# {facts.package} is broken\n", writer="template")


def _examples(facts: IssueFacts, secrets: HiddenTests) -> list[Example]:
    """Examples of the failing tests, each only once, in the order of the tests."""
    found: dict[str, Example] = {}
    for test in facts.tests[:MAX_TESTS_READ]:
        example = example_of(test, facts.modules) if test.report else None
        if example is None:
            continue
        code = session((*example.given, *example.steps, example.expression), "")
        values = (example.expected, example.actual, example.details)
        if not any(map(secrets.are_in, (code, *values))):
            found.setdefault(f"{code}\n{example.expected}", example)
    return list(found.values())


def _chosen(examples: list[Example], random: Random) -> tuple[Example, ...]:
    """One of the plainest examples, then some of other things, else of other inputs."""
    if not examples:
        return ()
    plain = sorted(examples, key=_effort)
    alike = [one for one in plain if len(one.fixtures) == len(plain[0].fixtures)]
    first = random.choice(alike[:_PLAINEST])
    others = [
        one
        for one in plain
        if one.stands_alone
        and one.actual
        and fits_sentence(one)
        and one.expression != first.expression
    ]
    random.shuffle(others)
    others.sort(key=lambda one: one.subject == first.subject)
    return (first, *others[:MAX_MORE])


def _effort(example: Example) -> tuple[int, bool, int, int]:
    """Less is better to read."""
    return (
        len(example.fixtures),
        not example.actual,
        len(example.steps),
        len(example.expression),
    )


def _without_examples(facts: IssueFacts, secrets: HiddenTests) -> Material:
    outputs: list[str] = []
    for test in facts.tests[:MAX_TESTS_READ]:
        failure = read_failure(test.report)
        shown = [f"> {line}" for line in failure.lines[-1:] if line]
        output = "\n".join((*shown, *failure.errors[:_OUTPUT_LINES]))
        if failure.errors and output not in outputs and not secrets.are_in(output):
            outputs.append(output)
    error = read_failure(facts.tests[0].report).exception
    return Material(
        facts=facts,
        examples=(),
        outputs=tuple(outputs[:_OUTPUTS]),
        topic=_topic(facts.tests[0]),
        error=error[0] if error else "",
        subjects=subjects_of(facts.tests[0], facts.modules)[:_SUBJECTS],
    )


def _topic(test: FailingTest) -> str:
    """A test's name in words; empty if it has none."""
    words = re.findall(r"[A-Za-z0-9]+", test.names[-1]) if test.names else []
    return " ".join(word for word in words if word.lower() != "test")[:_TOPIC]
