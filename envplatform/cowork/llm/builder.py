"""The Builder as a model: what it answers becomes a desk, a user and an oracle."""

import json
from collections.abc import Sequence

from pydantic import ValidationError

from envplatform.cowork.blueprint import Blueprint, seed_of
from envplatform.cowork.conversation import canary_of
from envplatform.cowork.desk import Desk, Sheet
from envplatform.cowork.family import READING, TALKING, Build, Specification
from envplatform.cowork.library import Library
from envplatform.cowork.llm.answers import BuilderAnswer, UserAnswer
from envplatform.cowork.llm.asking import Conversation
from envplatform.cowork.llm.prompts import BUILDER, task_message
from envplatform.cowork.personas import Persona, personas
from envplatform.cowork.procedural import PARAMETERS
from envplatform.cowork.roles import Builder, Built, Finding, RoleError
from envplatform.errors import EnvPlatformError
from envplatform.llm.chat import ChatModel
from envplatform.tree import File
from envplatform.user.plan import Persona as UserPersona
from envplatform.user.plan import Plan, read_plan


class PromptedBuilder(Builder):
    """Asks a model; one conversation an environment, forgotten with the next one."""

    def __init__(self, model: ChatModel, library: Library) -> None:
        self._model = model
        self._library = library
        self._talks: dict[str, tuple[Conversation, int]] = {}

    async def build(self, blueprint: Blueprint, findings: Sequence[Finding]) -> Built:
        """See the base class.

        Raises:
            ModelError: the server failed.
        """
        talk, rounds = self._talks.get(blueprint.blueprint_id) or (self._begun(), 0)
        self._talks = {blueprint.blueprint_id: (talk, rounds + 1)}
        persona = next(one for one in personas() if one.id == blueprint.persona)
        answer = await talk.ask(
            BuilderAnswer,
            task_message(blueprint, persona, self._library),
            findings,
            seed=seed_of(blueprint.cowork_seed, blueprint.number, rounds),
        )
        try:
            return _built(answer, blueprint, persona, talk)
        except (EnvPlatformError, ValidationError, ValueError) as error:
            first = str(error).splitlines()[0]
            raise RoleError(first, role="builder") from error

    def _begun(self) -> Conversation:
        return Conversation(self._model, role="builder", system=BUILDER)


def _built(
    answer: BuilderAnswer, blueprint: Blueprint, persona: Persona, talk: Conversation
) -> Built:
    specification = Specification(
        instruction=answer.instruction.rstrip() + "\n",
        parameters={**answer.parameters, "criteria": dict(answer.criteria)},
        criteria=tuple(answer.criteria),
        facets={"written by": "llm"},
    )
    user = None
    if answer.user is not None:
        user = _user(answer.user, persona, blueprint.seed)
    parameters = json.dumps(dict(specification.parameters), indent=1, sort_keys=True)
    return Built(
        specification=specification,
        build=Build(
            desk=_desk(answer), user=user, operations=TALKING if user else READING
        ),
        oracle={
            "oracle.py": File(answer.oracle.encode()),
            PARAMETERS: File(parameters.encode() + b"\n"),
        },
        spent=talk.spent,
        model=talk.name,
    )


def _desk(answer: BuilderAnswer) -> Desk:
    desk = Desk()
    for one in answer.documents:
        desk.document(one.name, one.view, one.text, about=one.about, kind=one.kind)
    for folder in answer.folders:
        desk.folder(folder.name, folder.view, folder.files, about=folder.about)
    for store in answer.stores:
        sheets = {
            sheet.table: Sheet(columns=sheet.columns, rows=sheet.rows)
            for sheet in store.sheets
        }
        desk.store(store.name, store.view, sheets, about=store.about)
    return desk


def _user(answer: UserAnswer, persona: Persona, seed: int) -> Plan:
    """Return a whole plan; the canary is ours, so that no model knows it."""
    canary = canary_of(seed)
    plan = Plan(
        persona=UserPersona(
            name=answer.name,
            role=persona.role,
            temper=persona.temper,
            habits=persona.habits,
        ),
        goals=(f"{answer.goal}; {canary}",),
        canaries=(canary,),
        facts=tuple(answer.facts),
        signals=tuple(answer.signals),
        opening=answer.opening,
        idle=tuple(answer.idle) or ("I have nothing to add at the moment.",),
    )
    return read_plan(plan.model_dump_json().encode(), "user")
