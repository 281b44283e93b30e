"""An import, module path or optional dependency."""

import ast
import re

from envplatform.swe.fixes.bug_types.edit import Edit, nodes
from envplatform.swe.fixes.bug_types.rules.rule import Rule

_Import = ast.Import | ast.ImportFrom
_VERSION = re.compile(
    r"^(?:version_info|__version__|.*_version_info|PY_?[23].*|.*[Vv]ersion_tuple)$"
)


def _import_tried(edit: Edit) -> bool:
    """An import may fail now, or no longer: a `try` around it, or what it catches."""
    if edit.role == "handler":
        return bool((edit.gained | edit.lost) & {"ImportError", "ModuleNotFoundError"})
    return any(
        isinstance(side, ast.Try)
        and any(isinstance(node, _Import) for node in side.body)
        for side in (edit.before, edit.after)
        if edit.role == "statement"
    )


def _import_chosen(edit: Edit) -> bool:
    """A condition decides what is imported."""
    return edit.role == "statement" and any(
        isinstance(side, ast.If)
        and any(isinstance(node, _Import) for node in side.body)
        and not edit.scope.function
        for side in (edit.before, edit.after)
    )


def _version_asked(edit: Edit) -> bool:
    """Something depends on the version of Python or of a dependency, or no longer."""
    return any(_VERSION.search(name) for name in edit.gained | edit.lost)


def _import_placed(edit: Edit) -> bool:
    """An import is moved, or stands inside a function or under a condition."""
    node = edit.after or edit.before
    return isinstance(node, _Import) and (
        edit.kind == "moved" or (edit.kind == "added" and bool(edit.scope.function))
    )


def _module_changed(edit: Edit) -> bool:
    """A name is imported from elsewhere, or under another name."""
    return edit.kind == "changed" and (isinstance(edit.before, _Import | ast.alias))


def _import_changed(edit: Edit) -> bool:
    node = edit.after or edit.before
    return edit.kind in {"added", "removed"} and isinstance(node, _Import | ast.alias)


def _imported_late(edit: Edit) -> bool:
    return bool(edit.gained & {"import_module", "import_optional_dependency"})


def _types_only(edit: Edit) -> bool:
    return edit.kind == "wrapped" and any(
        isinstance(node, ast.Name) and node.id == "TYPE_CHECKING"
        for node in nodes(getattr(edit.after, "test", None))
    )


RULES = (
    Rule("import_tried", "import", 4.4, _import_tried),
    Rule("import_chosen", "import", 2.0, _import_chosen),
    Rule("version_asked", "import", 1.6, _version_asked),
    Rule("imported_late", "import", 3.4, _imported_late),
    Rule("types_only", "import", 3.4, _types_only),
    Rule("import_placed", "import", 0.9, _import_placed),
    Rule("module_changed", "import", 0.9, _module_changed),
    Rule("import_changed", "import", 0.5, _import_changed),
)
