"""The Issue detector's reading half: a model reads what executions have already passed.

It sees everything and changes nothing. Where it can't be asked the audit says that
nobody read it; that is no finding.
"""

from envplatform.bundle import CheckResult, Environment
from envplatform.cowork.assembling import BESIDE
from envplatform.cowork.llm.answers import ReviewAnswer
from envplatform.cowork.llm.asking import Conversation
from envplatform.cowork.llm.prompts import REVIEWER, fenced
from envplatform.cowork.roles import Finding, Review, Reviewer, RoleError
from envplatform.llm.chat import ChatModel, Message
from envplatform.workspace.programs import grader_files, oracle_files

NAME = "review"
ANSWER_TOKENS = 2_000
"""Of one answer, at most."""


class PromptedReviewer(Reviewer):
    """Asks a model; a conversation of its own each time."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    async def review(self, environment: Environment) -> Review:
        """See the base class.

        Raises:
            ModelError: the server failed.
        """
        talk = Conversation(
            self._model, role="builder", system=REVIEWER, answer_tokens=ANSWER_TOKENS
        )
        begins = Message(role="user", content=fenced(_shown(environment)))
        seed = environment.lineage.seed
        try:
            answer = await talk.ask(ReviewAnswer, begins, (), seed=seed)
        except RoleError as error:
            check = CheckResult(name=NAME, status="not_run", evidence=str(error)[:300])
            return Review(check=check, findings=())
        findings = tuple(
            Finding(kind=one.kind, role=one.role, check=NAME, evidence=one.evidence)
            for one in answer.findings
        )
        what = f"{self._model.name} found {len(findings)} things when it read all of it"
        check = CheckResult(
            name=NAME, status="failed" if findings else "passed", evidence=what
        )
        return Review(check=check, findings=findings)


def _shown(environment: Environment) -> dict[str, object]:
    trees = {
        "held": environment.served,
        "user": environment.user,
        "solution": environment.solution,
        "verifier": environment.tests,
    }
    ours = {*grader_files({}, ()), *oracle_files({}), *BESIDE}
    return {
        "instruction": environment.instruction,
        **{
            name: {
                path: file.data.decode("utf-8", "replace")[:3_000]
                for path, file in sorted(tree.items())
                if path not in ours
            }
            for name, tree in trees.items()
        },
    }
