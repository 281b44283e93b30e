"""Tools as the OpenAI API is offered them, which other formats have taken over."""

from envplatform.interop.json_text import JsonObject, json_object
from envplatform.trajectories.record import OfferedTool


def tool_schema(tool: OfferedTool) -> JsonObject:
    """Return a tool as the API is offered it.

    Raises:
        ValueError: its parameters are no JSON object.
    """
    parameters = json_object(tool.parameters)
    if parameters is None:
        msg = f"the parameters of tool {tool.name!r} are no JSON object"
        raise ValueError(msg)
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": parameters,
        },
    }
