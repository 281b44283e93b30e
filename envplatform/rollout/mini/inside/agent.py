"""Run mini-swe-agent's own agent in its own local environment; ask its model elsewhere.

Standard input: the order, one JSON object. The model is asked through a socket, where
one connection takes the answer to the last request and gives the next one. This file is
run in a sandbox and imports nothing of ours; what the agent and its environment do, the
package does.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from types import SimpleNamespace
from typing import Any

SHOWN = 10_000
"""Characters of output that the package's templates show whole."""


class Desk:
    """Where requests for the model are handed out."""

    def __init__(self, path: str) -> None:
        beside = f"{path}.part"
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._server.bind(beside)
        os.chmod(beside, 0o666)  # noqa: PTH101, S103  whoever asks may be another user
        self._server.listen(1)
        os.rename(beside, path)  # noqa: PTH104  a socket: no file to be opened
        self._line, _ = self._server.accept()
        self._read()

    def tell(self, said: dict[str, Any]) -> None:
        """Hand something out."""
        with self._line as line:
            line.sendall(json.dumps(said).encode() + b"\n")

    def ask(self, said: dict[str, Any]) -> dict[str, Any]:
        """Hand a request out and wait for its answer."""
        self.tell(said)
        self._line, _ = self._server.accept()
        answer: dict[str, Any] = json.loads(self._read())
        return answer

    def _read(self) -> bytes:
        got = bytearray()
        while not got.endswith(b"\n"):
            chunk = self._line.recv(1 << 16)
            if not chunk:
                break
            got += chunk
        return bytes(got)


class Told:
    """What happened since the last request."""

    def __init__(self) -> None:
        self.ran: list[dict[str, Any]] = []
        self.seen = 0
        self.misread = False

    def take(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        """Return it, and begin anew."""
        fresh = [
            {
                "role": one["role"],
                "content": one["content"],
                "tool_call_id": one.get("tool_call_id"),
            }
            for one in messages[self.seen :]
            if one["role"] not in ("assistant", "exit")
        ]
        said = {"fresh": fresh, "ran": self.ran, "misread": self.misread}
        self.ran, self.seen, self.misread = [], len(messages), False
        return said


class AskedModel:
    """A model as the package knows one; the answers come from the desk."""

    def __init__(
        self, desk: Desk, told: Told, settings: dict[str, Any], *, by_tools: bool
    ) -> None:
        self.config = SimpleNamespace(**settings)
        self._settings = settings
        self._desk = desk
        self._told = told
        self._by_tools = by_tools

    def query(self, messages: list[dict[str, Any]], **_: object) -> dict[str, Any]:
        """Ask, and read what is to be done out of the answer."""
        from minisweagent.exceptions import (  # type: ignore[import-not-found]  # noqa: PLC0415
            FormatError,
        )

        answer = self._desk.ask(self._told.take(messages))
        try:
            actions = self._actions(answer)
        except FormatError:
            self._told.misread = True
            raise
        message: dict[str, Any] = {"role": "assistant", "content": answer["content"]}
        return {**message, "extra": {"actions": actions, "cost": 0.0}}

    def _actions(self, answer: dict[str, Any]) -> list[dict[str, Any]]:
        how = {
            "format_error_template": self._settings["format_error_template"],
            "template_kwargs": {"finish_reason": answer["finish_reason"]},
        }
        if not self._by_tools:
            from minisweagent.models.utils import (  # type: ignore[import-not-found]  # noqa: PLC0415
                actions_text,
            )

            found: list[dict[str, Any]] = actions_text.parse_regex_actions(
                answer["content"], action_regex=self._settings["action_regex"], **how
            )
            return found
        from minisweagent.models.utils import (  # noqa: PLC0415
            actions_toolcall,
        )

        calls = [
            SimpleNamespace(
                id=one["id"],
                function=SimpleNamespace(name=one["name"], arguments=one["arguments"]),
            )
            for one in answer["calls"]
        ]
        read: list[dict[str, Any]] = actions_toolcall.parse_toolcall_actions(
            calls, **how
        )
        return read

    def format_message(self, **message: object) -> dict[str, Any]:
        """Return a message as it is."""
        return message

    def format_observation_messages(
        self,
        message: dict[str, Any],
        outputs: list[dict[str, Any]],
        template_vars: dict[str, Any] | None = None,
    ) -> list[dict[str, Any]]:
        """Word outputs in the package's own way."""
        from minisweagent.models.utils import (  # noqa: PLC0415
            actions_text,
            actions_toolcall,
        )

        template = self._settings["observation_template"]
        worded: list[dict[str, Any]]
        if not self._by_tools:
            worded = actions_text.format_observation_messages(
                outputs, observation_template=template, template_vars=template_vars
            )
            return worded
        worded = actions_toolcall.format_toolcall_observation_messages(
            actions=message["extra"]["actions"],
            outputs=outputs,
            observation_template=template,
            template_vars=template_vars,
        )
        return worded

    def get_template_vars(self, **_: object) -> dict[str, Any]:
        """What templates may name."""
        return self._settings

    def serialize(self) -> dict[str, Any]:
        """Nothing: the record is kept elsewhere."""
        return {}


class NotedEnvironment:
    """The package's local environment, noting how each command ended."""

    def __init__(self, local: Any, told: Told) -> None:  # noqa: ANN401  the package's
        self.config = local.config
        self._local = local
        self._told = told

    def execute(self, action: dict[str, Any], cwd: str = "") -> dict[str, Any]:
        """Run a command; the note is there whatever becomes of it."""
        began = time.monotonic()
        note: dict[str, Any] = {"exit_code": 0, "bytes": 0, "shortened": False}
        self._told.ran.append(note)
        try:
            output: dict[str, Any] = self._local.execute(action, cwd)
            text = output["output"]
            code = None if output["exception_info"] else output["returncode"]
            size = len(text.encode("utf-8", "replace"))
            note |= {"exit_code": code, "bytes": size, "shortened": len(text) >= SHOWN}
        finally:  # a submission is raised: it ended well
            note["seconds"] = time.monotonic() - began
        return output

    def get_template_vars(self, **more: object) -> dict[str, Any]:
        """What templates may name."""
        found: dict[str, Any] = self._local.get_template_vars(**more)
        return found

    def serialize(self) -> dict[str, Any]:
        """Nothing: the record is kept elsewhere."""
        return {}


def main(path: str) -> None:
    """Do what standard input says."""
    order = json.load(sys.stdin)
    sys.path.insert(0, order["library"])
    os.environ["MSWEA_SILENT_STARTUP"] = "1"
    os.environ["MSWEA_GLOBAL_CONFIG_DIR"] = order["settings"]
    import yaml  # noqa: PLC0415
    from minisweagent.agents.default import (  # type: ignore[import-not-found]  # noqa: PLC0415
        DefaultAgent,
    )
    from minisweagent.config import (  # type: ignore[import-not-found]  # noqa: PLC0415
        builtin_config_dir,
    )
    from minisweagent.environments.local import (  # type: ignore[import-not-found]  # noqa: PLC0415
        LocalEnvironment,
    )

    text = (builtin_config_dir / order["config"]).read_text(encoding="utf-8")
    config = yaml.safe_load(text)
    settings = {"action_regex": order["action_regex"], **config["model"]}
    told, desk = Told(), Desk(path)
    model = AskedModel(desk, told, settings, by_tools=order["by_tools"])
    local = LocalEnvironment(
        cwd="/workspace", timeout=order["command_s"], **config["environment"]
    )
    limits = {"step_limit": 0, "cost_limit": 0.0}  # kept by who answers
    agent = DefaultAgent(
        model, NotedEnvironment(local, told), **config["agent"] | limits
    )
    ended = agent.run(order["task"])
    desk.tell({**told.take(agent.messages), "done": str(ended.get("exit_status"))})


if __name__ == "__main__":
    main(sys.argv[1])
