"""Writers and solvers apart: a model never solves what it described."""

from envplatform.bundle import Environment
from envplatform.errors import ConfigError


def check_solver(environment: Environment, model: str) -> None:
    """Refuse a model that wrote the environment's issue; names differ in more than case.

    Raises:
        ConfigError: it did.
    """
    writer = environment.lineage.origin.get("issue_model", "")
    if writer and writer.casefold() == model.casefold():
        msg = (
            f"model {model!r} wrote the issue of {environment.environment_id}, so its "
            f"solving it would prove nothing; name another model"
        )
        raise ConfigError(msg)
