"""A content in an archive that lies in another one."""

import io
import zipfile
from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import Primitive
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft
from envplatform.workspace.recipes import plain
from envplatform.workspace.recovery import Node

_INNER = "inner.zip"
_MEMBER = "content"
_DATE = (1980, 1, 1, 0, 0, 0)


class ArchiveView(Primitive):
    """Unpack, and unpack again."""

    name = "archive_view"
    summary = "a content is packed into an archive within an archive"

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        del options
        if not draft.content:
            draft.refuse("there is nothing to pack")
        packed = _packed(_INNER, _packed(_MEMBER, draft.content))
        draft.entry(
            packed,
            f"A zip archive; {_INNER} in it holds `{_MEMBER}`, which is the file.",
        )
        inner = {"do": "unpack", "of": plain(draft.name), "member": _INNER}
        return {"do": "unpack", "of": inner, "member": _MEMBER}

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """One member each, by its plain name, with the content in it."""
        data = opened().read(binding.name)
        for expected in (_INNER, _MEMBER):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                if archive.namelist() != [expected]:
                    msg = f"{self.name} of {binding.name}: holds {archive.namelist()}"
                    raise BundleError(msg)
                data = archive.read(expected)
        if data != content:
            msg = f"{self.name} of {binding.name}: holds another content"
            raise BundleError(msg)


def _packed(name: str, content: bytes) -> bytes:
    """Return an archive that is the same at any time and on any machine.

    Packed by bzip2, which has one implementation; those of deflate differ in what they
    write. Unpacked the content could be read off the archive as it is.
    """
    out = io.BytesIO()
    member = zipfile.ZipInfo(name, date_time=_DATE)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr(member, content, zipfile.ZIP_BZIP2, compresslevel=9)
    return out.getvalue()


PRIMITIVE = ArchiveView()
