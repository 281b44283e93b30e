"""The git repository of a workspace: one commit of what lies there, made as files.

A pure function of the other files: no git is run, no time, user or machine plays a
part, and nothing is compressed, since two zlib libraries give two results. So a
`.git` can be held against the files beside it, and holds nothing that they do not.
Formats: gitformat-pack(5), gitformat-index(5).
"""

import hashlib
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from envplatform.errors import BundleError
from envplatform.tree import File, Tree

FOLDER = ".git"
BRANCH = "main"

_COMMIT = """\
tree {tree}
author envplatform <envplatform@localhost> 946684800 +0000
committer envplatform <envplatform@localhost> 946684800 +0000

Initial commit
"""
_CONFIG = b"""\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
[gc]
\tauto = 0
[user]
\tname = agent
\temail = agent@localhost
"""
_ATTRIBUTES = b"* -text -ident -filter -working-tree-encoding\n"
"""Stronger than the tree's own .gitattributes: files are what they are, byte by byte."""
_EXCLUDE = b"__pycache__/\n.pytest_cache/\n"
_MODES = {True: 0o100755, False: 0o100644}
_FOLDER_MODE = "40000"
_TYPES = {"commit": 1, "tree": 2, "blob": 3}
_BLOCK = 0xFFFF
_LONGEST = 0xFFF
_MAX_PACK = 1 << 31
"""Offsets above need another form of index; no environment is that large."""


@dataclass(frozen=True, slots=True)
class _Object:
    """One git object."""

    kind: str
    data: bytes

    @property
    def id(self) -> bytes:
        """SHA-1, 20 bytes."""
        head = f"{self.kind} {len(self.data)}\0".encode()
        return _sha1(head + self.data)


def with_repository(tree: Tree) -> dict[str, File]:
    """Return `tree` as a clean work tree, with the repository of its one commit.

    Raises:
        BundleError: git could not hold a path (it has a part `.git`), or the files
            are too large.
    """
    return {**tree, **_repository(tree)}


def without_repository(tree: Tree) -> dict[str, File]:
    """Return `tree` without what lies in `.git` at its top, whatever that is."""
    return {path: file for path, file in tree.items() if not in_repository(path)}


def in_repository(path: str) -> bool:
    """Whether `path` is `.git`, or lies in it."""
    return path == FOLDER or path.startswith(f"{FOLDER}/")


def commit_id(tree: Tree) -> str:
    """Return the id of the one commit, 40 hexadecimal digits.

    Raises:
        BundleError: as `with_repository`.
    """
    return _commit(tree, {})


def check_repository(workspace: Tree) -> None:
    """Refuse a `.git` that is not just what `with_repository` makes.

    Such a folder may hold other states, or hooks and settings that run programs.

    Raises:
        BundleError: names the first file that is wrong.
    """
    found = {path: file for path, file in workspace.items() if in_repository(path)}
    wanted = _repository(without_repository(workspace)) if found else {}
    wrong = [p for p in found.keys() | wanted.keys() if found.get(p) != wanted.get(p)]
    if wrong:
        msg = (
            f"workspace: {min(wrong)} is not what the one commit of the files beside it "
            "gives; make .git with `with_repository`, or leave it out"
        )
        raise BundleError(msg)


def _repository(tree: Tree) -> dict[str, File]:
    objects: dict[bytes, _Object] = {}
    commit = _commit(tree, objects)
    pack, index = _pack(objects)
    name = f"objects/pack/pack-{pack[-20:].hex()}"
    files = {
        "HEAD": f"ref: refs/heads/{BRANCH}\n".encode(),
        "config": _CONFIG,
        "index": _index(tree),
        "info/attributes": _ATTRIBUTES,
        "info/exclude": _EXCLUDE,
        f"{name}.idx": index,
        f"{name}.pack": pack,
        f"refs/heads/{BRANCH}": f"{commit}\n".encode(),
    }
    return {f"{FOLDER}/{path}": File(data) for path, data in files.items()}


def _commit(tree: Tree, objects: dict[bytes, _Object]) -> str:
    """Return the commit's id; it and all it consists of are added to `objects`."""
    for path in tree:
        if any(part.lower() == FOLDER for part in path.split("/")):
            msg = f"workspace: {path!r} lies in a .git of its own; git can't hold it"
            raise BundleError(msg)
    top = _folder({_name(path): file for path, file in tree.items()}, objects)
    text = _COMMIT.format(tree=top.hex())
    return _add(_Object("commit", text.encode()), objects).hex()


def _folder(tree: Mapping[bytes, File], objects: dict[bytes, _Object]) -> bytes:
    folders: dict[bytes, dict[bytes, File]] = {}
    entries: dict[bytes, bytes] = {}
    for path, file in tree.items():
        name, slash, rest = path.partition(b"/")
        if slash:
            folders.setdefault(name, {})[rest] = file
        else:
            blob = _add(_Object("blob", file.data), objects)
            entries[name] = b"%o %b\0%b" % (_MODES[file.executable], name, blob)
    for name, below in folders.items():
        inner = _folder(below, objects)
        # Folders are sorted as if their names ended in a slash.
        entries[name + b"/"] = b"%b %b\0%b" % (_FOLDER_MODE.encode(), name, inner)
    data = b"".join(entries[name] for name in sorted(entries))
    return _add(_Object("tree", data), objects)


def _add(found: _Object, objects: dict[bytes, _Object]) -> bytes:
    name = found.id
    objects[name] = found
    return name


def _pack(objects: Mapping[bytes, _Object]) -> tuple[bytes, bytes]:
    """Return pack and index; objects lie in the order of their ids."""
    pack = bytearray(struct.pack(">4sLL", b"PACK", 2, len(objects)))
    offsets, sums = [], []
    for name in sorted(objects):
        entry = _packed(objects[name])
        offsets.append(len(pack))
        sums.append(zlib.crc32(entry))
        pack += entry
    if len(pack) >= _MAX_PACK:
        msg = f"workspace: {len(pack):,} bytes are too much for a repository"
        raise BundleError(msg)
    pack += _sha1(pack)
    count = len(objects)
    index = b"\xfftOc" + struct.pack(">L", 2)
    index += struct.pack(">256L", *_fan_out(objects)) + b"".join(sorted(objects))
    index += struct.pack(f">{count}L", *sums) + struct.pack(f">{count}L", *offsets)
    index += pack[-20:]
    return bytes(pack), index + _sha1(index)


def _fan_out(objects: Mapping[bytes, _Object]) -> Iterator[int]:
    """Yield, for each first byte, how many ids begin with it or a lesser one."""
    firsts = sorted(name[0] for name in objects)
    place = 0
    for first in range(256):
        while place < len(firsts) and firsts[place] == first:
            place += 1
        yield place


def _packed(one: _Object) -> bytes:
    size = len(one.data)
    head = bytearray([_TYPES[one.kind] << 4 | size & 0xF])
    size >>= 4
    while size:
        head[-1] |= 0x80
        head.append(size & 0x7F)
        size >>= 7
    return bytes(head) + _stored(one.data)


def _stored(data: bytes) -> bytes:
    """Return `data` as a zlib stream of blocks that are not compressed (RFC 1950)."""
    stream = bytearray(b"\x78\x01")
    for start in range(0, max(len(data), 1), _BLOCK):
        block = data[start : start + _BLOCK]
        is_last = start + _BLOCK >= len(data)
        stream += struct.pack("<BHH", is_last, len(block), len(block) ^ 0xFFFF) + block
    return bytes(stream) + struct.pack(">L", zlib.adler32(data))


def _index(tree: Tree) -> bytes:
    """Return git's index. Without times of files: git compares their content once."""
    data = bytearray(struct.pack(">4sLL", b"DIRC", 2, len(tree)))
    for path, file in sorted((_name(path), file) for path, file in tree.items()):
        blob = _Object("blob", file.data).id
        entry = struct.pack(
            ">24xL12x20sH", _MODES[file.executable], blob, min(len(path), _LONGEST)
        )
        entry += path
        data += entry + bytes(8 - len(entry) % 8)
    return bytes(data) + _sha1(data)


def _name(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _sha1(data: bytes | bytearray) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()
