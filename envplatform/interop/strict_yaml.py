"""YAML of strangers: no aliases, which can grow without bound, and no key twice."""

from collections.abc import Hashable
from typing import Any

import yaml

from envplatform.errors import BundleError


class _UniqueLoader(yaml.SafeLoader):
    """Refuses what may be read in two ways, or grows."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """See the base class."""
        if self.check_event(yaml.AliasEvent):
            msg = "aliases are not taken"
            raise yaml.YAMLError(msg)
        return super().compose_node(parent, index)

    def construct_mapping(
        self,
        node: yaml.MappingNode,
        deep: bool = False,  # noqa: FBT001, FBT002  as the base class has it
    ) -> dict[Hashable, Any]:
        """See the base class."""
        seen: set[str] = set()
        for key, _ in node.value:
            name = str(key.value)
            if name in seen:
                msg = f"the key {name[:80]!r} stands twice"
                raise yaml.YAMLError(msg)
            seen.add(name)
        return super().construct_mapping(node, deep)


def load_strictly(text: str, where: str) -> object:
    """Return what the YAML says.

    Raises:
        BundleError: names `where` and what is wrong.
    """
    try:
        found: object = yaml.load(text, _UniqueLoader)  # noqa: S506  a safe loader
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        msg = f"{where}: {' '.join(str(error).split())[:200]}"
        raise BundleError(msg) from error
    return found
