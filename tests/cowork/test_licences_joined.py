"""What an environment is made of has licences; together they are one expression."""

import pytest
from license_expression import (  # type: ignore[import-untyped]  # ships no types
    get_spdx_licensing,
)

from envplatform.cowork.assembling import joined_licences


@pytest.mark.parametrize(
    ("licences", "joined"),
    [
        (("MIT",), "MIT"),
        (("MIT", "MIT", ""), "MIT"),
        (("MIT OR GPL-3.0-only",), "MIT OR GPL-3.0-only"),
        (("MIT", "Apache-2.0"), "Apache-2.0 AND MIT"),
        (
            ("MIT OR GPL-3.0-only", "Apache-2.0"),
            "Apache-2.0 AND (MIT OR GPL-3.0-only)",
        ),
        (("mit or ISC", "0BSD or ISC"), "(0BSD or ISC) AND (mit or ISC)"),
    ],
)
def test_all_hold_at_once(licences: tuple[str, ...], joined: str) -> None:
    assert joined_licences(licences) == joined
    licensing = get_spdx_licensing()
    wanted = licensing.AND(
        *(licensing.parse(one) for one in {*licences, "MIT"} if one),
        licensing.parse(licences[0]),
    )
    ours = licensing.AND(licensing.parse(joined), licensing.parse("MIT"))
    assert wanted.simplify() == ours.simplify()
