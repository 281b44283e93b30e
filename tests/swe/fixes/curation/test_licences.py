"""SPDX expressions against a policy."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from license_expression import (  # type: ignore[import-untyped]  # ships no types
    get_spdx_licensing,
)

from envplatform.configuration import CurationSettings
from envplatform.swe.fixes.curation.licences import PERMISSIVE, licence_verdict

DROP = CurationSettings()
KEEP = CurationSettings(unknown_licences="keep")


@pytest.mark.parametrize(
    "licence",
    [
        "MIT",
        "mit",
        " BSD-3-Clause ",
        "Apache-2.0+",
        "Apache-2.0 WITH LLVM-exception",
        "MIT OR GPL-3.0-only",
        "MIT or Apache-2.0",
        "(MIT AND ISC) OR GPL-2.0-only",
        "MIT AND (GPL-3.0-only OR Zlib)",
        "MIT OR No-Such-Name",
        *sorted(PERMISSIVE),
    ],
)
def test_permissive_licences_are_taken(licence: str) -> None:
    assert licence_verdict(licence, DROP) is None


@pytest.mark.parametrize(
    "licence",
    [
        "GPL-3.0-only",
        "GPL-2.0+",
        "AGPL-3.0-or-later",
        "LGPL-2.1-only",
        "MPL-2.0",
        "EPL-2.0",
        "BSD-4-Clause",
        "CC-BY-NC-4.0",
        "MIT AND GPL-3.0-only",
        "GPL-3.0-only AND No-Such-Name",
        "GPL-2.0-only WITH Classpath-exception-2.0",
    ],
)
@pytest.mark.parametrize("settings", [DROP, KEEP])
def test_other_known_licences_are_refused(
    licence: str, settings: CurationSettings
) -> None:
    verdict = licence_verdict(licence, settings)
    assert verdict == f"{licence!r} is not permissive"


@pytest.mark.parametrize(
    "licence",
    [
        "",
        "  ",
        "NOASSERTION",
        "other",
        "BSD",
        "No-Such-Name",
        "MIT AND No-Such-Name",
        "MIT/GPL",
        "(MIT",
        "MIT OR",
        "MIT MIT",
        "\0",
        "x" * 100_000,
        "(" * 100_000,
    ],
)
def test_settings_decide_on_what_is_unknown(licence: str) -> None:
    assert licence_verdict(licence, DROP)
    assert licence_verdict(licence, KEEP) is None


def test_a_missing_licence_is_named_as_missing() -> None:
    assert licence_verdict("", DROP) == "no licence is known"


def test_a_detail_quotes_no_more_than_the_beginning() -> None:
    assert len(licence_verdict("x" * 100_000, DROP) or "") < 150


def test_a_list_takes_what_it_names_and_nothing_else() -> None:
    own = CurationSettings(licences=("mpl-2.0", "LicenseRef-Own"))
    assert licence_verdict("MPL-2.0", own) is None
    assert licence_verdict("LicenseRef-own", own) is None
    assert licence_verdict("MPL-2.0 OR GPL-3.0-only", own) is None
    assert licence_verdict("MIT", own) == "'MIT' is not listed"


def test_a_list_may_name_one_exception() -> None:
    own = CurationSettings(licences=("GPL-2.0-only WITH Classpath-exception-2.0",))
    expression = "GPL-2.0-only WITH Classpath-exception-2.0"
    assert licence_verdict(f"{expression} OR EPL-2.0", own) is None
    assert licence_verdict("GPL-2.0-only", own)


def test_any_takes_known_and_unknown_alike() -> None:
    everything = CurationSettings(licences="any")
    assert licence_verdict("GPL-3.0-only", everything) is None
    assert licence_verdict("", everything) is None


def test_names_of_the_policy_are_names_of_spdx() -> None:
    assert set(get_spdx_licensing().known_symbols) >= PERMISSIVE


_WORDS = ("MIT", "Foo", "(", ")", "()", "OR", "and", "WITH", "+", "/", "LicenseRef-x")


@given(
    st.text(max_size=40) | st.lists(st.sampled_from(_WORDS), max_size=9).map(" ".join)
)
@example("()")
@example("( OR MIT AND ISC")
def test_any_text_gets_a_verdict(licence: str) -> None:
    verdict = licence_verdict(licence, DROP)
    assert verdict is None or verdict
