"""Guesses about repositories: layouts, what they need, and what is said of them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from envplatform.errors import TargetError
from envplatform.swe.targets import Package, parse_target
from envplatform.swe.targets.drafting import Draft, draft_target, draft_text
from envplatform.swe.targets.drafting.declared import read_declared
from envplatform.swe.targets.drafting.declared_needs import caret_free
from envplatform.swe.targets.drafting.setup_file import setup_arguments
from tests.swe.made_suites import tree_of

TEST = "from pkg import x\n\n\ndef test_x():\n    assert x\n"


def pins_of(asked: Sequence[str], _: str) -> tuple[str, ...]:
    """An index that has 1.0 of everything."""
    names = {word.split(";")[0].split("=")[0].strip("<>~! ").lower() for word in asked}
    return tuple(sorted(f"{name.split('[')[0].split('>')[0]}==1.0" for name in names))


def drafted(files: dict[str, str], *, called: str = "owner/name") -> Draft:
    """Guess about a made repository."""
    return draft_target(tree_of(files), called=called, running="3.11", resolve=pins_of)


def names_of(draft: Draft) -> set[str]:
    """Names of the pins."""
    return {pin.split("==")[0] for pin in draft.value("requirements")}


LAYOUTS = {
    "flat": ({"pkg/__init__.py": "x=1", "tests/test_a.py": TEST}, ("pkg",), (".",)),
    "src": (
        {"src/pkg/__init__.py": "x=1", "tests/test_a.py": TEST},
        ("src/pkg",),
        ("src", "."),
    ),
    "namespace below src": (
        {
            "src/big/pkg/__init__.py": "x=1",
            "tests/test_a.py": TEST.replace("from pkg", "from big.pkg"),
        },
        ("src/big",),
        ("src", "."),
    ),
    "namespace at the top": (
        {
            "big/pkg/__init__.py": "x=1",
            "docs/conf.py": "",
            "tests/test_a.py": TEST.replace("from pkg", "from big.pkg"),
        },
        ("big",),
        (".",),
    ),
    "one module": ({"pkg.py": "x=1", "test_pkg.py": TEST}, ("pkg.py",), (".",)),
    "named folder": (
        {
            "setup.cfg": "[options]\npackage_dir =\n    = lib\n",
            "lib/pkg/__init__.py": "x=1",
            "tests/test_a.py": TEST,
        },
        ("lib/pkg",),
        ("lib", "."),
    ),
    "what tests import": (
        {
            "pkg/__init__.py": "x=1",
            "bench/__init__.py": "",
            "release.py": "",
            "tests/test_a.py": TEST,
        },
        ("pkg",),
        (".",),
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_code_is_found_in_the_layouts_people_use(name: str) -> None:
    files, roots, pythonpath = LAYOUTS[name]
    draft = drafted(files)
    assert draft.value("code.roots") == roots
    assert draft.value("suite.pythonpath") == pythonpath


def test_the_text_is_a_target_with_a_reason_beside_each_value() -> None:
    files = {
        "pyproject.toml": (
            '[project]\nname = "pkg"\nlicense = "MIT"\nrequires-python = ">=3.8"\n'
            'dependencies = ["alpha>=2", "beta; python_version<\'3.9\'"]\n'
            '[dependency-groups]\ntests = ["gamma", {include-group = "more"}]\n'
            'more = ["delta"]\nlint = ["ruff"]\n'
            '[tool.pytest.ini_options]\ntestpaths = ["checks"]\n'
            "addopts = \"-x --cov=pkg -m 'not slow' --import-mode=importlib\"\n"
        ),
        "pkg/__init__.py": "x = 1\n",
        "pkg/_version.py": "",
        "pkg/tests/test_b.py": "",
        "checks/test_a.py": TEST,
    }
    draft = drafted(files)
    text = draft_text(draft, {"kind": "path", "path": '.."\\'})
    target = parse_target(text, source="x", folder=Path())
    assert target.name == "owner__name"
    assert target.license == "MIT"
    assert target.python == ("3.11",)
    assert target.suite.paths == ("checks",)
    assert target.suite.args == ("-m", "not slow", "--import-mode=importlib")
    assert target.code.exclude == ("*/tests/*", "*/test_*.py", "pkg/_version.py")
    assert names_of(draft) == {
        *("alpha", "beta", "gamma", "delta", "pytest", "coverage"),
    }
    assert "# testpaths in pyproject.toml\n" in text
    assert any("-x --cov=pkg are left out" in said for said in draft.unknown)


def test_reasons_of_strangers_stay_comments() -> None:
    """A hostile name can't add a key."""
    files = {
        "pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.8\\nlicense=1"',
        "pkg/__init__.py": "x = 1\n",
        "tests/test_a.py": TEST,
    }
    text = draft_text(drafted(files), {"kind": "path", "path": "."})
    assert parse_target(text, source="x", folder=Path()).license == "unknown"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("setup.py", "DEPS = ['alpha', 'beta>1']\nsetup(install_requires=DEPS)"),
        ("setup.cfg", "[options]\ninstall_requires =\n    alpha  # why\n    beta>1\n"),
        ("requirements.txt", "-r other.txt\n--index-url https://x.example\nbeta>1\n"),
        (
            "pyproject.toml",
            (
                '[tool.poetry.dependencies]\npython = "^3.8"\nalpha = "^1.2"\n'
                'beta = {version = ">1"}\ngone = {git = "https://x.example"}\n'
                'maybe = {version = "1", optional = true}\n'
            ),
        ),
    ],
)
def test_what_code_needs_is_read_wherever_it_stands(path: str, content: str) -> None:
    files = {
        path: content,
        "other.txt": "alpha==1 --hash=sha256:0\n",
        "pkg/__init__.py": "x = 1\n",
        "tests/test_a.py": TEST,
    }
    assert names_of(drafted(files)) == {"alpha", "beta", "pytest", "coverage"}


def test_what_nobody_declares_is_seen_in_imports_fixtures_and_marks() -> None:
    files = {
        "pkg/__init__.py": "import yaml\nfrom . import inner\n",
        "pkg/inner.py": "try:\n    import optional\nexcept ImportError:\n    pass\n",
        "tests/helpers.py": "",
        "tests/test_a.py": (
            "import os\nimport helpers\nimport numpy as np\nimport pytest\n"
            "from pkg import x\n\n\n"
            "@pytest.mark.asyncio\nasync def test_x(mocker): ...\n"
            "mark = pytest.mark\n@mark.timeout(3)\ndef test_y(): ...\n"
        ),
    }
    assert names_of(drafted(files)) == {
        *("pytest", "coverage", "pyyaml", "numpy", "pytest-mock"),
        *("pytest-asyncio", "pytest-timeout"),
    }


def test_of_what_is_for_development_only_plugins_and_imports_are_taken() -> None:
    files = {
        "dev-requirements.txt": "ruff\nsphinx\npytest-httpbin\nfreezegun>=1\n",
        "pkg/__init__.py": "x = 1\n",
        "tests/test_a.py": "import freezegun\n" + TEST,
    }
    names = names_of(drafted(files))
    assert names == {"pytest", "coverage", "pytest-httpbin", "freezegun"}


def test_what_has_no_wheel_is_given_up_and_named() -> None:
    def resolve(asked: Sequence[str], python: str) -> tuple[str, ...]:
        if "rare" in asked:
            msg = (
                "image target: no wheels for its requirements: Could not find a version "
                "that satisfies the requirement rare (from versions: none) "
                "No matching distribution found for rare (source ...)"
            )
            raise TargetError(msg)
        if "clash>2" in asked:
            msg = "image target: no wheels for its requirements: ResolutionImpossible"
            raise TargetError(msg)
        return pins_of(asked, python)

    files = {
        "requirements.txt": "fine\nhttps://x.example/a.whl\n",
        "tests/requirements.txt": "rare\nclash>2\n",
        "pkg/__init__.py": "x = 1\n",
        "tests/test_a.py": TEST,
    }
    draft = draft_target(tree_of(files), called="name", running="3.11", resolve=resolve)
    assert names_of(draft) == {"pytest", "coverage", "fine"}
    left = " ".join(draft.unknown)
    assert "'rare' (tests/requirements.txt) is left out" in left
    assert "'clash>2'" in left


def test_without_an_index_there_is_no_draft() -> None:
    def resolve(_: Sequence[str], __: str) -> tuple[str, ...]:
        msg = "no index answers"
        raise TargetError(msg)

    files = {"pkg/__init__.py": "x = 1\n", "tests/test_a.py": TEST}
    with pytest.raises(TargetError, match="no index answers"):
        draft_target(tree_of(files), called="n", running="3.11", resolve=resolve)


@pytest.mark.parametrize(
    ("files", "part"),
    [
        ({"pkg.py": ""}, "no tests"),
        ({"tests/test_a.py": ""}, "no Python code"),
    ],
)
def test_what_can_not_be_made_out_is_said(files: dict[str, str], part: str) -> None:
    with pytest.raises(TargetError, match=rf"owner/name: {part}.*write a target"):
        drafted(files)


@pytest.mark.parametrize(
    ("said", "classifiers", "chosen"),
    [
        (">=3.8", [], "3.11"),
        (">=3.12.1", [], "3.13"),
        ("<3.10", [], "3.9"),
        (">=3.6", ["3.7", "3.8"], "3.8"),
        (">=3.6", ["3.10", "3.11", "3.12"], "3.11"),
        ("nonsense", [], "3.11"),
        (">=4", [], "3.11"),
    ],
)
def test_the_python_at_hand_is_taken_if_the_repository_knows_it(
    said: str, classifiers: list[str], chosen: str
) -> None:
    lines = [f"Programming Language :: Python :: {minor}" for minor in classifiers]
    files = {
        "pyproject.toml": (
            f'[project]\nname = "pkg"\nrequires-python = "{said}"\n'
            f"classifiers = {lines}\n"
        ),
        "pkg/__init__.py": "x = 1\n",
        "tests/test_a.py": TEST,
    }
    assert drafted(files).value("python") == (chosen,)


@pytest.mark.parametrize(
    ("project", "code", "version"),
    [
        ('version = "2.1"', "", "2.1"),
        ('dynamic = ["version"]', "__version__ = '3.0.dev1'", "3.0.dev1"),
        ('dynamic = ["version"]', "__version__ = read()", "0.0.0"),
    ],
)
def test_the_version_that_a_package_has_is_looked_for(
    project: str, code: str, version: str
) -> None:
    files = {
        "pyproject.toml": f'[project]\nname = "pkg"\n{project}\n'
        '[project.scripts]\npkg = "pkg:main"\n[project.entry-points."a.b"]\nc = "d:e"\n',
        "pkg/__init__.py": code,
        "tests/test_a.py": TEST,
    }
    draft = drafted(files)
    text = draft_text(draft, {"kind": "path", "path": "."})
    package = parse_target(text, source="x", folder=Path()).package
    points = {"console_scripts": {"pkg": "pkg:main"}, "a.b": {"c": "d:e"}}
    assert package == Package(name="pkg", version=version, entry_points=points)
    assert ("package.version stands nowhere" in str(draft.unknown)) == (
        version == "0.0.0"
    )


BUILT = (
    "Metadata-Version: 2.1\nName: pkg\nVersion: 4.5\nRequires-Python: >=3.9\n"
    "Requires-Dist: alpha>=2\nRequires-Dist: gamma ; extra == 'test'\n"
    "Requires-Dist: beta; python_version < '4' and extra == 'test'\n"
    "Requires-Dist: delta; extra == 'docs' and python_version < '4'\n"
    "Requires-Dist: ]not one[\n\nRequires-Dist: epsilon\n"
)


def test_what_a_build_computed_stands_in_the_metadata_of_an_sdist() -> None:
    files = {
        "setup.py": "setup(version=read(), install_requires=read())",
        "PKG-INFO": BUILT,
        "pkg/__init__.py": "x = 1\n",
        "tests/test_a.py": TEST,
    }
    draft = drafted(files)
    assert draft.value("package.name") == "pkg"
    assert draft.value("package.version") == "4.5"
    assert names_of(draft) == {"pytest", "coverage", "alpha", "beta", "gamma"}


def test_what_the_repository_says_itself_counts_before_a_build() -> None:
    said = '[project]\nname = "pkg"\nversion = "5"\ndependencies = ["zeta"]\n'
    files = {
        "pyproject.toml": said + "optional-dependencies = {test = ['eta']}\n",
        "PKG-INFO": BUILT,
        "pkg/__init__.py": "x = 1\n",
        "tests/test_a.py": TEST,
    }
    draft = drafted(files)
    assert draft.value("package.version") == "5"
    assert names_of(draft) == {"pytest", "coverage", "zeta", "eta"}


@pytest.mark.parametrize("text", ["\0", "Name\n" * 9, "Version: a\n b: c"])
def test_metadata_that_is_none_says_nothing(text: str) -> None:
    files = {"pkg/__init__.py": "x = 1\n", "tests/test_a.py": TEST}
    declared = read_declared(tree_of(files | {"PKG-INFO": text}))
    assert (declared.name, declared.runtime) == (None, ())
    guesses = drafted(files | {"PKG-INFO": text}).guesses
    assert not any(guess.key.startswith("package.") for guess in guesses)


def test_entry_points_are_told_without_their_extras() -> None:
    files = {
        "pyproject.toml": '[project]\nname = "pkg"\n[project.entry-points."a.b"]\n'
        'c = "d:e[more]"\nf = "g\\nh"\n"[i]" = "j"\n[project.entry-points."[k]"]\nl="m"\n',
        "pkg/__init__.py": "x = 1\n",
        "tests/test_a.py": TEST,
    }
    draft = drafted(files)
    assert draft.entry_points == {"a.b": {"c": "d:e"}}
    parse_target(
        draft_text(draft, {"kind": "path", "path": "."}), source="x", folder=Path()
    )


def test_files_that_a_build_writes_are_named() -> None:
    files = {
        "pyproject.toml": '[tool.setuptools_scm]\nwrite_to = "pkg/_version.py"\n',
        "pkg/__init__.py": "x = 1\n",
        "tests/test_a.py": TEST,
    }
    assert any("pkg/_version.py is written when" in s for s in drafted(files).unknown)


def test_a_setup_file_is_parsed_and_never_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    text = f"open({str(mark)!r}, 'w')\nsetup(name='x', license=open('L').read())\n"
    assert setup_arguments(text) == {"name": "x"}
    assert not mark.exists()


@pytest.mark.parametrize(
    "text", ["(" * 100_000, "\0", "setup(**x)", "setup(name=[1]*2)", "def", "x = x"]
)
def test_a_hostile_setup_file_says_nothing(text: str) -> None:
    assert setup_arguments(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        "project = 3",
        "[project]\nname = 3\ndependencies = [1]\nlicense = []",
        "[dependency-groups]\ntest = [{include-group = 'test'}]",
        "[project]\nname='x'\n[project.optional-dependencies]\ntest = ['x[test]']",
        "[tool.poetry]\nname = []\n[tool.poetry.dependencies]\na = 3\nb = []",
        '[tool.pytest.ini_options]\ntestpaths = 3\naddopts = [3, "\'"]',
        "not toml",
    ],
)
def test_nonsense_in_pyproject_is_as_if_it_were_not_there(text: str) -> None:
    tree = tree_of(
        {"pyproject.toml": text, "pkg/__init__.py": "x=1", "tests/test_a.py": TEST}
    )
    assert not read_declared(tree).runtime
    drafted({"pyproject.toml": text, "pkg/__init__.py": "x=1", "tests/test_a.py": TEST})


@pytest.mark.parametrize(
    ("poetry", "plain"),
    [
        ("^1.2.3", ">=1.2.3,<2"),
        ("^0.2", ">=0.2,<0.3"),
        ("~1", "~=1.0"),
        ("~1.2", "~=1.2.0"),
        ("~1.2.3", "~=1.2.3"),
        ("1.2", "==1.2"),
        ("*", ""),
        (">=1,<2", ">=1,<2"),
    ],
)
def test_versions_of_poetry_are_turned_into_plain_ones(poetry: str, plain: str) -> None:
    assert caret_free(poetry) == plain
