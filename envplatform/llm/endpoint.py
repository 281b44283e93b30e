"""Where a model is served and what it costs: configuration as values.

No transport (`openai_model`) and no reading of files (`envplatform.configuration`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from pydantic import SecretStr

from envplatform.errors import ConfigError

NO_KEY = "none"
"""Sent where no key is needed; the transport insists on some."""

_MILLION = 1_000_000
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})

OptionalParameter = Literal["temperature", "seed", "response_format"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Money for tokens; zero for models that run at home."""

    prompt_usd_per_million: float = 0.0
    completion_usd_per_million: float = 0.0

    def usd(self, *, prompt_tokens: int, completion_tokens: int) -> float:
        """Price of one call."""
        prompt = prompt_tokens * self.prompt_usd_per_million
        completion = completion_tokens * self.completion_usd_per_million
        return (prompt + completion) / _MILLION


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One model on one OpenAI-compatible server.

    Holds no key: only the name of the environment variable that does.
    """

    name: str
    """What artefacts and the ledger call this model."""
    base_url: str
    """Up to and including the version, `https://api.example.com/v1`."""
    model: str
    """What the server calls it."""
    api_key_env: str | None = None
    """Environment variable that holds the key; None for servers without keys."""
    prices: Prices = Prices()
    timeout_s: float = 120.0
    """For one attempt, from connecting to the last byte of the answer."""
    concurrency: int = 8
    """Calls in flight at once."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """How this server calls the limit; newer OpenAI models want the second."""
    omit: tuple[OptionalParameter, ...] = ()
    """Parameters that this server refuses and that are therefore never sent."""

    def __post_init__(self) -> None:
        """Refuse a URL that cannot work or that carries a password.

        Raises:
            ConfigError: names the endpoint and what to change, never the URL's secrets.
        """
        parts = urlsplit(self.base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            msg = (
                f"endpoint {self.name!r}: base_url must start with http:// or https://"
            )
            raise ConfigError(msg)
        if parts.username or parts.password or parts.query:
            msg = (
                f"endpoint {self.name!r}: base_url carries credentials or a query; "
                f"put the key into an environment variable and name it in api_key_env"
            )
            raise ConfigError(msg)
        if self.concurrency < 1 or self.timeout_s <= 0:
            msg = f"endpoint {self.name!r}: concurrency and timeout_s must be positive"
            raise ConfigError(msg)

    @property
    def local(self) -> bool:
        """Whether the server is on this machine: then no proxy stands between."""
        return urlsplit(self.base_url).hostname in _LOOPBACK


def read_key(endpoint: Endpoint, environ: Mapping[str, str]) -> SecretStr:
    """The key for `endpoint`; a placeholder where the server needs none.

    A server on this machine may do without: its variable may be unset.

    Raises:
        ConfigError: the variable is unset, empty, or not one line of ASCII.
    """
    if endpoint.api_key_env is None:
        return SecretStr(NO_KEY)
    key = environ.get(endpoint.api_key_env, "").strip()
    if not key and endpoint.local:
        return SecretStr(NO_KEY)
    if not key:
        msg = (
            f"endpoint {endpoint.name!r}: environment variable "
            f"{endpoint.api_key_env} is not set; export it with the server's key"
        )
        raise ConfigError(msg)
    if not (key.isascii() and key.isprintable()):
        msg = (
            f"endpoint {endpoint.name!r}: environment variable "
            f"{endpoint.api_key_env} holds characters that no HTTP header can carry"
        )
        raise ConfigError(msg)
    return SecretStr(key)
