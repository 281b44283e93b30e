"""A call, signature, keyword or return value that callers rely on."""

import ast

from envplatform.swe.fixes.bug_types.edit import Edit, Scope
from envplatform.swe.fixes.bug_types.rules.rule import Function, Rule


def _parameter_changed(edit: Edit) -> bool:
    """A parameter of a public function is new, gone or another."""
    return _parameter(edit) and not _is_private(edit.scope.function)


def _own_parameter_changed(edit: Edit) -> bool:
    """The same of a function that only its own module or class calls."""
    return _parameter(edit) and _is_private(edit.scope.function)


def _parameter(edit: Edit) -> bool:
    return edit.role == "parameter" and isinstance(edit.after or edit.before, ast.arg)


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def _keyword_changed(edit: Edit) -> bool:
    """A call passes a keyword that it did not pass, or no longer."""
    one_sided = edit.kind in {"added", "removed"}
    return edit.role == "keyword" and one_sided and bool(edit.scope.function)


def _argument_count(edit: Edit) -> bool:
    one_sided = edit.kind in {"added", "removed"}
    return edit.role == "argument" and one_sided and bool(edit.scope.function)


def _callee_changed(edit: Edit) -> bool:
    """Another function or method is called."""
    return edit.role == "callee" and edit.kind == "changed"


def _called_or_read(edit: Edit) -> bool:
    """`x.y` becomes `x.y()`, or the other way round."""
    for one, other in ((edit.before, edit.after), (edit.after, edit.before)):
        match one:
            case ast.Call(func=called_name, args=[]) if other is not None:
                if ast.dump(called_name) == ast.dump(other):
                    return True
    return False


def _attribute_renamed(edit: Edit) -> bool:
    return (
        edit.kind == "changed"
        and edit.role != "callee"
        and isinstance(edit.before, ast.Attribute)
        and isinstance(edit.after, ast.Attribute)
    )


def _return_changed(edit: Edit) -> bool:
    return edit.role == "returned" and (
        edit.kind != "changed"
        or isinstance(edit.after, ast.Tuple) != isinstance(edit.before, ast.Tuple)
    )


def _method_added(edit: Edit) -> bool:
    """A method that others call: by its name, or by protocol as `__len__`."""
    match edit:
        case Edit(kind="added", after=node) if isinstance(node, Function):
            special = node.name.startswith("__") and node.name.endswith("__")
            return edit.scope.in_class and (special or not node.name.startswith("_"))
    return False


def _name_added(edit: Edit) -> bool:
    """A function or class that others may import."""
    match edit:
        case Edit(
            kind="added", after=ast.FunctionDef(name=name) | ast.ClassDef(name=name)
        ):
            return edit.scope == Scope() and not name.startswith("_")
    return False


def _definition_removed(edit: Edit) -> bool:
    return edit.kind == "removed" and isinstance(edit.before, Function | ast.ClassDef)


def _exported(edit: Edit) -> bool:
    """`__all__` says something else."""
    match edit.parent or edit.after or edit.before:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name == "__all__"
    return False


def _deprecated(edit: Edit) -> bool:
    """Callers are told that something will go, or no longer."""
    return any("deprecat" in name.lower() for name in edit.gained | edit.lost)


def _decorator_changed(edit: Edit) -> bool:
    return edit.role == "decorator"


def _base_changed(edit: Edit) -> bool:
    return edit.role == "base"


RULES = (
    Rule("called_or_read", "interface", 3.4, _called_or_read),
    Rule("parameter_changed", "interface", 3.6, _parameter_changed),
    Rule("own_parameter_changed", "interface", 1.8, _own_parameter_changed),
    Rule("keyword_changed", "interface", 2.4, _keyword_changed),
    Rule("argument_count", "interface", 2.0, _argument_count),
    Rule("method_added", "interface", 2.4, _method_added),
    Rule("decorator_changed", "interface", 2.2, _decorator_changed),
    Rule("attribute_renamed", "interface", 1.4, _attribute_renamed),
    Rule("callee_changed", "interface", 2.0, _callee_changed),
    Rule("base_changed", "interface", 2.0, _base_changed),
    Rule("return_changed", "interface", 1.8, _return_changed),
    Rule("exported", "interface", 2.0, _exported),
    Rule("deprecated", "interface", 2.4, _deprecated),
    Rule("name_added", "interface", 1.2, _name_added),
    Rule("definition_removed", "interface", 1.4, _definition_removed),
)
