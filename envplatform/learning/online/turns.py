"""One play as tokens: what the policy generated is never tokenized a second time.

Between two of its turns stands what it heard, as the template writes that; whatever the
policy did not generate gets a 0 in the mask and no gradient.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from transformers import PreTrainedTokenizerBase

from envplatform.errors import TrainingError
from envplatform.learning.conversation import Conversation
from envplatform.learning.rendering import Renderer
from envplatform.learning.turns import MaskError
from envplatform.llm.chat import Message, Tool


@dataclass(slots=True, kw_only=True)
class Tokens:
    """A play as a trainer takes it."""

    prompt: list[int]
    completion: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    """Of each token of the completion: 1 where the policy generated it."""

    @property
    def context(self) -> list[int]:
        """All that is read before the next token."""
        return [*self.prompt, *self.completion]

    def generated(self, ids: Sequence[int]) -> None:
        """Add what the policy said."""
        self.completion += ids
        self.mask += [1] * len(ids)

    def heard(self, ids: Sequence[int]) -> None:
        """Add what it was told."""
        self.completion += ids
        self.mask += [0] * len(ids)


class Turns:
    """Writes openings and replies with one tokenizer and one chat template."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, renderer: Renderer) -> None:
        """Find how the template opens and closes a turn.

        Raises:
            TrainingError: that can't be told from the template.
        """
        self._tokenizer = tokenizer
        self._renderer = renderer
        ask = Message(role="user", content="ask")
        self.header = self._opening([ask], ()).removeprefix(self._written([ask], ()))
        """What stands between a user's turn and the assistant's words."""
        word = _word(ask.content)
        whole = self._written([ask, Message(role="assistant", content=word)], ())
        self.closing = whole.partition(word)[2]
        """What stands after the assistant's words."""

    def opening_ids(
        self, messages: Sequence[Message], tools: Sequence[Tool]
    ) -> list[int]:
        """The conversation so far, up to where the policy speaks."""
        return self._ids(self._opening(messages, tools))

    def reply_ids(
        self,
        said: Sequence[Message],
        heard: Sequence[Message],
        tools: Sequence[Tool],
        generated: Sequence[int],
    ) -> list[int]:
        """What follows the policy's last turn, up to where it speaks again.

        `said` ends with that turn, of which `generated` are the tokens: what closes the
        turn is added where they lack it.
        """
        before, word = said[:-1], _word("".join(one.content for one in (*said, *heard)))
        plain = Message(role="assistant", content=word)
        opened = self._opening(before, tools)
        whole = self._opening([*before, plain, *heard], tools)
        if not whole.startswith(opened + word):
            msg = (
                "the chat template changes earlier turns with later ones, so a rollout "
                "can't be gone on with token by token: name a `template` that does not"
            )
            raise TrainingError(msg)
        reply = whole[len(opened) + len(word) :]
        if generated:
            last = self._tokenizer.decode([generated[-1]])
            reply = reply.removeprefix(last) if last.strip() else reply
        return self._ids(reply)

    def stop_ids(self) -> tuple[int, ...]:
        """Tokens after which the policy's turn is over."""
        found = {self._tokenizer.eos_token_id, *self._ids(self.closing.strip())[:1]}
        return tuple(sorted(one for one in found if one is not None))

    def words(self, ids: Sequence[int]) -> str:
        """What the policy said, without the marks of its turn."""
        text: str = self._tokenizer.decode(ids, skip_special_tokens=True)
        return text.removesuffix(self.closing.strip())

    def _opening(self, messages: Sequence[Message], tools: Sequence[Tool]) -> str:
        word = _word("".join(one.content for one in messages))
        said = [*messages, Message(role="assistant", content=word)]
        opened, found, _ = self._written(said, tools).rpartition(word)
        if not found:
            msg = "the chat template does not render what an assistant says"
            raise TrainingError(msg)
        return opened

    def _written(self, messages: Sequence[Message], tools: Sequence[Tool]) -> str:
        talk = Conversation(
            trajectory_id="play", messages=tuple(messages), tools=tuple(tools)
        )
        try:
            return self._renderer.written(talk)
        except MaskError as error:
            msg = f"the chat template can't be used for rollouts: {error}"
            raise TrainingError(msg) from error

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False, verbose=False)[
            "input_ids"
        ]
        return ids


def _word(text: str) -> str:
    """A word that no template trims, and that `text` does not hold."""
    number = 0
    while (word := f"qz{number}zq") in text:
        number += 1
    return word
