"""Identity: what of an environment is hashed, and how.

Covered: every file that agent or grader can see, the core, the grader, the user
policy, the image's digest, the lineage but for what it cost. Not covered: cost and
the gate's verdicts. No time, no order, two modes.
"""

from dataclasses import replace

from envplatform.bundle import layout, records
from envplatform.bundle.environment import Core, Environment, Spending
from envplatform.tree import File, tree_digest

FORMAT = 2
"""Version of the format, part of the identity."""


def environment_digest(environment: Environment) -> str:
    """SHA-256 (hex): the environment's name in the store and in lineages.

    Raises:
        BundleError: the environment's parts do not fit together.
    """
    lineage = replace(environment.lineage, spent=Spending())
    files = layout.content_files(replace(environment, lineage=lineage))
    identity = {"format": FORMAT, **_described(environment)}
    files[layout.IDENTITY] = File(records.dump(identity))
    return tree_digest(files)


def core_digest(core: Core) -> str:
    """SHA-256 (hex) of what no transformation may change."""
    return tree_digest({layout.CORE: File(records.dump(records.encode(core)))})


def identity_file(environment: Environment) -> File:
    """identity.json: format version, digest, and what the environment is."""
    identity = {
        "format": FORMAT,
        "digest": environment_digest(environment),
        "core_digest": core_digest(environment.core),
        **_described(environment),
    }
    return File(records.dump(identity))


def _described(environment: Environment) -> dict[str, records.Json]:
    return {"environment": records.encode(layout.describe(environment))}
