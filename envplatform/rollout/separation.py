"""Writers and solvers apart: a model never solves what it wrote."""

from envplatform.bundle import Environment
from envplatform.errors import ConfigError


def writers_of(environment: Environment) -> tuple[str, ...]:
    """Return the models that wrote the task: its issue, its bug, its way of serving."""
    names = (environment.lineage.origin.get("issue_model"), environment.lineage.model)
    return tuple(dict.fromkeys(name for name in names if name))


def check_solver(environment: Environment, model: str) -> None:
    """Refuse a model that wrote the task; names differ in more than case.

    A record refuses the same; here it is found before anything was spent.

    Raises:
        ConfigError: it did.
    """
    if model.casefold() in {name.casefold() for name in writers_of(environment)}:
        msg = (
            f"model {model!r} wrote the task of {environment.environment_id}, so its "
            f"solving it would prove nothing; name another model"
        )
        raise ConfigError(msg)
