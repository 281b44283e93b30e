"""Files, sockets, processes, encodings, paths, input and output."""

import ast

from envplatform.swe.fixes.bug_types.edit import Edit
from envplatform.swe.fixes.bug_types.rules.rule import Rule, called, is_new, words

_OPENS = words(
    """
    open fdopen NamedTemporaryFile TemporaryFile TemporaryDirectory mkdtemp mkstemp
    TextIOWrapper StringIO BytesIO Popen check_call check_output socket urlopen
    closing makefile read_text write_text read_bytes write_bytes
    """
)
_HOW = frozenset(
    {"encoding", "newline", "errors", "mode", "cwd", "env", "shell", "bufsize"}
)
_CLOSES = frozenset(
    {"close", "flush", "detach", "fsync", "terminate", "kill", "closing"}
)
_FILES = words(
    """
    isfile isdir exists makedirs mkdir rmtree unlink abspath realpath normpath
    expanduser expandvars dirname basename relpath join_path shutil tempfile getcwd
    chdir glob listdir copyfile copytree symlink islink chmod stat subprocess Path
    as_posix with_suffix relative_to sep pathsep linesep fspath is_file is_dir samefile pathlib
    """
)
_STANDARD = frozenset({"stdin", "stdout", "stderr"})
_STREAMS = words(
    """
    isatty fileno environ getenv devnull readline buffer seek
    tell getpreferredencoding getfilesystemencoding setsockopt bind listen recv send
    sendall
    """
)


def _opened_otherwise(edit: Edit) -> bool:
    """How something is opened: its mode, encoding, line ends, environment."""
    return (
        edit.role in {"argument", "keyword"}
        and called(edit.parent) in _OPENS
        and edit.kind in {"added", "changed", "removed"}
    )


def _encoding_given(edit: Edit) -> bool:
    match edit.after or edit.before:
        case ast.keyword(arg=str(name)):
            return edit.role == "keyword" and name in _HOW
    return False


def _managed(edit: Edit) -> bool:
    """A `with` that opens something is new."""
    return (
        is_new(edit)
        and isinstance(edit.after, ast.With)
        and any(called(item.context_expr) in _OPENS for item in edit.after.items)
    )


def _opened(edit: Edit) -> bool:
    return bool(edit.reached & _OPENS) and edit.share == 1


def _closed(edit: Edit) -> bool:
    """Something is closed, flushed or ended that was not."""
    match edit.after:
        case ast.Expr(value=value):
            return is_new(edit) and called(value) in _CLOSES
    return bool(edit.gained & {"closing"})


def _files_asked(edit: Edit) -> bool:
    return bool(edit.reached & _FILES)


def _streams_asked(edit: Edit) -> bool:
    """A stream of the process or a file; not `stdout` of some result."""
    own = "sys" in edit.gained | edit.lost and bool(edit.reached & _STANDARD)
    return own or bool(edit.reached & _STREAMS)


RULES = (
    Rule("opened_otherwise", "resource", 3.6, _opened_otherwise),
    Rule("encoding_given", "resource", 3.0, _encoding_given),
    Rule("managed", "resource", 3.2, _managed),
    Rule("closed", "resource", 3.0, _closed),
    Rule("opened", "resource", 2.6, _opened),
    Rule("files_asked", "resource", 2.6, _files_asked),
    Rule("streams_asked", "resource", 2.2, _streams_asked),
)
