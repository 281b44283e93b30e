"""An environment that stands upon an image which its target chose."""

from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.bundle import (
    BASE_IMAGE,
    Environment,
    read_environment,
    write_environment,
)
from envplatform.bundle.layout import content_files
from envplatform.errors import BundleError
from tests.bundle.sample import sample_environment

NAMED = f"python@sha256:{'a' * 64}"


def upon(base: str) -> Environment:
    """The sample, with that fact."""
    sample = sample_environment()
    facts = {**sample.core.facts, BASE_IMAGE: base}
    return replace(sample, core=replace(sample.core, facts=facts))


def test_its_dockerfile_starts_from_that_image_and_from_an_empty_workspace() -> None:
    said = content_files(upon(NAMED))["environment/Dockerfile"].data.decode()
    lines = said.splitlines()
    assert lines[1:3] == [f"ARG BASE={NAMED}", "FROM ${BASE}"]
    assert lines.index("RUN rm -rf /workspace") + 1 == next(
        place for place, line in enumerate(lines) if line.startswith("COPY --chown")
    )


def test_it_is_read_back(tmp_path: Path) -> None:
    write_environment(upon(NAMED), tmp_path / "one")
    assert read_environment(tmp_path / "one").core.facts[BASE_IMAGE] == NAMED


@pytest.mark.parametrize("base", ["", "a\nRUN b", "a b", "${X}", "--platform=x"])
def test_a_name_that_could_be_an_instruction_is_refused(base: str) -> None:
    with pytest.raises(BundleError, match=r"core\.facts\.base_image is odd"):
        content_files(upon(base))
