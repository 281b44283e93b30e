"""`envplatform.graph` says the same of the assets as the definitions do."""

from assets.definitions import build_definitions
from envplatform.graph import ASSETS


def test_the_names_and_what_they_read() -> None:
    graph = build_definitions().resolve_asset_graph()
    defined = {
        key.to_user_string(): {
            parent.to_user_string() for parent in graph.get(key).parent_keys
        }
        for key in graph.get_all_asset_keys()
    }
    assert {name: set(reads) for name, reads in ASSETS.items()} == defined


def test_the_order_is_that_of_the_graph() -> None:
    """`status` lists assets in it: nothing stands above what it reads."""
    graph = build_definitions().resolve_asset_graph()
    order = graph.toposorted_asset_keys_by_level
    level = {
        key.to_user_string(): number
        for number, keys in enumerate(order)
        for key in keys
    }
    assert list(ASSETS) == sorted(ASSETS, key=lambda name: level[name])
