"""A model that answers one conversation at a time."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
from peft import PeftModel
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from envplatform.errors import ContextLengthError
from envplatform.learning.answers import message_of
from envplatform.learning.online.turns import Turns
from envplatform.learning.rendering import Renderer
from envplatform.learning.serving.orders import ServingOrder
from envplatform.learning.student import load_model, load_tokenizer
from envplatform.learning.student_files import student_files
from envplatform.learning.templates import chat_template
from envplatform.learning.training.adapter_check import check_fits
from envplatform.learning.training.checkpoint import ADAPTER
from envplatform.llm.chat import ChatRequest, FinishReason, Message, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One answer."""

    message: Message
    finish_reason: FinishReason
    usage: Usage


class Speaker:
    """Answers requests; equal ones get equal answers."""

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        turns: Turns,
        *,
        max_tokens: int,
    ) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._turns = turns
        self._max_tokens = max_tokens
        self._one_at_a_time = threading.Lock()
        own = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        self._context = int(own) if own else None

    @classmethod
    def load(cls, order: ServingOrder) -> Self:
        """Load what an order names.

        Raises:
            StudentError: the base can't be used.
            TrainingError: the adapter is of another base, or no plain adapter.
        """
        student_files(order.base)  # refuses what is no model, and pickles by name
        tokenizer = load_tokenizer(order.base)
        template = chat_template(order.base, order.template, tokenizer)
        model = load_model(order.base, order.dtype)
        if order.checkpoint is not None:
            folder = order.checkpoint / ADAPTER
            check_fits(folder, model)
            model = PeftModel.from_pretrained(model, str(folder)).merge_and_unload(
                safe_merge=True
            )
        return cls(
            model.to(order.device).eval(),
            tokenizer,
            Turns(tokenizer, Renderer(tokenizer, template)),
            max_tokens=order.max_tokens,
        )

    def answer(self, request: ChatRequest) -> Spoken:
        """Say the next turn.

        Raises:
            ContextLengthError: the conversation leaves no room for an answer.
            TrainingError: the template refuses the conversation.
        """
        prompt = self._turns.opening_ids(request.messages, request.tools)
        room = self._room(len(prompt), request.max_tokens)
        with self._one_at_a_time:
            ids = self._generated(prompt, room, request)
        ended = bool(ids) and ids[-1] in self._turns.stop_ids()
        message = message_of(self._turns.words(ids))
        calls: FinishReason = "tool_calls" if message.tool_calls else "stop"
        return Spoken(
            message=message,
            finish_reason=calls if ended else "length",
            usage=Usage(prompt_tokens=len(prompt), completion_tokens=len(ids)),
        )

    def _room(self, length: int, wanted: int) -> int:
        room = min(wanted, self._max_tokens)
        if self._context is not None:
            if length >= self._context:
                msg = f"{length} tokens, and the model reads {self._context}"
                raise ContextLengthError(msg)
            room = min(room, self._context - length)
        return room

    @torch.inference_mode()
    def _generated(
        self, prompt: Sequence[int], room: int, request: ChatRequest
    ) -> list[int]:
        ids = torch.tensor([list(prompt)], device=self._model.device)
        stop = list(self._turns.stop_ids())
        drawn = (
            {"do_sample": True, "temperature": request.temperature, "top_k": 0}
            if request.temperature > 0
            else {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(request.seed)
            whole = self._model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=room,
                eos_token_id=stop,
                pad_token_id=stop[0],
                **drawn,
            )
        said: list[int] = whole[0, len(prompt) :].tolist()
        return said
