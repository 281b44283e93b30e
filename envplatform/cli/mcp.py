"""`envplatform mcp ENV`: an environment for an MCP client, which starts this command.

One session, from the client's first message to the end of its input; the sandboxes
live as long, and nothing stays behind. Standard output is the client's.
"""

import asyncio
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Annotated

import typer

from envplatform import __version__
from envplatform.cli.find import EnvironmentName, place_for
from envplatform.cli.machine import Opened, open_for_work
from envplatform.cli.output import Progress, clear_errors
from envplatform.cli.place import ConfigOption, Place
from envplatform.cli.user_words import configured_wording
from envplatform.errors import BundleError
from envplatform.grading import limits_of, open_environment
from envplatform.grading.faces import dispatch
from envplatform.rollout import attending
from envplatform.ws import Reply, Request
from envplatform.ws.wire import canonical


def mcp(
    environment: EnvironmentName,
    log: Annotated[
        Path | None, typer.Option(help="Keep the dispatch log in this file.")
    ] = None,
    config: ConfigOption = None,
) -> None:
    """Serve an environment's `ws` interface, and its user, to an MCP client on stdio."""
    with clear_errors(as_json=False):
        place = place_for(config, environment)
        opened = open_for_work(place, environment, Progress())
        if not opened.environment.views:
            msg = f"{opened.environment.environment_id} serves nothing through `ws`"
            raise BundleError(msg)
        with suppress(asyncio.CancelledError):
            asyncio.run(_session(place, opened, log))


async def _session(place: Place, opened: Opened, log: Path | None) -> None:
    # Imported here: no other command needs the package, and it takes its time.
    from envplatform.interop.mcp import mcp_server, serve_stdio  # noqa: PLC0415
    from envplatform.interop.mcp.stdio import end_on_signals  # noqa: PLC0415

    environment = opened.environment
    limits = limits_of(environment, wall_s=environment.allowance.agent_timeout_s)
    end_on_signals()
    async with AsyncExitStack() as stack:
        words = await stack.enter_async_context(configured_wording(place, environment))
        session = await stack.enter_async_context(
            open_environment(
                opened.provider,
                environment,
                image=opened.image,
                attend=attending(words),
            )
        )

        async def ask(request: Request) -> Reply:
            reply, _ = await dispatch(session.sandbox, request, limits)
            if log is not None and session.broker is not None:
                entries = await session.broker.log()
                lines = "".join(f"{canonical(entry)}\n" for entry in entries)
                await asyncio.to_thread(log.write_text, lines, encoding="ascii")
            return reply

        await serve_stdio(mcp_server(environment, ask, version=__version__))
