"""From a healthy repository and a verdict to what an issue writer may know."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from envplatform.swe.candidate import Verdict
from envplatform.swe.issue.facts import ApiDoc, FailingTest, IssueFacts
from envplatform.swe.issue.report import split_report
from envplatform.swe.issue.testcode import Function, parse_test
from envplatform.swe.targets import HealthyRepository, SdistSource
from envplatform.swe.targets.testfiles import pytest_id
from envplatform.tree import Tree

MAX_SUMMARY = 300


def gather_facts(repository: HealthyRepository, verdict: Verdict) -> IssueFacts:
    """Gather the facts of one proven bug. The bug itself is no argument."""
    reports = split_report(verdict.failure_report, verdict.fail_to_pass)
    target, tree = repository.target, repository.tree
    tests = tuple(
        FailingTest(
            test_id=name,
            source=_text(tree, name.split("::")[0]),
            report=reports.get(test, ""),
        )
        for test in sorted(verdict.fail_to_pass)
        for name in [pytest_id(target, tree, test)]
    )
    sources = {test.path: test.source for test in tests}
    package, version = _published(repository)
    return IssueFacts(
        package=package,
        version=version,
        python=repository.image.python,
        modules=_modules(repository),
        tests=tests,
        docs=tuple(_docs(repository, sources)),
    )


def _published(repository: HealthyRepository) -> tuple[str, str]:
    """Name and version; for a folder, the repository's name and none."""
    source = repository.target.source
    if isinstance(source, SdistSource):
        return source.package, source.version
    return repository.name.split("__", 1)[-1], ""


def _text(tree: Tree, path: str) -> str:
    file = tree.get(path)
    return file.data.decode("utf-8", "replace") if file else ""


def _modules(repository: HealthyRepository) -> frozenset[str]:
    """Top-level names that the code is imported by."""
    target = repository.target
    roots = sorted(target.suite.pythonpath, key=len, reverse=True)
    names: set[str] = set()
    for path in target.source_paths(repository.tree):
        for root in roots:
            inside = path if root == "." else path.removeprefix(f"{root}/")
            if root == "." or inside != path:
                names.add(PurePosixPath(inside).parts[0].removesuffix(".py"))
                break
    return frozenset(name for name in names if name.isidentifier())


def _docs(repository: HealthyRepository, tests: Mapping[str, str]) -> Iterator[ApiDoc]:
    """Docstrings of public things whose name stands in a failing test's file."""
    used = {name for source in tests.values() for name in _words(source)}
    found: dict[str, ApiDoc] = {}
    for path in repository.target.source_paths(repository.tree):
        module = parse_test(_text(repository.tree, path))
        for name, node in _public(module) if module else ():
            summary = _summary(node)
            if summary and name.rsplit(".", 1)[-1] in used:
                found.setdefault(name, ApiDoc(name=name, summary=summary))
    yield from (found[name] for name in sorted(found))


def _words(source: str) -> set[str]:
    module = parse_test(source)
    words: set[str] = set()
    for node in ast.walk(module) if module else ():
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.alias(name=word):
                words.add(word)
    return words


def _public(module: ast.Module) -> Iterator[tuple[str, Function | ast.ClassDef]]:
    for node in module.body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            yield node.name, node
            for inner in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(inner, Function) and not inner.name.startswith("_"):
                    yield f"{node.name}.{inner.name}", inner


def _summary(node: Function | ast.ClassDef) -> str:
    paragraph = (ast.get_docstring(node) or "").split("\n\n", 1)[0]
    line = " ".join(paragraph.split())
    return line if len(line) <= MAX_SUMMARY else ""
