"""A small web server for this machine's own browser: nobody else's, no other page's.

It listens on 127.0.0.1, answers to that name alone, and asks every request for a secret
that tells who is there: each visitor has one. A vote needs a token of the same visitor
besides. What the pages are is in `page` and `browse`.
"""

import contextlib
import hmac
import secrets
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

from envplatform.errors import EnvPlatformError
from envplatform.evaluation.realism.page import page, shown

HOST = "127.0.0.1"
_COOKIE = "envplatform"
_MAX_FORM = 20_000
_LINGER_S = 2.0
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Content-Security-Policy", _POLICY),
)
Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a page or an action comes to."""

    text: str = ""
    """HTML; empty of one that leads on."""
    status: HTTPStatus = HTTPStatus.OK
    leads_to: str = ""
    """Path of the next page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Someone with an address of their own, and what their browser must show."""

    name: str = ""
    """Of a reviewer; empty: whoever started the server."""
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """In the cookie."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """In each form."""


class Site(Protocol):
    """What is served."""

    def show(self, path: str, fields: Fields, visitor: Visitor) -> Reply:
        """Return a page; one that is not there has status 404.

        Raises:
            EnvPlatformError: it can't be shown; told as it is.
        """

    def act(self, path: str, fields: Fields, visitor: Visitor) -> Reply:
        """Do what a form asks for; that it is of this visitor was checked.

        Raises:
            EnvPlatformError: it can't be done; told as it is.
        """


class ReviewServer(ThreadingHTTPServer):
    """Serves a site until it is shut down."""

    daemon_threads = True

    def __init__(self, site: Site, visitors: Sequence[Visitor], *, port: int) -> None:
        """Listen; `port` 0 takes a free one. Nobody but `visitors` is let in.

        Raises:
            OSError: the port is taken.
        """
        self.site = site
        self.visitors = tuple(visitors)
        super().__init__((HOST, port), _Handler)

    @property
    def origin(self) -> str:
        """Where it listens."""
        return f"http://{HOST}:{self.server_address[1]}"

    @property
    def cookie(self) -> str:
        """Name of the cookie: browsers keep one for all ports of a machine."""
        return f"{_COOKIE}-{self.server_address[1]}"

    def url(self, visitor: Visitor) -> str:
        """The address that lets a browser in as this visitor; it holds the secret."""
        return f"{self.origin}/?key={visitor.secret}"

    def visitor(self, secret: str) -> Visitor | None:
        """Whose secret it is; None: nobody's."""
        # All are compared, so that the time taken tells nothing.
        found = [one for one in self.visitors if _same(secret, one.secret)]
        return found[0] if found else None


class _Handler(BaseHTTPRequestHandler):
    server: ReviewServer
    timeout = 30
    """Seconds that a silent browser may hold a thread."""

    def do_GET(self) -> None:
        """Show a page."""
        parts = urlsplit(self.path)
        fields = _fields(parts.query)
        if not self._is_at_home():
            return
        newcomer = self.server.visitor(fields.get("key", ""))
        if parts.path == "/" and newcomer is not None:
            self._send(Reply(leads_to="/"), let_in=newcomer)
            return
        visitor = self._visitor()
        if visitor is not None:
            self._answer(lambda: self.server.site.show(parts.path, fields, visitor))

    def do_POST(self) -> None:
        """Do what a form of ours asks for."""
        visitor = self._visitor() if self._is_at_home() else None
        if visitor is None:
            return
        origin = self.headers.get("Origin")
        if origin not in {None, self.server.origin}:
            self._refuse(HTTPStatus.FORBIDDEN, "this form is of another page")
            return
        fields = self._form()
        if fields is None:
            return
        if not _same(fields.get("token", ""), visitor.token):
            said = "this form is of an earlier start, or of somebody else: go back"
            self._refuse(HTTPStatus.FORBIDDEN, said)
            return
        path = urlsplit(self.path).path
        self._answer(lambda: self.server.site.act(path, fields, visitor))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing: addresses hold the secret."""

    def _answer(self, work: Callable[[], Reply]) -> None:
        try:
            reply = work()
        except EnvPlatformError as error:
            self._refuse(HTTPStatus.CONFLICT, str(error))
        else:
            self._send(reply)

    def _is_at_home(self) -> bool:
        """Whether we were asked for by our own name: another's may lead here, too."""
        if self.headers.get("Host") == urlsplit(self.server.origin).netloc:
            return True
        self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "ask for 127.0.0.1")
        return False

    def _visitor(self) -> Visitor | None:
        """Return who is there; None where they were refused."""
        visitor = self.server.visitor(_cookie(self.headers, self.server.cookie))
        if visitor is None:
            said = "open the address that `envplatform review` printed for you"
            self._refuse(HTTPStatus.FORBIDDEN, said)
        return visitor

    def _form(self) -> dict[str, str] | None:
        """Return the fields of a form; None where it was refused."""
        length = self.headers.get("Content-Length", "")
        kind = self.headers.get_content_type()
        if not (length.isascii() and length.isdigit()) or int(length) > _MAX_FORM:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "a form is short")
            return None
        body = self.rfile.read(int(length))
        if kind != "application/x-www-form-urlencoded":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "this is no form of ours")
            return None
        return _fields(body.decode("ascii", "replace"))

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        text = page(status.phrase, f"<p>{shown(why)}</p>")
        self._send(Reply(text=text, status=status))
        if self.command == "POST":
            self._hear_out()

    def _hear_out(self) -> None:
        """Read the rest of a form that is refused.

        Closing at once would reset the connection, and the answer might be lost with it.
        """
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(_LINGER_S)
            self.rfile.read(_MAX_FORM)

    def _send(self, reply: Reply, *, let_in: Visitor | None = None) -> None:
        body = reply.text.encode("utf-8", "replace")
        self.send_response(HTTPStatus.SEE_OTHER if reply.leads_to else reply.status)
        for name, value in _HEADERS:
            self.send_header(name, value)
        if let_in is not None:
            said = f"{self.server.cookie}={let_in.secret}; HttpOnly; SameSite=Strict"
            self.send_header("Set-Cookie", f"{said}; Path=/")
        if reply.leads_to:
            self.send_header("Location", reply.leads_to)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _same(said: str, known: str) -> bool:
    return hmac.compare_digest(said.encode("utf-8", "replace"), known.encode())


def _fields(query: str) -> dict[str, str]:
    """Return fields by name, the first where one is named twice; none if too many."""
    try:
        found = parse_qs(query, max_num_fields=20)
    except ValueError:
        return {}
    return {name: values[0] for name, values in found.items()}


def _cookie(headers: Message, name: str) -> str:
    try:
        cookies = SimpleCookie(headers.get("Cookie", ""))
    except CookieError:
        return ""
    return cookies[name].value if name in cookies else ""
