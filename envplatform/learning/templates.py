"""The chat template of a model: its own or a file, and held to what everyone here needs."""

from pathlib import Path

from transformers import PreTrainedTokenizerBase

from envplatform.errors import StudentError
from envplatform.learning.conversation import Conversation
from envplatform.learning.rendering import Renderer, Skipped
from envplatform.llm.chat import Message, Role


def chat_template(
    model: Path, template: Path | None, tokenizer: PreTrainedTokenizerBase
) -> str:
    """The text of `template`, or what comes with the tokenizer of `model`.

    Raises:
        StudentError: the file can't be read, or the model has none.
    """
    try:
        if template is not None:
            return template.read_text()
        own: str = tokenizer.get_chat_template()
    except (OSError, UnicodeDecodeError) as error:
        msg = f"template: {template} can't be read: {error}"
        raise StudentError(msg) from error
    except ValueError as error:
        msg = (
            f"{model.name} has no chat template, as base models have none: name one "
            "as `template`"
        )
        raise StudentError(msg) from error
    return own


def renderer_of(
    model: Path, template: Path | None, tokenizer: PreTrainedTokenizerBase
) -> Renderer:
    """What turns conversations into tokens of which the agent's are known.

    Raises:
        StudentError: as of `chat_template`; or the template does not show which tokens
            are the agent's.
    """
    renderer = Renderer(tokenizer, chat_template(model, template, tokenizer))
    _check(model, renderer)
    return renderer


def _check(model: Path, renderer: Renderer) -> None:
    """Try a plain conversation of four turns."""
    roles: tuple[Role, ...] = ("user", "assistant", "user", "assistant")
    words = ("ask", "answer", "again", "other")
    plain = Conversation(
        trajectory_id="plain",
        messages=tuple(
            Message(role=role, content=word)
            for role, word in zip(roles, words, strict=True)
        ),
    )
    rendered = renderer.render(plain)
    if isinstance(rendered, Skipped):
        msg = (
            f"the chat template of {model.name} does not show which tokens are the "
            f"agent's ({rendered.detail}); give a template that marks them with "
            "{% generation %} and {% endgeneration %}"
        )
        raise StudentError(msg)
