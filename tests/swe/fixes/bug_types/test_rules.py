"""Each rule speaks up on a tiny fix of its own."""

import ast

import pytest

from envplatform.swe.fixes.bug_types.classify import scores
from envplatform.swe.fixes.bug_types.rules import RULES
from envplatform.swe.fixes.bug_types.source import Source, source_of
from envplatform.swe.fixes.bug_types.statements import Comparison

FIXES: dict[str, tuple[str, str]] = {
    # exception
    "caught_changed": (
        "try:\n    f()\nexcept KeyError:\n    g()\n",
        "try:\n    f()\nexcept (KeyError, ValueError):\n    g()\n",
    ),
    "raised_changed": (
        "def f():\n    raise KeyError(x)\n",
        "def f():\n    raise Bad\n",
    ),
    "suppressed": ("f(x)\n", "with suppress(OSError):\n    f(x)\n"),
    "try_around": ("f(x)\n", "try:\n    f(x)\nexcept OSError:\n    pass\n"),
    "handler_changed": (
        "try:\n    f()\nexcept KeyError:\n    g()\n",
        "try:\n    f()\nexcept KeyError:\n    g()\nexcept OSError:\n    h()\n",
    ),
    "try_added": ("a = 1\n", "a = 1\ntry:\n    f(x)\nexcept OSError:\n    pass\n"),
    "exception_class": ("a = 1\n", "a = 1\nclass LostError(Exception):\n    x = 1\n"),
    "try_removed": ("a = 1\ntry:\n    f()\nfinally:\n    g()\n", "a = 1\n"),
    "raise_added": ("a = 1\n", "a = 1\nif b(a):\n    raise ValueError(a)\n"),
    "raise_removed": ("a = 1\nif b(a):\n    raise ValueError(a)\n", "a = 1\n"),
    "assertion_changed": ("a = 1\n", "a = 1\nassert a\n"),
    # concurrency
    "awaited": ("async def f():\n    x = g()\n", "async def f():\n    x = await g()\n"),
    "locked": ("self.n += step\n", "with self._lock:\n    self.n += step\n"),
    "threads_named": ("a = 1\n", "a = 1\nt = threading.Thread(target=f)\n"),
    "loop_named": ("g(x)\n", "asyncio.ensure_future(g(x))\n"),
    "wait_changed": ("get(url)\n", "get(url, timeout=3)\n"),
    # mutability
    "copied": ("def f(a):\n    b = a\n", "def f(a):\n    b = copy.copy(a)\n"),
    "default_shared": ("def f(a=[]):\n    g(a)\n", "def f(a=None):\n    g(a)\n"),
    "list_iterated": (
        "for x in xs:\n    xs.remove(x)\n",
        "for x in list(xs):\n    xs.remove(x)\n",
    ),
    "rebuilt": ("self.a = names\n", "self.a = list(names)\n"),
    "assigned_instead": ("names.append(x)\n", "names = names + [x]\n"),
    "sorted_apart": ("names.sort()\nf(names)\n", "names = sorted(names)\nf(names)\n"),
    "frozen": ("T = f(a)\n", "T = MappingProxyType(f(a))\n"),
    "no_longer_in_place": ("a = 1\nnames.sort()\n", "a = 1\n"),
    # boundary
    "none_checked": ("f(x)\n", "if x is not None:\n    f(x)\n"),
    "extent_checked": ("y = x[0]\n", "y = x[0] if len(x) else d\n"),
    "edge_moved": ("if a < b:\n    f()\n", "if a <= b:\n    f()\n"),
    "limit_changed": ("if a < 10:\n    f()\n", "if a < 11:\n    f()\n"),
    "off_by_one": ("x = f(n)\n", "x = f(n - 1)\n"),
    "index_changed": ("x = y[-1]\n", "x = y[-1:]\n"),
    "range_changed": (
        "for i in range(n):\n    f(i)\n",
        "for i in range(1, n):\n    f(i)\n",
    ),
    "check_dropped": ("a = 1\nif x is None:\n    f()\n", "a = 1\n"),
    "truth_checked": ("f(x)\n", "if x:\n    f(x)\n"),
    "missing_tolerated": ("x = y['k']\n", "x = y.get('k')\n"),
    "default_given": ("x = y\n", "x = y or z\n"),
    "clamped": ("x = y\n", "x = max(y, 0)\n"),
    "not_a_number": ("a = 1\n", "a = 1\nx = np.isnan(a)\n"),
    "operand_guarded": ("if a.b and c:\n    f()\n", "if a and a.b and c:\n    f()\n"),
    # type
    "text_or_bytes": ("x = y.split('a')\n", "x = y.split(b'a')\n"),
    "checked_type_changed": (
        "if isinstance(x, list):\n    f()\n",
        "if isinstance(x, (list, tuple)):\n    f()\n",
    ),
    "type_checked": ("f(x)\n", "if isinstance(x, str):\n    f(x)\n"),
    "converted": ("x = y\n", "x = str(y)\n"),
    "check_changed": ("if isinstance(x, A):\n    f()\n", "if callable(x):\n    f()\n"),
    "conversion_changed": ("x = int(y)\n", "x = float(y)\n"),
    "conversion_added": ("a = 1\n", "a = 1\nb = str(a)\n"),
    "conversion_named": ("f(x)\n", "f(g(x).decode())\n"),
    "annotation_changed": ("def f(a: int):\n    g()\n", "def f(a: str):\n    g()\n"),
    # resource
    "opened_otherwise": ("f = open(p, 'r')\n", "f = open(p, 'rb')\n"),
    "encoding_given": ("x = run(p)\n", "x = run(p, encoding='utf-8')\n"),
    "managed": ("f(x)\n", "with open(x) as y:\n    f(x)\n"),
    "closed": ("a = 1\n", "a = 1\nx.close()\n"),
    "opened": ("x = f(p)\n", "x = Popen(p)\n"),
    "files_asked": ("x = p\n", "x = os.path.abspath(p)\n"),
    "streams_asked": ("x = p\n", "x = sys.stdout.isatty()\n"),
    # state
    "flag_set": (
        "def f(self):\n    g()\n",
        "def f(self):\n    g()\n    self.done = True\n",
    ),
    "global_declared": ("def f():\n    n = 1\n", "def f():\n    global n\n    n = 1\n"),
    "attribute_declared": (
        "class A:\n    def __init__(self):\n        f()\n",
        "class A:\n    def __init__(self):\n        f()\n        self.n = 0\n",
    ),
    "attribute_kept": (
        "def f(self):\n    g()\n",
        "def f(self):\n    g()\n    self.n = h()\n",
    ),
    "cache_kept": ("def f():\n    g()\n", "def f():\n    g()\n    drop(url_cache)\n"),
    "target_changed": ("self.a = f(x)\n", "self.b = f(x)\n"),
    "deleted": ("a = 1\n", "a = 1\ndel x[a]\n"),
    "copied_or_pickled": (
        "class A:\n    x = 1\n",
        "class A:\n    x = 1\n    def __getstate__(self):\n        return {}\n",
    ),
    "other_kept": ("def f(m):\n    g()\n", "def f(m):\n    g()\n    m['k'] = 1\n"),
    # import
    "import_tried": (
        "import json\n",
        "try:\n    import json\nexcept ImportError:\n    json = None\n",
    ),
    "import_chosen": (
        "import tomli\n",
        "if new:\n    import tomllib\nelse:\n    import tomli\n",
    ),
    "version_asked": ("f(x)\n", "if sys.version_info > (3, 9):\n    f(x)\n"),
    "imported_late": ("x = f('a')\n", "x = importlib.import_module('a')\n"),
    "types_only": ("from a import B\n", "if TYPE_CHECKING:\n    from a import B\n"),
    "import_placed": ("def f():\n    g()\n", "def f():\n    import a\n    g()\n"),
    "module_changed": ("from a import c\n", "from b import c\n"),
    "import_changed": ("a = 1\n", "import b\na = 1\n"),
    # constructor
    "builder_added": (
        "class A:\n    x = 1\n",
        "class A:\n    x = 1\n    def __init__(self):\n        f()\n",
    ),
    "base_built": (
        "class A(B):\n    def __init__(self, a):\n        super().__init__()\n",
        "class A(B):\n    def __init__(self, a):\n        super().__init__(a)\n",
    ),
    "attribute_built": (
        "class A:\n    def __init__(self, a):\n        f()\n",
        "class A:\n    def __init__(self, a):\n        f()\n        self.a = a\n",
    ),
    "default_changed": ("def f(a=1):\n    g(a)\n", "def f(a=2):\n    g(a)\n"),
    "made_elsewhere": ("x = Old(y)\n", "x = New(y)\n"),
    "in_builder": (
        "class A:\n    def __init__(self, a):\n        f(a)\n",
        "class A:\n    def __init__(self, a):\n        f(self.a)\n",
    ),
    # interface
    "called_or_read": ("x = y.path()\n", "x = y.path\n"),
    "parameter_changed": ("def f(a):\n    g()\n", "def f(a, b):\n    g()\n"),
    "own_parameter_changed": ("def _f(a):\n    g()\n", "def _f(a, b):\n    g()\n"),
    "keyword_changed": ("def g():\n    f(x)\n", "def g():\n    f(x, y=1)\n"),
    "argument_count": ("def g():\n    f(x)\n", "def g():\n    f(x, y)\n"),
    "exported": ("__all__ = ['a']\n", "__all__ = ['a', 'b']\n"),
    "deprecated": (
        "def f():\n    g()\n",
        "def f():\n    warn('old', DeprecationWarning)\n    g()\n",
    ),
    "method_added": (
        "class A:\n    x = 1\n",
        "class A:\n    x = 1\n    def __len__(self):\n        return 1\n",
    ),
    "decorator_changed": ("def f():\n    g()\n", "@property\ndef f():\n    g()\n"),
    "attribute_renamed": ("x = y.a\n", "x = y.b\n"),
    "callee_changed": ("x = y.a(1)\n", "x = y.b(1)\n"),
    "base_changed": ("class A(B):\n    x = 1\n", "class A(C):\n    x = 1\n"),
    "return_changed": ("def f():\n    return a\n", "def f():\n    return a, b\n"),
    "name_added": ("a = 1\n", "a = 1\ndef f():\n    g()\n"),
    "definition_removed": ("a = 1\ndef f():\n    g()\n", "a = 1\n"),
    # data
    "pattern_changed": ("x = re.match(r'\\d', y)\n", "x = re.match(r'\\d+', y)\n"),
    "entry_changed": ("X = ['a', 'b']\n", "X = ['a', 'b', 'c']\n"),
    "table_changed": ("import a\n", "import a\nX = {'a': 1}\n"),
    "constant_replaced": ("X = 1\n", "X = 2\n"),
    "text_changed": ("f('a b')\n", "f('a c')\n"),
    "number_changed": ("f(10)\n", "f(20)\n"),
    "wording_changed": ("f('a {}')\n", "f(f'a {b}')\n"),
    "literal_given": (
        "def f(x):\n    g(x)\n",
        "def f(x):\n    x['y'] = {'a': 'b', 'c': ['d']}\n    g(x)\n",
    ),
    "declared_otherwise": ("X = Rule(a)\n", "X = Rule(a, b)\n"),
    "listed_otherwise": ("X = [a, b]\n", "X = [a, b, c]\n"),
    "log_reworded": ("log.debug('a')\n", "log.debug('b')\n"),
    "word_looked_for": ("if x == 'a':\n    f()\n", "if x == 'b':\n    f()\n"),
    # logic
    "negation_changed": ("if a:\n    f()\n", "if not a:\n    f()\n"),
    "operator_changed": ("x = a + b\n", "x = a - b\n"),
    "clause_changed": ("if a:\n    f()\n", "if a and b():\n    f()\n"),
    "comparison_changed": ("if a == b:\n    f()\n", "if a in b:\n    f()\n"),
    "condition_changed": ("if a():\n    f()\n", "if a.b:\n    f()\n"),
    "steps_moved": ("f(a)\nx = 1\ny = 2\n", "x = 1\ny = 2\nf(a)\n"),
    "variable_swapped": ("x = f(a)\n", "x = f(b)\n"),
    "branch_added": ("a = 1\n", "a = 1\nif b():\n    f()\n"),
    "branch_removed": ("a = 1\nif b():\n    f()\n", "a = 1\n"),
    "loop_changed": ("f(a)\n", "for a in b:\n    f(a)\n"),
    "flow_changed": ("for a in b:\n    f()\n", "for a in b:\n    f()\n    break\n"),
    "computed_otherwise": ("x = a.b\n", "x = c(d)\n"),
    "value_passed": ("f(a.b)\n", "f(c)\n"),
    "statement_changed": ("a = 1\n", "a = 1\nf(a)\n"),
    "function_added": ("a = 1\n", "a = 1\ndef _f():\n    g()\n"),
}


def _source(text: str) -> Source:
    return source_of(text.encode(), ast.parse(text))


def _speaking(buggy: str, fixed: str) -> set[str]:
    edits = Comparison(_source(buggy), _source(fixed)).edits()
    return {rule.name for rules in scores(edits).values() for rule in rules}


@pytest.mark.parametrize("name", [rule.name for rule in RULES])
def test_the_rule_speaks_up_on_its_own_fix(name: str) -> None:
    assert name in _speaking(*FIXES[name])


@pytest.mark.parametrize("name", [rule.name for rule in RULES])
def test_no_rule_speaks_up_where_nothing_changed(name: str) -> None:
    _, fixed = FIXES[name]
    assert _speaking(fixed, fixed) == set()


def test_rules_have_names_of_their_own() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES) == len(FIXES)


def test_every_bug_type_but_other_has_rules() -> None:
    assert len({rule.bug_type for rule in RULES}) == 12
