"""A file taken apart, and put together with one part exchanged."""

from hypothesis import given
from hypothesis import strategies as st

from envplatform.swe.fixes.releases.units import take_apart

SOURCE = b'''\
"""Module."""
import os

LIMIT = 3
__version__ = "1"


@cached
def top(n: int) -> int:
    """Text."""
    return n  # end


class Box:
    size: int = 1

    def get(self):
        return self.size

    class Inner:
        def get(self): return 1
'''


def test_functions_methods_and_assignments_are_units() -> None:
    found = take_apart(SOURCE)
    assert found is not None
    assert {name: unit.kind for name, unit in found.units.items()} == {
        "LIMIT": "assignment",
        "top": "function",
        "Box.size": "assignment",
        "Box.get": "method",
        "Box.Inner.get": "method",
    }


def test_a_unit_owns_its_decorators() -> None:
    found = take_apart(SOURCE)
    assert found is not None
    unit = found.units["top"]
    assert found.lines[unit.first] == b"@cached\n"
    assert found.lines[unit.end - 1] == b"    return n  # end\n"


def test_docstrings_comments_types_and_places_are_no_code() -> None:
    one = take_apart(b"def f(n):\n    return n\n")
    two = take_apart(b'\n\ndef f(n: int) -> int:\n    """Doc."""\n    return n  # !\n')
    other = take_apart(b"def f(n):\n    return -n\n")
    assert one is not None
    assert two is not None
    assert other is not None
    assert one.units["f"].code == two.units["f"].code != other.units["f"].code


def test_what_stands_twice_or_shares_a_line_is_no_unit() -> None:
    found = take_apart(b"def f(): pass\ndef f(): pass\nA = 1; B = 2\nC = 3\n")
    assert found is not None
    assert set(found.units) == {"C"}


def test_what_is_no_python_is_not_taken_apart() -> None:
    for data in (b"print 1\n", b"\0", b"x = 1\ry = 2\n", b"\xff = 1\n", b"(" * 5000):
        assert take_apart(data) is None


def test_an_expression_too_deep_to_print_is_no_failure() -> None:
    found = take_apart(b"X = " + b"+".join([b"1"] * 3000) + b"\n")
    assert found is None or found.units["X"].code == ""


def test_crlf_form_feeds_and_line_separators_do_not_shift_lines() -> None:
    source = 'A = "\u2028"\r\n\f\r\ndef f():\r\n    return 1\r\n'.encode()
    found = take_apart(source)
    assert found is not None
    unit = found.units["f"]
    assert found.lines[unit.first] == b"def f():\r\n"


def test_a_unit_from_an_end_without_newline_gets_one() -> None:
    new = take_apart(b"def f():\n    return 2\n\nX = 1\n")
    old = take_apart(b"def f():\n    return 1")
    assert new is not None
    assert old is not None
    made = new.with_lines_of(new.units["f"], old, old.units["f"])
    assert made == b"def f():\n    return 1\n\nX = 1\n"


BLOCKS = st.lists(
    st.sampled_from(
        [b"A = 1\n", b"def f():\n    pass\n", b"\n", b"# \xc3\xa9\r\n", b"import os\n"]
    ),
    max_size=8,
)


@given(BLOCKS)
def test_a_unit_exchanged_for_itself_changes_no_byte(blocks: list[bytes]) -> None:
    data = b"".join(blocks)
    found = take_apart(data)
    assert found is not None
    for unit in found.units.values():
        assert found.with_lines_of(unit, found, unit) == data
