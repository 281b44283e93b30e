"""Whole fixes: verdict, evidence, and input that is broken or hostile."""

import time
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.swe.fixes.bug_type import BUG_TYPES, BugType
from envplatform.swe.fixes.bug_types.classify import classify, classify_parsed
from envplatform.swe.fixes.bug_types.source import (
    MAX_CLASSIFIED_BYTES,
    FileChange,
    read_source,
)
from envplatform.tree import File, Tree


def _tree(text: str | bytes, path: str = "pkg/a.py") -> Tree:
    return {path: File(text if isinstance(text, bytes) else text.encode())}


FIXES: dict[BugType, tuple[str, str]] = {
    "interface": (
        "def send(url):\n    return post(url)\n",
        "def send(url, headers=None):\n    return post(url, headers=headers)\n",
    ),
    "logic": (
        "def f(a, b):\n    if a and b:\n        return 1\n",
        "def f(a, b):\n    if a or b:\n        return 1\n",
    ),
    "boundary": (
        "def first(names):\n    return names[0]\n",
        "def first(names):\n    if not names:\n        return None\n    return names[0]\n",
    ),
    "constructor": (
        "class A(B):\n    def __init__(self, n):\n        self.n = n\n",
        "class A(B):\n    def __init__(self, n):\n        super().__init__(n)\n        self.n = n\n",
    ),
    "import": (
        "from collections import Mapping\n",
        "from collections.abc import Mapping\n",
    ),
    "state": (
        "class A:\n    def close(self):\n        self.io.stop()\n",
        "class A:\n    def close(self):\n        self.io.stop()\n        self.closed = True\n",
    ),
    "mutability": (
        "def merge(a, b):\n    out = a\n    out.update(b)\n    return out\n",
        "def merge(a, b):\n    out = dict(a)\n    out.update(b)\n    return out\n",
    ),
    "resource": (
        "def read(p):\n    with open(p) as f:\n        return f.read()\n",
        "def read(p):\n    with open(p, encoding='utf-8') as f:\n        return f.read()\n",
    ),
    "data": (
        "URL = re.compile(r'https://(\\w+)\\.org')\n",
        "URL = re.compile(r'https?://(\\w+)\\.org')\n",
    ),
    "exception": (
        "def load(p):\n    return parse(p)\n",
        "def load(p):\n    try:\n        return parse(p)\n    except ValueError as error:\n        raise Bad(p) from error\n",
    ),
    "concurrency": (
        "class A:\n    def put(self, x):\n        self.items[x] = 1\n",
        "class A:\n    def put(self, x):\n        with self._lock:\n            self.items[x] = 1\n",
    ),
    "type": (
        "def sign(text):\n    return digest(text)\n",
        "def sign(text):\n    return digest(text.encode())\n",
    ),
    "other": ("def f():\n    return 1\n", "def f():\n    return 1  # one\n"),
}


@pytest.mark.parametrize("bug_type", BUG_TYPES)
def test_a_plain_fix_is_of_its_type(bug_type: BugType) -> None:
    buggy, fixed = FIXES[bug_type]
    assert classify(_tree(buggy), _tree(fixed)).bug_type == bug_type


def test_evidence_names_the_strongest_rule_first() -> None:
    buggy, fixed = FIXES["concurrency"]
    assert classify(_tree(buggy), _tree(fixed)).evidence[0] == "locked"


def test_code_before_the_change_makes_no_difference() -> None:
    buggy, fixed = FIXES["boundary"]
    before = "".join(f"def g{n}(x):\n    return x[{n}]\n\n\n" for n in range(200))
    plain = classify(_tree(buggy), _tree(fixed))
    assert classify(_tree(before + buggy), _tree(before + fixed)) == plain


def test_the_order_of_files_makes_no_difference() -> None:
    sides = [
        FileChange(
            path=f"{bug_type}.py",
            buggy=read_source(buggy.encode()),
            fixed=read_source(fixed.encode()),
        )
        for bug_type, (buggy, fixed) in FIXES.items()
    ]
    assert classify_parsed(sides) == classify_parsed(sides[::-1])


def test_tests_do_not_count_beside_code() -> None:
    buggy, fixed = FIXES["concurrency"]
    code = FIXES["type"]
    verdict = classify(
        {**_tree(buggy, "tests/test_a.py"), **_tree(code[0])},
        {**_tree(fixed, "tests/test_a.py"), **_tree(code[1])},
    )
    assert verdict.bug_type == "type"


def test_packaging_does_not_count_beside_code() -> None:
    code = FIXES["type"]
    verdict = classify(
        {**_tree("X = ['a', 'b']\n", "setup.py"), **_tree(code[0])},
        {**_tree("X = ['a', 'b', 'c', 'd']\n", "setup.py"), **_tree(code[1])},
    )
    assert verdict.bug_type == "type"


def test_a_moved_definition_is_no_change() -> None:
    one, two = "def f(a):\n    return a\n\n\n", "def g(a):\n    return -a\n\n\n"
    verdict = classify(_tree(one + two), _tree(two + one))
    assert verdict.evidence == ("same_code",)


def test_a_changed_docstring_is_no_change() -> None:
    verdict = classify(
        _tree('def f():\n    """One."""\n    g()\n'),
        _tree('def f():\n    """Two."""\n    g()\n'),
    )
    assert verdict.evidence == ("same_code",)


def test_a_changed_docstring_of_the_module_is_no_change() -> None:
    verdict = classify(_tree('"""One."""\na = 1\n'), _tree('"""Two."""\na = 1\n'))
    assert verdict.evidence == ("same_code",)


def test_examples_do_not_count_beside_code() -> None:
    code, data = FIXES["type"], FIXES["data"]
    verdict = classify(
        {**_tree(data[0], "examples/a.py"), **_tree(code[0])},
        {**_tree(data[1], "examples/a.py"), **_tree(code[1])},
    )
    assert verdict.bug_type == "type"


@pytest.mark.parametrize(
    ("added", "bug_type"),
    [
        pytest.param("if n is None:\n        return", "boundary", id="was there"),
        pytest.param("m = g(n)\n    if m is None:\n        return", "logic", id="new"),
        pytest.param("if n is None:\n        n = g()", "logic", id="default"),
    ],
)
def test_only_checks_of_what_was_there_are_of_its_edges(
    added: str, bug_type: BugType
) -> None:
    verdict = classify(
        _tree("def f(n):\n    h(n)\n"), _tree(f"def f(n):\n    {added}\n    h(n)\n")
    )
    assert verdict.bug_type == bug_type


def test_another_class_of_exception_is_of_what_is_raised() -> None:
    verdict = classify(
        _tree("def f():\n    raise KeyError(g(1))\n"),
        _tree("def f():\n    raise LostError(g(1))\n"),
    )
    assert verdict.evidence[0] == "raised_changed"


def test_all_parts_of_an_annotation_are_of_types() -> None:
    verdict = classify(
        _tree("class A:\n    x: Union[bool, Any] = None\n"),
        _tree("class A:\n    x: Union[Dict[str, Any], bool] = None\n"),
    )
    assert verdict.bug_type == "type"


def test_arguments_outside_of_functions_are_data() -> None:
    buggy, fixed = "class A:\n    x = OneOf(a)\n", "class A:\n    x = OneOf(a, b)\n"
    assert classify(_tree(buggy), _tree(fixed)).bug_type == "data"


def test_line_ends_do_not_count() -> None:
    text = "def f():\n    return 1\n"
    verdict = classify(_tree(text), _tree(text.replace("\n", "\r\n")))
    assert verdict.evidence == ("same_code",)


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(b"def f(:\n", id="syntax error"),
        pytest.param(b"print 'two'\n", id="Python 2"),
        pytest.param(b"a = 1\0\n", id="NUL"),
        pytest.param(b"x = '\xe9'\n", id="latin-1 without a cookie"),
        pytest.param(b"\xff\xfea\0=\x001\0\n\0", id="UTF-16"),
        pytest.param(b"# coding: no-such-codec\na = 1\n", id="unknown codec"),
        pytest.param(b"(" * 5_000 + b")" * 5_000, id="deep parentheses"),
        pytest.param(b"-" * 200_000 + b"1", id="deep operators"),
        pytest.param(b"x=1\n" * (MAX_CLASSIFIED_BYTES // 4 + 1), id="too large"),
    ],
)
def test_a_side_that_does_not_parse_ends_in_other(broken: bytes) -> None:
    verdict = classify(_tree(broken), _tree(broken + b"\n# \n"))
    assert verdict.bug_type == "other"
    assert verdict.evidence == ("does_not_parse",)


def test_a_fix_of_a_syntax_error_is_not_taken_for_new_code() -> None:
    verdict = classify(
        _tree("def f(:\n    raise A\n"), _tree("def f():\n    raise A\n")
    )
    assert verdict.evidence == ("does_not_parse",)


def test_what_nests_too_deep_to_walk_ends_in_other() -> None:
    deep = "x = " + "+".join(["a"] * 900) + "\n"
    verdict = classify(_tree(deep), _tree(deep.replace("x", "y")))
    assert (verdict.bug_type, verdict.evidence) == ("other", ("too_deep",))


def test_latin_1_with_a_cookie_is_read() -> None:
    cookie = b"# coding: latin-1\n"
    verdict = classify(
        _tree(cookie + b"NAMES = ['\xe9']\n"), _tree(cookie + b"NAMES = ['\xe8']\n")
    )
    assert verdict.bug_type == "data"


@pytest.mark.parametrize(
    "text", ["", "\n", "\ufeffa = 1\n", "a = 1\f\n", "x = '\u2028'\n", "a = 1"]
)
def test_odd_but_valid_files_are_taken(text: str) -> None:
    verdict = classify(_tree(text), _tree(text + "\nif a:\n    f(a)\n"))
    assert verdict.bug_type == "logic"


def test_created_and_deleted_files_are_taken() -> None:
    code = _tree("def f():\n    return g()\n")
    assert classify({}, code).bug_type != "other"
    assert classify(code, {}).bug_type != "other"


def test_no_python_at_all_is_other() -> None:
    verdict = classify(_tree("a", "a.md"), _tree("b", "a.md"))
    assert verdict.evidence == ("no_code",)


def test_warnings_of_old_escapes_stay_inside() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        verdict = classify(_tree("x = '\\d'\n"), _tree("x = '\\d+'\n"))
    assert verdict.bug_type == "data"


@pytest.mark.parametrize(
    ("buggy", "fixed"),
    [
        pytest.param(
            "".join(f"a{n} = {n}\n" for n in range(40_000)),
            "".join(f"a{n} = {n + 1}\n" for n in range(40_000)),
            id="40,000 statements",
        ),
        pytest.param(
            "X = {" + "".join(f"{n}: {n},\n" for n in range(60_000)) + "}\n",
            "X = {" + "".join(f"{n}: {-n},\n" for n in range(60_000)) + "}\n",
            id="60,000 entries",
        ),
        pytest.param(
            "".join(f"def f{n}(): pass\n" for n in range(20_000)),
            "".join(f"def g{n}(): pass\n" for n in range(20_000)),
            id="20,000 functions",
        ),
        pytest.param(
            "".join(f"if a{n}:\n  b({n})\n" for n in range(10_000)),
            "".join(f"while a{n}:\n  b({n})\n" for n in range(10_000)),
            id="10,000 branches",
        ),
    ],
)
def test_hostile_files_take_bounded_time(buggy: str, fixed: str) -> None:
    started = time.process_time()
    classify(_tree(buggy), _tree(fixed))
    assert time.process_time() - started < 15


_STATEMENTS = st.sampled_from(
    [line for pair in FIXES.values() for text in pair for line in text.splitlines()]
)


@given(st.lists(_STATEMENTS, max_size=12), st.lists(_STATEMENTS, max_size=12))
def test_any_two_texts_get_a_verdict(one: list[str], other: list[str]) -> None:
    verdict = classify(_tree("\n".join(one)), _tree("\n".join(other)))
    assert verdict.bug_type in BUG_TYPES
    assert verdict.evidence


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_any_bytes_get_a_verdict(one: bytes, other: bytes) -> None:
    assert classify(_tree(one), _tree(other)).evidence
