"""The primitives: 17 ways to show a content otherwise, one small module each.

A primitive draws one public name anew out of the closed set of `ws` views, and tells
the public way back. An eighteenth is one more module here: whoever wants it names it.
"""

from functools import cache
from importlib import import_module, resources

from envplatform.errors import BundleError
from envplatform.res.primitives.base import Primitive

_OTHERS = frozenset({"__init__", "base"})


@cache
def primitive_names() -> tuple[str, ...]:
    """Return the names of all primitives, sorted."""
    folder = resources.files(__name__)
    files = (one.name for one in folder.iterdir() if one.name.endswith(".py"))
    names = {name.removesuffix(".py") for name in files}
    return tuple(sorted(names - _OTHERS))


@cache
def primitive(name: str) -> Primitive:
    """Return a primitive by its name.

    Raises:
        BundleError: there is none of this name.
    """
    if name not in primitive_names():
        msg = f"there is no operator {name!r}; there are {', '.join(primitive_names())}"
        raise BundleError(msg)
    module = import_module(f"{__name__}.{name}")
    found: Primitive = module.PRIMITIVE
    return found


__all__ = ["Primitive", "primitive", "primitive_names"]
