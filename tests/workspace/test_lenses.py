"""Lenses over the resource graph: pure, recoverable in public, and the old way gone."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envplatform.bundle import (
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
    Shown,
    Workspace,
    builtin_seeds,
    check_lens,
    read_seed,
    seed_environment,
    with_workspace,
    workspace_of,
)
from envplatform.workspace.draft import Draft
from envplatform.workspace.graph import manifest_of, served_manifest
from envplatform.workspace.recipes import at, get, parsed, plain, read, replaced
from envplatform.workspace.recovery import OPERATIONS, Recovery, RecoveryError
from envplatform.ws import read_manifest
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

    def apply(self, workspace: Workspace, binding: Binding, seed: int) -> Shown:
        """See the base class."""
        draft = Draft(workspace, binding.name, seed, self.name)
        lengths = [2] * (len(draft.text) // 2)
        draft.same("In pages.", "page", lengths=lengths, salt=draft.token("salt"))
        changed, recipe = draft.done({"do": "pages", "name": binding.name})
        return Shown(workspace=changed, recipe=recipe)


class Gated(Lens):
    """Shows a text to who has read another one."""

    name = "gated"

    def apply(self, workspace: Workspace, binding: Binding, seed: int) -> Shown:
        """See the base class."""
        draft = Draft(workspace, binding.name, seed, self.name)
        word = draft.token("word")
        held = draft.hold({"word": word}, "key")
        draft.show("word.txt", "content", held, about="A word.")
        draft.same(
            "Opens to the word.",
            "gate",
            key_sha256=digest(word.encode()),
            needs=("word.txt",),
            needed_as="key",
        )
        key = at(parsed(get("word.txt")), "word")
        changed, recipe = draft.done(read(binding.name, key=key))
        return Shown(workspace=changed, recipe=recipe)


class Unchanged(Lens):
    """Shows it as before."""

    name = "unchanged"

    def apply(self, workspace: Workspace, binding: Binding, seed: int) -> Shown:
        """See the base class."""
        del seed
        return Shown(workspace=workspace, recipe=plain(binding.name))


class Lossy(Paged):
    """Has only the first page back."""

    name = "lossy"

    def apply(self, workspace: Workspace, binding: Binding, seed: int) -> Shown:
        """See the base class."""
        shown = super().apply(workspace, binding, seed)
        page = {"do": "read", "name": binding.name}
        return replace(shown, recipe=at(page, "content"))


class Lost(Paged):
    """Has it back from where nothing is."""

    name = "lost"

    def apply(self, workspace: Workspace, binding: Binding, seed: int) -> Shown:
        """See the base class."""
        return replace(super().apply(workspace, binding, seed), recipe=plain("nowhere"))


LEDGER = Binding(name="ledger.csv")


@given(text=st.text(min_size=2, max_size=40), seed=st.integers(0, 5))
@settings(max_examples=40)
def test_any_text_comes_back_by_the_public_way(text: str, seed: int) -> None:
    for lens in (Paged(), Gated()):
        child = check_lens(environment(text), lens, LEDGER, seed)
        assert checked(child).core == environment().core
        assert child.served["l.csv"].data == text.encode()


@pytest.mark.parametrize(
    ("lens", "problem"),
    [
        (Unchanged(), "still shows the content"),
        (Lossy(), "what is recovered of ledger.csv differs"),
        (Lost(), "can't be recovered: plain nowhere: read nowhere: not_found"),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_what_is_no_lens_is_refused(lens: Lens, problem: str) -> None:
    with pytest.raises(BundleError, match=problem):
        check_lens(environment(), lens, LEDGER, 1)


def test_only_what_is_declared_can_be_transformed() -> None:
    frozen = replace(
        environment(),
        core=replace(environment().core, transformable=(), frozen={"ledger": "0" * 64}),
    )
    with pytest.raises(BundleError, match=r"ledger\.csv is not declared transformable"):
        check_lens(frozen, Paged(), LEDGER, 1)
    with pytest.raises(BundleError, match="nowhere is not declared transformable"):
        check_lens(environment(), Paged(), Binding(name="nowhere"), 1)


def test_a_workspace_goes_back_and_forth() -> None:
    child = check_lens(environment(), Gated(), LEDGER, 1)
    assert with_workspace(child, workspace_of(child)) == child
    with pytest.raises(BundleError, match="name or location is taken"):
        workspace_of(child).with_resource("ledger", "content", "x", b"")
    with pytest.raises(BundleError, match="the name is taken"):
        workspace_of(child).with_view(child.views[0])


@pytest.mark.parametrize("name", builtin_seeds())
def test_seeds_declare_what_may_be_transformed(name: str) -> None:
    seed, _ = read_seed(name)
    shown = seed_environment(name, IMAGE)
    assert set(seed.transformable) <= {one.name for one in shown.resources}
    assert served_manifest(shown) == read_manifest(manifest_of(shown))


def test_a_folder_is_one_content_whatever_its_files_hold() -> None:
    held = {"f/a": File(b"x\n"), "f/b/c": File(b"\xff\x00")}
    folder = replace(
        workspace_of(environment()),
        resources={
            "f": Resource(name="f", kind="content", provider="files", location="f")
        },
        served=held,
    )
    assert folder.content("f") == b'{\n"a": "x\\n",\n"b/c": "\\udcff\\u0000"\n}\n'
    with pytest.raises(BundleError, match="f is no single file"):
        folder.with_content("f", b"")
    with pytest.raises(BundleError, match="resource f holds nothing at f"):
        replace(folder, served={}).content("f")


def test_the_way_back_counts_requests_that_need_each_other() -> None:
    child = check_lens(environment(), Gated(), LEDGER, 1)
    key = at(parsed(get("word.txt")), "word")
    entries = {"ledger.csv": read("ledger.csv", key=key)}
    recovery = Recovery(entries, Interface(child).request)
    assert recovery.get("ledger.csv") == recovery.get("ledger.csv")
    assert (recovery.reads, recovery.calls, recovery.depth) == (2, 2, 2)


@pytest.mark.parametrize(
    ("node", "problem"),
    [
        ({"do": "fly"}, "there is no operation 'fly'"),
        (get("ledger.csv"), "ledger.csv needs itself"),
        (parsed(plain("ledger.csv")), "json .*Expecting value"),
        (at({"a": 1}, "b"), "at : 'b'"),
        ({"do": "each", "as": "x", "in": "text", "then": ""}, "each of str, no list"),
        ({"do": "choose", "of": [{}, {}], "where": {}}, "2 are {}"),
        ({"do": "unpack", "of": plain("ledger.csv"), "member": "x"}, "not a zip file"),
        ([1], "came to list, no content"),
    ],
    ids=lambda one: str(one)[:30],
)
def test_a_way_that_leads_nowhere_says_where_it_ends(
    node: object, problem: str
) -> None:
    recovery = Recovery({"ledger.csv": node}, Interface(environment()).request)
    with pytest.raises(RecoveryError, match=problem):
        recovery.get("ledger.csv")


def test_a_plain_read_is_replaced_and_nothing_else() -> None:
    node = {"do": "text", "parts": [plain("a"), plain("b"), "a", get("a")]}
    found = replaced(node, "a", plain("c"))
    assert found["parts"] == [plain("c"), plain("b"), "a", get("a")]
    assert {"plain", "get", "text"} <= set(OPERATIONS)
