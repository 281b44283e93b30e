"""Repository and licence of a package, as far as a release states them."""

from collections.abc import Iterable
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesHeaderParser

from envplatform.swe.fixes.sources.licence_names import spdx_identifier
from envplatform.swe.fixes.sources.names import repository_key
from envplatform.swe.fixes.sources.rows import RowRefused

_HOST = "github.com/"
_CLASSIFIER = "License :: OSI Approved :: "
_PARTS_OF_A_NAME = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageFacts:
    """What `PKG-INFO` says; each part empty where it says nothing that is known."""

    repository: str = ""
    """`owner__name`."""
    licence: str = ""
    """SPDX identifier."""


def read_facts(pkg_info: bytes) -> PackageFacts:
    """Read the head of a `PKG-INFO`. Takes any bytes; what is no header is not there."""
    headers = BytesHeaderParser().parsebytes(pkg_info)
    return PackageFacts(repository=_repository(headers), licence=_licence(headers))


def _repository(headers: Message) -> str:
    """The first link to a repository; its sub-pages, as issues, count as well."""
    links = [*_all(headers, "Home-page"), *_all(headers, "Project-URL")]
    for link in links:
        _, host, path = link.partition(_HOST)
        parts = path.split("#")[0].split("?")[0].split("/")[:_PARTS_OF_A_NAME]
        if host and len(parts) == _PARTS_OF_A_NAME and all(parts):
            try:
                return repository_key("/".join(parts))
            except RowRefused:
                continue
    return ""


def _licence(headers: Message) -> str:
    classified = (
        text.removeprefix(_CLASSIFIER)
        for text in _all(headers, "Classifier")
        if text.startswith(_CLASSIFIER)
    )
    named = [*_all(headers, "License-Expression"), *_all(headers, "License")]
    return next(filter(None, map(spdx_identifier, [*named, *classified])), "")


def _all(headers: Message, name: str) -> Iterable[str]:
    return [str(value) for value in headers.get_all(name, [])]
