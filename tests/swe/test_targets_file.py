"""target.toml: what is read, and errors that name file, key and remedy."""

from pathlib import Path

import pytest

from envplatform.errors import ConfigError
from envplatform.swe.targets import (
    FolderSource,
    SdistSource,
    builtin_target,
    builtin_targets,
    load_target,
    parse_target,
)

GOOD = """
name = "owner__name"
license = "MIT"
python = ["3.11"]
requirements = ["pytest==9.2.0", "coverage==7.17.5"]

[source]
kind = "path"
path = "../somewhere"

[code]
roots = ["package"]
exclude = ["package/vendored/*"]
"""

JUNIT = "[suite]\nresults = 'junit'\ncommand = ['a']"
SERVICE = "[[services]]\nname = 'a'\ncommand = ['b']\nready = ['c']\n"


def parsed(text: str) -> object:
    """Parse with a fixed name."""
    return parse_target(text, source="x/target.toml", folder=Path("x"))


def test_a_small_file_has_defaults() -> None:
    """Only what can't be guessed must be written."""
    target = parse_target(GOOD, source="x", folder=Path("folder"))
    assert target.source == FolderSource(path=Path("folder/../somewhere"))
    assert target.requirements == ("coverage==7.17.5", "pytest==9.2.0")
    assert target.suite.paths == (".",)
    assert target.suite.pythonpath == (".",)


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ('license = "MIT"\n', "", ["license", "is missing; add it"]),
        ("license", "licence", ["licence", "no such key"]),
        ("owner__name", "name", ["name", "'name'"]),
        ("owner__name", "../x__y", ["name"]),
        ("3.11", "3.11.4", ["python", "3.11.4"]),
        ("3.11", "2.7", ["python"]),
        (
            "pytest==9.2.0",
            "pytest>=9",
            ["requirements", "'pytest>=9'", "name==version"],
        ),
        ("coverage==7.17.5", "toolz==1.0", ["requirements", "no pin for coverage"]),
        (
            '"path"',
            '"image"',
            ["source.kind = 'image'", "stand under [image]", "sdist"],
        ),
        ('"path"', '"git"', ["source.git.commit", "is missing; add it"]),
        ('"path"', '"svn"', ["source", "'sdist', 'path', 'git'"]),
        ('["package"]', "[]", ["code.roots"]),
        ('["package"]', '["../x"]', ["code.roots", "not a clean relative path"]),
        ('["package"]', '["-x"]', ["code.roots", "read as an option"]),
        ('["package"]', '"package"', ["code.roots", "'package'"]),
        ("[code]", "[suite]\ntest_timeout_s = 0\n[code]", ["suite.test_timeout_s"]),
        ("[code]", "[suite]\npaths = ['/x']\n[code]", ["suite.paths"]),
        ("[code]", "[package]\nname='a'\nversion=\"1\\n2\"\n[code]", ["version"]),
        (
            "[code]",
            "[package]\nname='a'\nversion='1'\nentry_points={a={\"b]\\nc\"='d'}}\n[code]",
            ["entry_points"],
        ),
        ('python = ["3.11"]\n', "", ["python is missing", "[image]"]),
        ("[code]", "[suite]\nresults = 'junit'\n[code]", ["needs command", "report"]),
        ("[code]", "[suite]\ncommand = ['a']\n[code]", ["are for results", "junit"]),
        ("[code]", f"{JUNIT}\nreport = '../r.xml'\n[code]", ["clean relative path"]),
        ("[code]", f"{JUNIT}\nreport = '.'\n[code]", ["the tree itself"]),
        ("[code]", f"{JUNIT}\nreport = 'r'\nargs = ['-x']\n[code]", ["args are"]),
        ("[code]", "[[services]]\nname = 'a'\n[code]", ["services.0.command"]),
        ("[code]", f"{2 * SERVICE}[code]", ["services", "hold a name twice"]),
        (
            "[code]",
            SERVICE.replace("['b']", "'b'") + "[code]",
            ["services.0.command"],
        ),
        ("[code]", "[code", ["not valid TOML", "line"]),
    ],
)
def test_a_wrong_key_is_named(old: str, new: str, parts: list[str]) -> None:
    """In one message: file, key, what stands there, what to do."""
    assert old in GOOD
    with pytest.raises(ConfigError) as caught:
        parsed(GOOD.replace(old, new))
    for part in ("x/target.toml", *parts):
        assert part in str(caught.value)


def test_a_digest_must_be_one() -> None:
    """A shortened or absent digest would check nothing."""
    sdist = '[source]\nkind = "sdist"\npackage = "a"\nversion = "1"\nsha256 = "abc"\n'
    text = GOOD.replace('[source]\nkind = "path"\npath = "../somewhere"\n', sdist)
    with pytest.raises(ConfigError, match=r"source\.sdist\.sha256"):
        parsed(text)


def test_a_missing_or_unreadable_file_is_named(tmp_path: Path) -> None:
    """Not there, or no UTF-8."""
    with pytest.raises(ConfigError, match=r"target\.toml can't be read"):
        load_target(tmp_path / "target.toml")
    (tmp_path / "target.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"target\.toml can't be read"):
        load_target(tmp_path / "target.toml")


def test_twelve_targets_ship_with_the_package() -> None:
    """Each is pinned, and lies in a file of its own name."""
    assert len(builtin_targets()) == 12
    for name in builtin_targets():
        target = builtin_target(name)
        assert target.name == name
        assert isinstance(target.source, SdistSource)
        assert target.license in {"MIT", "BSD-3-Clause"}


def test_an_unknown_builtin_lists_the_known() -> None:
    """A slip of the finger is easily mended."""
    with pytest.raises(ConfigError, match="pytoolz__toolz"):
        builtin_target("toolz")


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("toolz/itertoolz.py", False),
        ("toolz/tests/test_itertoolz.py", True),
        ("toolz/tests/data.json", True),
        ("conftest.py", True),
        ("toolz/conftest.py", True),
        ("setup.cfg", True),
        ("pyproject.toml", True),
        ("site.pth", True),
        ("sitecustomize.py", True),
        ("README.rst", False),
    ],
)
def test_what_belongs_to_the_tests(path: str, *, is_test: bool) -> None:
    """Tests inside the package, and files that steer them from anywhere."""
    target = builtin_target("pytoolz__toolz")
    assert target.is_test_file(path) is is_test
    assert not (is_test and target.source_paths({path: None}))  # type: ignore[dict-item]
