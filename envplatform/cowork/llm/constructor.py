"""The Verifier constructor as a model: it sees a VerifierView and nothing else."""

import json
import re
from collections.abc import Sequence

from envplatform.cowork.family import VerifierView
from envplatform.cowork.llm.answers import ConstructorAnswer
from envplatform.cowork.llm.asking import Conversation
from envplatform.cowork.llm.prompts import CONSTRUCTOR, view_message
from envplatform.cowork.procedural import PARAMETERS
from envplatform.cowork.roles import (
    Finding,
    RoleError,
    Verifier,
    VerifierConstructor,
)
from envplatform.errors import BundleError
from envplatform.llm.chat import ChatModel
from envplatform.tree import File
from envplatform.workspace import Fault
from envplatform.workspace.fault import check_faults


class PromptedConstructor(VerifierConstructor):
    """Asks a model; one conversation, of one environment."""

    def __init__(self, model: ChatModel, *, seed: int = 0) -> None:
        self._model = model
        self._seed = seed
        self._rounds = 0
        self._seen = ""
        self._talk = self._begun()

    async def construct(
        self, view: VerifierView, findings: Sequence[Finding]
    ) -> Verifier:
        """See the base class; another specification begins another conversation.

        Raises:
            ModelError: the server failed.
        """
        begins = view_message(view)
        if self._seen not in ("", begins.content):
            self._talk, findings = self._begun(), ()
        self._seen = begins.content
        self._rounds += 1
        answer = await self._talk.ask(
            ConstructorAnswer, begins, findings, seed=self._seed + self._rounds
        )
        faults = tuple(
            Fault(
                criterion=one.criterion,
                where="workspace",
                path=one.path,
                old=re.escape(one.old),
                new=one.new,
            )
            for one in answer.faults
        )
        try:
            check_faults(faults, view.specification.criteria)
        except BundleError as error:
            raise RoleError(str(error), role="verifier") from error
        parameters = dict(view.specification.parameters)
        text = json.dumps(parameters, indent=1, sort_keys=True)
        return Verifier(
            files={
                "verifier.py": File(answer.verifier.encode()),
                PARAMETERS: File(text.encode() + b"\n"),
            },
            faults=faults,
            spent=self._talk.spent,
            model=self._talk.name,
        )

    def _begun(self) -> Conversation:
        return Conversation(self._model, role="verifier", system=CONSTRUCTOR)
