"""An environment as a value and as a folder: a Harbor task plus `.envp/`.

Standard library, `errors` and `tree` only, so that whoever receives an environment
can check it. No sandbox, no grading, no store.
"""

from envplatform.bundle.audit import CheckResult, CheckStatus, all_passed
from envplatform.bundle.consistency import checked
from envplatform.bundle.digest import FORMAT, core_digest, environment_digest
from envplatform.bundle.disk import (
    ReadLimits,
    environment_files,
    read_environment,
    write_environment,
)
from envplatform.bundle.environment import (
    BASE_IMAGE,
    SOLVE_SCRIPT,
    TEST_SCRIPT,
    Allowance,
    Core,
    Dependency,
    Environment,
    ImageReference,
    Lineage,
    Permissions,
    Pillar,
    Provider,
    Resource,
    Spending,
    View,
)
from envplatform.bundle.migrate import migrate
from envplatform.bundle.repository import (
    commit_id,
    in_repository,
    with_repository,
    without_repository,
)
from envplatform.bundle.writers import WRITERS, handed_down, writers_of

__all__ = [
    "BASE_IMAGE",
    "FORMAT",
    "SOLVE_SCRIPT",
    "TEST_SCRIPT",
    "WRITERS",
    "Allowance",
    "CheckResult",
    "CheckStatus",
    "Core",
    "Dependency",
    "Environment",
    "ImageReference",
    "Lineage",
    "Permissions",
    "Pillar",
    "Provider",
    "ReadLimits",
    "Resource",
    "Spending",
    "View",
    "all_passed",
    "checked",
    "commit_id",
    "core_digest",
    "environment_digest",
    "environment_files",
    "handed_down",
    "in_repository",
    "migrate",
    "read_environment",
    "with_repository",
    "without_repository",
    "write_environment",
    "writers_of",
]
