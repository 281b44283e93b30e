"""What an environment may name is what `ws` serves; neither can import the other."""

from typing import get_args

from envplatform.bundle.environment import (
    Operation,
    ProviderKind,
    ResourceKind,
    ViewKind,
)
from envplatform.ws.manifest import PROVIDER_KINDS, RESOURCE_KINDS, VIEW_KINDS
from envplatform.ws.operations import OPERATIONS


def test_both_know_the_same_kinds_and_operations() -> None:
    assert get_args(ViewKind) == VIEW_KINDS
    assert get_args(ResourceKind) == RESOURCE_KINDS
    assert get_args(ProviderKind) == PROVIDER_KINDS
    assert set(get_args(Operation)) == set(OPERATIONS)
