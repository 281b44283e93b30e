"""What a model server's refusal means and what a person should check.

Text from the server is foreign: bounded, one line, the key struck out beforehand.
"""

from envplatform.errors import ContextLengthError, ModelError
from envplatform.llm.endpoint import Endpoint
from envplatform.llm.retry import retryable_status

_MAX_SAID = 300
_CONTEXT = (
    "exceed_context_size",  # llama.cpp
    "context_length_exceeded",  # OpenAI, Groq
    "contextwindowexceeded",  # LiteLLM
    "maximum context length",  # vLLM, Mistral, DeepSeek
    "model's context length",  # SGLang
    "exceeds the maximum number of tokens",  # Gemini
    "prompt is too long",  # Anthropic, Fireworks
)
"""Of those who speak OpenAI's format, in lower case."""
_QUOTA = "insufficient_quota"
_BAD_REQUEST, _UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND = 400, 401, 403, 404
_TOO_LARGE = 413


def refusal_error(
    *, status: int, said: str, code: str, endpoint: Endpoint
) -> ModelError | None:
    """The error that an HTTP status calls for; None if another attempt may help."""
    said = " ".join(said.split())[:_MAX_SAID]
    told = f"model {endpoint.name!r}: HTTP {status} from {endpoint.base_url}"
    if status in {_BAD_REQUEST, _TOO_LARGE} and any(
        mark in f"{code} {said}".lower() for mark in _CONTEXT
    ):
        return ContextLengthError(f"{told}: the request is too long: {said}")
    if _QUOTA in code:
        return ModelError(f"{told}: the account is out of quota; check its billing")
    if retryable_status(status):
        return None
    return ModelError(f"{told}: {_check(status, endpoint)}. It said: {said}")


def _check(status: int, endpoint: Endpoint) -> str:
    if status == _UNAUTHORIZED:
        if endpoint.api_key_env is None:
            return "it wants a key; name its environment variable in api_key_env"
        return f"it refused the key; check {endpoint.api_key_env}"
    if status == _FORBIDDEN:
        return (
            f"the key may not use {endpoint.model!r}; check the account's rights and "
            f"the model's name"
        )
    if status == _NOT_FOUND:
        return (
            f"no such address or model; check base_url (it ends in the version, as in "
            f"/v1) and the model name {endpoint.model!r}"
        )
    return (
        "it refused the request; a parameter that it does not know belongs into the "
        "endpoint's `omit`"
    )
