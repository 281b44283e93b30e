"""Where a repository is: a URL or a path, checked before git sees it."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from envplatform.errors import FixSourceError

_URL = re.compile(r"(?P<scheme>https?|ssh|git|file)://(?P<rest>\S+)")
_SCP = re.compile(
    r"(?P<user>[\w.+-]+@)?(?P<host>[\w.][\w.-]*):(?!//)(?P<path>[^\s:-]\S*)"
)
_PLAIN = re.compile(r"[^\0-\x1f\x7f]+")
_REMEDY = "correct `clone_url` or `histories` in [fixes], or `git` in [[fixes.sources]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A place that git may be sent to."""

    url: str
    """As git gets it; an absolute path if the repository lies on this machine."""
    shown: str
    """The same without user, password, query and fragment: for messages and disks."""
    is_local: bool
    """A folder of this machine, which is copied rather than asked."""

    @property
    def digest(self) -> str:
        """Twelve hex digits that tell locations apart, whatever their credentials."""
        return hashlib.sha256(self.shown.encode("utf-8", "replace")).hexdigest()[:12]

    def redact(self, text: str) -> str:
        """Take the credentials out of what git says."""
        text = text.replace(self.url, self.shown)
        return re.sub(r"(\w+://)[^/@\s]*@", r"\1", text)


def parse_location(text: str, *, repository: str) -> Location:
    """Check a URL or path from settings; `repository` is for the message.

    Taken are https, http, ssh, git and file URLs, `host:path` as ssh has it, and
    folders. Never remote helpers such as `ext::`, which run commands.

    Raises:
        FixSourceError: none of these, or the folder is absent.
    """
    if _PLAIN.fullmatch(text) and not text.startswith("-"):
        url = _URL.fullmatch(text)
        if url:
            return _at_url(text, url)
        if Path(text).is_dir():
            path = str(Path(text).absolute())
            return Location(url=path, shown=path, is_local=True)
        scp = _SCP.fullmatch(text)
        if scp:
            shown = f"{scp['host']}:{scp['path']}"
            return Location(url=text, shown=shown, is_local=False)
    shown = ascii(re.sub(r"//[^/@]*@", "//", text))
    msg = (
        f"{repository}: {shown} is no https, http, ssh, git or file URL and no "
        f"folder; {_REMEDY}"
    )
    raise FixSourceError(msg)


def _at_url(text: str, url: re.Match[str]) -> Location:
    authority, slash, path = url["rest"].partition("/")
    host = authority.rpartition("@")[2]
    path = re.split("[?#]", path, maxsplit=1)[0]
    return Location(
        url=text, shown=f"{url['scheme']}://{host}{slash}{path}", is_local=False
    )
