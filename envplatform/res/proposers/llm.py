"""A proposer that asks a language model; what it answers is data, and tried before it counts.

An answer that is no plan is told back once (`structured`). A plan that does not fit, or
that the verifier refuses, comes back as diagnostics with the next proposal.
"""

from collections.abc import Sequence
from time import monotonic

from envplatform.bundle import Environment, Spending
from envplatform.errors import ContextLengthError, ModelAnswerError
from envplatform.llm.chat import ChatModel, Usage
from envplatform.llm.metered import Metered
from envplatform.llm.structured import structured
from envplatform.res.diagnostic import Diagnostic
from envplatform.res.plan import PlanAnswer
from envplatform.res.proposers.base import Level, Proposal, Proposer
from envplatform.res.proposers.fit import misfits
from envplatform.res.proposers.prompt import level_request
from envplatform.res.verifier import Caps


class Prompted(Proposer):
    """Asks for a plan by a schema; with recorded answers, the same children again."""

    name = "llm"

    def __init__(
        self,
        model: ChatModel,
        *,
        caps: Caps = Caps(),  # noqa: B008  frozen
        temperature: float = 0.7,
        answer_tokens: int = 4_096,
        server: str = "",
    ) -> None:
        """`model`: opened, with its budget, ledger and recordings around it.

        `caps`: the verifier's, which the model is told; `server`: what tells two apart
        that call their models the same, and what they are never sent.
        """
        self.model = model.name
        self.decides = {
            "temperature": temperature,
            "answer_tokens": answer_tokens,
            "server": server,
        }
        self._asked = model
        self._caps = caps
        self._temperature = temperature
        self._answer_tokens = answer_tokens

    async def propose(
        self,
        parent: Environment,
        history: Sequence[Level],
        diagnostics: Sequence[Diagnostic],
        *,
        seed: int,
    ) -> Proposal:
        """See the base class; answers that are no plan are paid for too."""
        began, metered = monotonic(), Metered(self._asked)
        request = level_request(
            parent,
            history,
            diagnostics,
            caps=self._caps,
            seed=seed,
            temperature=self._temperature,
            max_tokens=self._answer_tokens,
        )
        try:
            answer, _ = await structured(metered, request, PlanAnswer)
        except (ModelAnswerError, ContextLengthError) as error:
            refused = Diagnostic(check="plan", name="", message=str(error))
            return Proposal(
                plan=None, refused=(refused,), spent=_spent(metered.usage, began)
            )
        plan = answer.plan()
        return Proposal(
            plan=plan,
            refused=misfits(parent, plan, seed),
            spent=_spent(metered.usage, began),
        )


def _spent(usage: Usage, began: float) -> Spending:
    return Spending(
        tokens=usage.prompt_tokens + usage.completion_tokens,
        seconds=monotonic() - began,
        usd=usage.usd,
    )
