"""Lenses over the resource graph: pure, recoverable in public, and the old way gone."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envplatform.bundle import (
    Dependency,
    Environment,
    ImageReference,
    Provider,
    Resource,
    View,
    checked,
)
from envplatform.errors import BundleError
from envplatform.tree import File
from envplatform.workspace import (
    Binding,
    Interface,
    Lens,
    Workspace,
    builtin_seeds,
    check_lens,
    read_seed,
    seed_environment,
    with_workspace,
    workspace_of,
)
from envplatform.ws.wire import digest
from tests.bundle.sample import sample_environment

IMAGE = ImageReference(name="bare", python="3.11", requirements=(), digest="0" * 64)


def environment(text: str = "one\ntwo\nthree\n") -> Environment:
    sample = sample_environment()
    return replace(
        sample,
        core=replace(sample.core, transformable=("ledger",)),
        providers=(Provider(name="files", kind="file"),),
        resources=(
            Resource(name="ledger", kind="content", provider="files", location="l.csv"),
        ),
        views=(View(name="ledger.csv", kind="content", source="ledger"),),
        served={"l.csv": File(text.encode())},
    )


class Paged(Lens):
    """Shows a text in parts of two characters."""

    name = "paged"

    def apply(self, workspace: Workspace, binding: Binding, seed: int) -> Workspace:
        """See the base class."""
        for view in workspace.showing(binding.resource):
            workspace = workspace.without_view(view.name)
        lengths = [2] * (len(workspace.content(binding.resource).decode()) // 2)
        options = {"lengths": lengths, "salt": f"{seed}"}
        shown = View(
            name="parts", kind="page", source=binding.resource, options=options
        )
        return workspace.with_view(shown)

    def recover(self, interface: Interface, binding: Binding) -> bytes:
        """See the base class."""
        del binding
        text: str = ""
        cursor: str = ""
        while True:
            given = {"cursor": cursor} if cursor else {}
            part = interface.ask("read", name="parts", **given).data
            text += part["content"]
            cursor = part["next"] or ""
            if not cursor:
                return text.encode()


class Gated(Lens):
    """Shows a text to who has read another one."""

    name = "gated"

    def apply(self, workspace: Workspace, binding: Binding, seed: int) -> Workspace:
        """See the base class."""
        word = f"word-{seed}"
        for view in workspace.showing(binding.resource):
            workspace = workspace.without_view(view.name)
        workspace = workspace.with_resource("word", "key", "word.txt", word.encode())
        workspace = workspace.with_view(
            View(name="word.txt", kind="content", source="word")
        )
        options = {"key_sha256": digest(word.encode())}
        gate = View(name="gate", kind="gate", source=binding.resource, options=options)
        return workspace.with_view(
            gate, Dependency(view="gate", needs="word.txt", kind="key")
        )

    def recover(self, interface: Interface, binding: Binding) -> bytes:
        """See the base class."""
        del binding
        return interface.read("gate", key=interface.read("word.txt").decode())


class Unchanged(Lens):
    """Shows it as before."""

    name = "unchanged"

    def apply(self, workspace: Workspace, binding: Binding, seed: int) -> Workspace:
        """See the base class."""
        del binding, seed
        return workspace

    def recover(self, interface: Interface, binding: Binding) -> bytes:
        """See the base class."""
        del binding
        return interface.read("ledger.csv")


class Lossy(Paged):
    """Loses the last part."""

    name = "lossy"

    def recover(self, interface: Interface, binding: Binding) -> bytes:
        """See the base class."""
        return super().recover(interface, binding)[:-1]


LEDGER = Binding(resource="ledger")


@given(text=st.text(max_size=40), seed=st.integers(0, 5))
@settings(max_examples=40)
def test_any_text_comes_back_by_the_public_way(text: str, seed: int) -> None:
    for lens in (Paged(), Gated()):
        if lens.name == "paged" and not text:
            continue
        child = check_lens(environment(text), lens, LEDGER, seed)
        assert checked(child).core == environment().core
        assert child.served["l.csv"].data == text.encode()


@pytest.mark.parametrize(
    ("lens", "problem"),
    [
        (Unchanged(), "unchanged: ledger.csv still shows ledger"),
        (Lossy(), "lossy: what is recovered of ledger differs"),
    ],
)
def test_what_is_no_lens_is_refused(lens: Lens, problem: str) -> None:
    with pytest.raises(BundleError, match=problem):
        check_lens(environment(), lens, LEDGER, 0)


def test_only_what_is_declared_transformable_is_transformed() -> None:
    frozen = replace(environment(), core=replace(environment().core, transformable=()))
    with pytest.raises(BundleError, match="ledger is not declared transformable"):
        check_lens(frozen, Gated(), LEDGER, 0)


def test_a_graph_refuses_what_does_not_fit() -> None:
    workspace = workspace_of(environment())
    with pytest.raises(BundleError, match="there is no resource other"):
        workspace.content("other")
    with pytest.raises(BundleError, match="name or location is taken"):
        workspace.with_resource("ledger", "content", "x", b"")
    with pytest.raises(BundleError, match="name or location is taken"):
        workspace.with_resource("x", "content", "l.csv", b"")
    with pytest.raises(BundleError, match="the name is taken"):
        workspace.with_view(View(name="ledger.csv", kind="folder"))
    with pytest.raises(BundleError, match="there is no resource x"):
        workspace.with_view(View(name="new", kind="content", source="x"))


def test_what_goes_takes_with_it_what_stood_on_it() -> None:
    workspace = Gated().apply(workspace_of(environment()), LEDGER, 1)
    assert workspace.dependencies
    bare = workspace.without_resource("word")
    assert set(bare.views) == {"gate"}
    assert bare.dependencies == ()
    assert set(bare.served) == {"l.csv"}


@pytest.mark.parametrize("name", builtin_seeds())
def test_a_seed_is_the_same_after_the_way_through_its_graph(name: str) -> None:
    found = seed_environment(name, IMAGE)
    assert with_workspace(found, workspace_of(found)) == found
    seed, _ = read_seed(name)
    assert set(seed.transformable) <= set(workspace_of(found).resources)
    listed = [one["name"] for one in Interface(found).ask("list").data["names"]]
    views = {view.name: view.kind for view in found.views}
    assert listed
    for name_shown in listed:
        folders = [n for n, kind in views.items() if kind == "folder"]
        is_below = any(name_shown.startswith(f"{folder}/") for folder in folders)
        assert name_shown in views or is_below
