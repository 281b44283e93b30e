"""One conversation of one role: its own words are remembered, no other role's ever come in."""

import time
from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

from envplatform.bundle.environment import Spending
from envplatform.cowork.llm.prompts import findings_message
from envplatform.cowork.roles import Finding, Role, RoleError
from envplatform.errors import ContextLengthError, ModelAnswerError
from envplatform.llm.chat import ChatModel, ChatRequest, Message, Usage
from envplatform.llm.metered import Metered
from envplatform.llm.structured import structured

T = TypeVar("T", bound=BaseModel)

ANSWER_TOKENS = 12_000
"""Of one answer of a Builder or Verifier constructor, at most."""


class Conversation:
    """Asks for answers of one shape, and for better ones after findings."""

    def __init__(
        self,
        model: ChatModel,
        *,
        role: Role,
        system: str,
        answer_tokens: int = ANSWER_TOKENS,
    ) -> None:
        self.name = model.name
        self.spent = Spending()
        """For the last answer."""
        self._model = model
        self._role: Role = role
        self._tokens = answer_tokens
        self._messages = [Message(role="system", content=system)]

    async def ask(
        self,
        schema: type[T],
        begins: Message,
        findings: Sequence[Finding],
        *,
        seed: int,
    ) -> T:
        """Return an answer; `begins` is said once, findings each time that there are any.

        Raises:
            RoleError: the model refuses, is cut off, or answers something else.
            ModelError: the server failed; says nothing about the answer.
        """
        if len(self._messages) == 1:
            self._messages.append(begins)
        if findings:
            self._messages.append(findings_message(findings))
        request = ChatRequest(
            messages=tuple(self._messages),
            temperature=0.7,
            max_tokens=self._tokens,
            seed=seed % 2**31,
        )
        began, metered = time.monotonic(), Metered(self._model)
        try:
            answer, _ = await structured(metered, request, schema)
        except (ModelAnswerError, ContextLengthError) as error:
            raise RoleError(str(error), role=self._role) from error
        finally:
            self.spent = _spent(metered.usage, began)
        said = Message(role="assistant", content=answer.model_dump_json())
        self._messages.append(said)
        return answer


def _spent(usage: Usage, began: float) -> Spending:
    return Spending(
        tokens=usage.prompt_tokens + usage.completion_tokens,
        seconds=time.monotonic() - began,
        usd=usage.usd,
    )
