"""A plan as PawBench keeps a user: `persona.md` and one patch file a turn of change.

A patch file is Markdown with a list of changes as front matter, `turn_NN_name.md`; the
text below it is what the user says. What PawBench can't hold (predicates, facts,
canaries) stays in `plan.json`, so writing is for others to read, and reading takes the
turn number of a file as its predicate.
"""

import re
from collections.abc import Mapping

import yaml
from pydantic import TypeAdapter, ValidationError

from envplatform.errors import BundleError
from envplatform.tree import File, Tree
from envplatform.user.plan import (
    Persona,
    Plan,
    Signal,
    WorkspaceChange,
    read_plan,
)
from envplatform.user.predicates import Turned
from envplatform.user.shown import SHOWN, as_shown, read_shown

PLAN = "plan.json"
PERSONA = "persona.md"
PATCHES = "patches/"

_PATCH_NAME = re.compile(r"patches/turn_(\d{2})_([A-Za-z0-9_-]{1,60})\.md")
_FRONT = re.compile(r"\A---\n(.*?\n)---\n(.*)\Z", re.DOTALL)
_MAX_PATCH_BYTES = 1_000_000
_CHANGES = TypeAdapter(tuple[WorkspaceChange, ...])


def plan_files(plan: Plan) -> dict[str, File]:
    """Return the files of `.envp/user`."""
    persona = plan.persona
    lines = [f"# {persona.name}", "", f"{persona.role}; {persona.temper}.", ""]
    lines += [f"- {habit}" for habit in persona.habits]
    files = {
        PLAN: File(plan.model_dump_json(indent=2).encode() + b"\n"),
        PERSONA: File("\n".join(lines).rstrip().encode() + b"\n"),
    }
    for number, signal in enumerate(plan.signals, 1):
        if signal.changes:
            name = f"{PATCHES}turn_{number:02}_{signal.id}.md"
            files[name] = File(_patch(signal, plan))
    return files


def read_user(files: Tree) -> Plan:
    """Read the user of an environment: ours, or one that has no `plan.json`.

    In a transformed environment as it is acted on there.

    Raises:
        BundleError: names the file and what is wrong.
    """
    plan = read_written(files)
    return as_shown(plan, read_shown(files[SHOWN].data)) if SHOWN in files else plan


def read_written(files: Tree) -> Plan:
    """Read the user of an environment as it was written, whatever is shown otherwise.

    Raises:
        BundleError: names the file and what is wrong.
    """
    return read_plan(files[PLAN].data, PLAN) if PLAN in files else read_sidecar(files)


def read_sidecar(files: Tree) -> Plan:
    """Read a user that somebody else wrote: persona and patches, no `plan.json`.

    Raises:
        BundleError: names the file and what is wrong.
    """
    if PERSONA not in files:
        msg = f"user: {PERSONA} is missing"
        raise BundleError(msg)
    signals = [
        _signal(path, files[path]) for path in sorted(files) if path.startswith(PATCHES)
    ]
    if not signals:
        msg = f"user: there is no file patches/turn_NN_name.md beside {PERSONA}"
        raise BundleError(msg)
    return Plan(persona=_persona(_text(files, PERSONA)), signals=tuple(signals))


def _patch(signal: Signal, plan: Plan) -> bytes:
    changes = [change.model_dump() for change in signal.changes]
    front = yaml.safe_dump(changes, allow_unicode=True, sort_keys=True)
    said = signal.message
    for fact in plan.facts:
        said = said.replace(f"{{{fact.id}}}", fact.text)
    return f"---\n{front}---\n{said}\n".encode()


def _signal(path: str, file: File) -> Signal:
    name, text = _PATCH_NAME.fullmatch(path), _text({path: file}, path)
    found = _FRONT.match(text)
    if name is None or found is None or len(file.data) > _MAX_PATCH_BYTES:
        msg = (
            f"user: {path} must be called turn_NN_name.md, begin with a list of changes "
            f"between two lines of --- and be at most {_MAX_PATCH_BYTES} bytes"
        )
        raise BundleError(msg)
    try:
        changes = _CHANGES.validate_python(_listed(yaml.safe_load(found[1])))
    except (yaml.YAMLError, ValidationError, TypeError) as error:
        msg = f"user: {path}: front matter: {str(error).splitlines()[0]}"
        raise BundleError(msg) from error
    said = found[2].strip().replace("{", "(").replace("}", ")")
    return Signal(
        id=f"turn_{name[1]}_{name[2].lower().replace('-', '_')}"[:64],
        when=Turned(kind="turn", at_least=max(1, int(name[1]))),
        message=said,
        changes=changes,
    )


def _listed(said: object) -> list[Mapping[str, object]]:
    """Return a list of changes; a single one may stand without its list."""
    found = [said] if isinstance(said, dict) else said
    if not isinstance(found, list):
        msg = "a list of {path, action, old, new} is needed"
        raise TypeError(msg)
    return found


def _persona(text: str) -> Persona:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    title = lines[0].lstrip("# ") if lines else ""
    role = lines[1] if len(lines) > 1 else "a colleague"
    return Persona(name=title or "the user", role=role)


def _text(files: Tree, path: str) -> str:
    try:
        return files[path].data.decode()
    except UnicodeDecodeError as error:
        msg = f"user: {path} is not UTF-8: {error}"
        raise BundleError(msg) from error
