"""structured(): strict parsing, one repair turn, then an error."""

from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from envplatform.errors import ModelAnswerError
from envplatform.llm.chat import ChatRequest, Message, Usage
from envplatform.llm.structured import structured
from tests.fakes import ScriptedChatModel, text_answer

ASK = ChatRequest(messages=(Message(role="user", content="who?"),))


class Colour(StrEnum):
    """A closed choice."""

    RED = "red"


class Person(BaseModel):
    """What the tests ask for."""

    model_config = ConfigDict(extra="forbid")

    name: str
    age: int = Field(ge=0)
    colours: tuple[Colour, ...] = ()


GOOD = '{"name": "Ada", "age": 36, "colours": ["red"]}'
ADA = Person(name="Ada", age=36, colours=(Colour.RED,))


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}```",
        f"\n```JSON\n\n{GOOD}\n\n```\n",
    ],
)
async def test_a_valid_answer_needs_one_call(text: str) -> None:
    model = ScriptedChatModel([text_answer(text)])
    value, usage = await structured(model, ASK, Person)
    assert value == ADA
    assert usage == text_answer(text).usage
    (sent,) = model.requests
    assert sent.json_schema == Person.model_json_schema()
    assert sent.messages == ASK.messages


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Sure! Ada is 36.", "answer: Invalid JSON"),
        ("", "answer: Invalid JSON"),
        ("```", "answer: Invalid JSON"),
        (f"Here you are: {GOOD}", "answer: Invalid JSON"),
        ('{"name": "Ada"}', "age: Field required"),
        ('{"name": "Ada", "age": "36"}', "age: Input should be a valid integer"),
        ('{"name": "Ada", "age": -1}', "age: Input should be greater"),
        ('{"name": "Ada", "age": 36, "x": 1}', "x: Extra inputs"),
        ('{"name": "Ada", "age": 36, "colours": ["blue"]}', "colours.0: Input should"),
        ("[]", "answer: Input should be an object"),
    ],
)
async def test_a_wrong_answer_gets_one_repair_turn_that_says_why(
    text: str, named: str
) -> None:
    model = ScriptedChatModel([text_answer(text), text_answer(GOOD)])
    value, usage = await structured(model, ASK, Person)
    assert value == ADA
    first, second = model.requests
    assert second.messages[: len(first.messages)] == first.messages
    assistant, user = second.messages[len(first.messages) :]
    assert (assistant.role, assistant.content) == ("assistant", text)
    assert user.role == "user"
    assert named in user.content
    assert '"required": ["name", "age"]' in user.content
    assert usage == Usage(prompt_tokens=20, completion_tokens=10, usd=0.002)


async def test_a_cut_off_answer_is_repaired_even_if_it_would_parse() -> None:
    model = ScriptedChatModel(
        [text_answer(GOOD, finish_reason="length"), text_answer(GOOD)]
    )
    value, _ = await structured(model, ASK, Person)
    assert value == ADA
    assert "be shorter" in model.requests[1].messages[-1].content


async def test_two_wrong_answers_are_an_error_that_names_the_field() -> None:
    wrong = text_answer('{"name": "Ada"}')
    model = ScriptedChatModel([wrong, wrong, text_answer(GOOD)])
    with pytest.raises(ModelAnswerError, match=r"Person, .* age: Field required"):
        await structured(model, ASK, Person)
    assert len(model.requests) == 2


@given(text=st.text())
async def test_any_text_is_a_value_or_the_error(text: str) -> None:
    model = ScriptedChatModel([text_answer(text), text_answer(text)])
    with pytest.raises(ModelAnswerError):
        await structured(model, ASK, Person)


@given(
    person=st.builds(Person, colours=st.lists(st.sampled_from(Colour)).map(tuple)),
    fence=st.sampled_from(["{}", "```json\n{}\n```", "```\n{}\n```"]),
)
async def test_any_value_comes_back(person: Person, fence: str) -> None:
    text = fence.replace("{}", person.model_dump_json())
    value, _ = await structured(ScriptedChatModel([text_answer(text)]), ASK, Person)
    assert value == person
