"""The rubric that an environment ships beside its verifier, for who judges its work.

`tests/rubric.json`: an object of `text`, `paths`, `code_weight` and `votes`, all four.
It is part of the grader, so of what the core's digest covers, and no agent sees it.
"""

from envplatform.bundle import Environment, records
from envplatform.grading.judge import Rubric, check_rubric

RUBRIC = "rubric.json"


def rubric_of(environment: Environment) -> Rubric | None:
    """Return the rubric; None where none is shipped.

    Raises:
        BundleError: the file is no rubric; says how.
        ConfigError: it is one that nothing can be judged by.
    """
    file = environment.tests.get(RUBRIC)
    if file is None:
        return None
    where = f"{environment.environment_id}: tests/{RUBRIC}"
    rubric = records.decode(Rubric, records.load(file.data, where), where)
    check_rubric(rubric)
    return rubric
