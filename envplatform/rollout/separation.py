"""Writers and solvers apart: a model never solves what it wrote."""

from envplatform.bundle import Environment, writers_of
from envplatform.errors import ConfigError


def check_solver(environment: Environment, model: str) -> None:
    """Refuse a model that wrote the task; names differ in more than case.

    A record refuses the same; here it is found before anything was spent.

    Raises:
        ConfigError: it did.
    """
    writers = writers_of(environment.lineage)
    if model.casefold() in {name.casefold() for name in writers}:
        msg = (
            f"model {model!r} wrote the task of {environment.environment_id}, so its "
            f"solving it would prove nothing; name another model"
        )
        raise ConfigError(msg)
