"""What a setup.py says, read from its syntax tree: it is never run.

Literals count, and names that the file gives one literal to. What is computed is not
seen, and as if it were not said.
"""

import ast
import warnings

_MAX_CHARACTERS = 300_000
_TAKEN = frozenset(
    {
        "name", "license", "python_requires", "classifiers", "url", "install_requires",
        "extras_require", "tests_require", "package_dir", "version",
    }
)  # fmt: skip


def setup_arguments(text: str) -> dict[str, object]:
    """Return the arguments of the file's `setup(...)` call that are literals."""
    if not text or len(text) > _MAX_CHARACTERS:
        return {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a stranger's escapes
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    known = _assigned(module)
    found: dict[str, object] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and _called(node.func) == "setup":
            for keyword in node.keywords:
                value = _literal(keyword.value, known)
                if keyword.arg in _TAKEN and value is not None:
                    found.setdefault(str(keyword.arg), value)
    return found


def _assigned(module: ast.Module) -> dict[str, object]:
    """Names that are given a literal once, at the top."""
    values: dict[str, list[ast.expr]] = {}
    for node in module.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):
                values.setdefault(target.id, []).append(node.value)
    known: dict[str, object] = {}
    for name, given in values.items():
        if len(given) == 1:
            known[name] = _literal(given[0], known)
    return known


def _literal(node: ast.expr, known: dict[str, object]) -> object | None:
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Dict):
        keys = [_literal(key, known) if key else None for key in node.keys]
        values = [_literal(value, known) for value in node.values]
        pairs = zip(keys, values, strict=True)
        return {key: value for key, value in pairs if isinstance(key, str)}
    if isinstance(node, (ast.List, ast.Tuple)):
        items = [_literal(item, known) for item in node.elts]
        return [item for item in items if item is not None]
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return value


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
