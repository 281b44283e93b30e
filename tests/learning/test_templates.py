"""One way to a chat template, for whoever scores, trains or answers."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs envplatform[learning]")

from envplatform.errors import StudentError
from envplatform.learning.templates import chat_template, renderer_of
from tests.learning.chat_templates import CHATML_TOOLS, MARKED, MERGING
from tests.learning.made_students import tokenizer

MODEL = Path("folder") / "base-model"


def test_a_file_goes_before_the_models_own(tmp_path: Path) -> None:
    own = tmp_path / "own.jinja"
    own.write_text(MARKED)
    made = tokenizer(CHATML_TOOLS)
    assert chat_template(MODEL, own, made) == MARKED
    assert renderer_of(MODEL, None, made).template == CHATML_TOOLS


def test_a_model_without_one_is_named_with_the_remedy() -> None:
    with pytest.raises(StudentError, match=r"base-model has no chat template.*`temp"):
        renderer_of(MODEL, None, tokenizer(None))


@pytest.mark.parametrize("content", [None, b"\xff"])
def test_a_file_that_can_not_be_read_is_named(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "own.jinja"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StudentError, match=r"template: .*own\.jinja can't be read"):
        renderer_of(MODEL, path, tokenizer(CHATML_TOOLS))


@pytest.mark.parametrize("template", [MERGING, "{{ raise_exception('never') }}", "no"])
def test_one_that_does_not_show_who_speaks_is_refused(template: str) -> None:
    with pytest.raises(StudentError, match=r"of base-model does not show.*generation"):
        renderer_of(MODEL, None, tokenizer(template))
