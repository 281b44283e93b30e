"""From the image that an environment names to one that sandboxes open."""

from pathlib import Path

from envplatform.bundle import BASE_IMAGE, Environment
from envplatform.errors import SandboxError, TargetError
from envplatform.sandbox.base import Image
from envplatform.sandbox.docker import connect
from envplatform.sandbox.engine_images import existing_image
from envplatform.sandbox.engine_python import ask_base
from envplatform.sandbox.images import above, build_image


def image_of(environment: Environment, cache: Path) -> Image:
    """Return the environment's image, from `cache` and the engine or made anew.

    Whether it is the very one that the environment was proven on says `require_image`.

    Raises:
        TargetError: it can't be built, or what it stands upon is not to be had.
        SandboxUnavailableError: it needs Docker, or a Python, that is not here.
    """
    wanted = environment.image
    base = environment.core.facts.get(BASE_IMAGE)
    if base is None:
        return build_image(wanted.name, wanted.python, wanted.requirements, cache)
    client, _ = connect()
    try:
        engine = existing_image(client, base)
        found = ask_base(client, engine.id, engine.origin)
    except (SandboxError, TargetError) as error:
        msg = (
            f"{environment.environment_id} stands upon the image {base}, which can't be "
            f"used here: {error}. Build it where its target is (materialise "
            "target_repositories), or docker load it"
        )
        raise TargetError(msg) from error
    finally:
        client.close()
    plain = build_image(wanted.name, found.version, wanted.requirements, cache)
    return above(engine, plain)
