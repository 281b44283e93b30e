"""The review page over HTTP: blind, one's own, closed to other pages and other names."""

import http.client
import re
import threading
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest

from envplatform.bundle import write_environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.configuration import RealismSettings
from envplatform.evaluation.realism.browse import BrowseSite
from envplatform.evaluation.realism.office import Office
from envplatform.evaluation.realism.pairs import Pair, keep_pairs
from envplatform.evaluation.realism.reviewing import ReviewSite
from envplatform.evaluation.realism.server import ReviewServer, Site, Visitor
from envplatform.store import Origin, Store
from envplatform.tree import File
from tests.assets.made_rollouts import SEEDS, keep_rollouts, publish, rolled_out
from tests.bundle.sample import sample_environment
from tests.evaluation.realism.made_pairs import PAIRS, REVIEWERS
from tests.evaluation.test_depth import ENVIRONMENT

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
HOSTILE = '<script>alert(1)</script><b a="\'">\x1b[31m\u202e'
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Browser:
    """Asks a server, with a visitor's cookie unless told otherwise."""

    server: ReviewServer
    visitor: Visitor

    def ask(
        self,
        path: str,
        fields: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """GET, or POST a form."""
        host, port = self.server.server_address[:2]
        connection = http.client.HTTPConnection(str(host), int(port), timeout=60)
        cookie = f"{self.server.cookie}={self.visitor.secret}"
        said = {"Cookie": cookie, **(headers or {})}
        if fields is None:
            connection.request("GET", path, headers=said)
        else:
            said.setdefault("Content-Type", FORM)
            connection.request("POST", path, urlencode(fields), said)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return Answer(
            status=response.status, headers=dict(response.getheaders()), text=text
        )

    def vote(self, **changes: str) -> Answer:
        """Send a whole form, with changes."""
        fields = {"token": self.visitor.token, "pair": "p0", "choice": "left"}
        return self.ask("/vote", {**fields, **changes})

    def of(self, name: str) -> "Browser":
        """That of another visitor."""
        (visitor,) = (one for one in self.server.visitors if one.name == name)
        return Browser(server=self.server, visitor=visitor)


def serving(site: Site, *names: str) -> Generator[Browser]:
    """The browser is that of the first."""
    visitors = [Visitor(name=one) for one in names]
    with ReviewServer(site, visitors, port=0) as server:
        thread = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.05}
        )
        thread.start()
        try:
            yield Browser(server=server, visitor=visitors[0])
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def office(tmp_path: Path) -> Office:
    """Of three pairs, one of which is hostile, and three reviewers."""
    office = Office(home=tmp_path, settings=RealismSettings(reviewers=REVIEWERS))
    hostile: Pair = replace(PAIRS[0], left=f"--- a/x\n+{HOSTILE}")
    keep_pairs(office.pairs_path, [hostile, *PAIRS[1:]])
    return office


@pytest.fixture
def browser(office: Office) -> Iterator[Browser]:
    """Ann's, on a review under way."""
    site = ReviewSite(office=office, pairs=office.open_pairs(), now=lambda: NOON)
    yield from serving(site, *REVIEWERS)


def test_a_reviewer_sees_every_pair_once_and_votes(
    browser: Browser, office: Office
) -> None:
    assert "0 of 3 done" in browser.ask("/").text
    path, seen = "/review", []
    for left in (3, 2, 1):
        answer = browser.ask(path)
        assert f"{left} to go" in answer.text
        seen += re.findall(r'name="pair" value="(\w+)"', answer.text)
        path = browser.vote(pair=seen[-1]).headers["Location"]
    assert "Done" in browser.ask(path).text
    assert sorted(seen) == ["p0", "p1", "p2"]
    counted = office.counted(office.pairs()[0]).counted
    assert [one.pair_id for one in counted] == seen
    assert {one.at for one in counted} == {"2026-01-31T12:00:00+00:00"}
    assert "3 of 3 done" in browser.ask("/").text


def test_the_order_is_a_reviewers_own_and_nothing_tells_whose_a_side_is(
    office: Office,
) -> None:
    """Over many pairs; of three, two reviewers may well see the same first."""
    pairs = [replace(PAIRS[0], pair_id=f"p{n}") for n in range(50)]
    site = ReviewSite(office=office, pairs=pairs, now=lambda: NOON)
    texts = [site.show("/review", {}, Visitor(name=name)).text for name in REVIEWERS]
    firsts = [re.findall(r'name="pair" value="(\w+)"', one)[0] for one in texts]
    assert len(set(firsts)) > 1
    for text in texts:
        assert not re.search("ours|real-|mutation|true|false", text)


def test_strangers_texts_are_shown_as_they_are(browser: Browser) -> None:
    answer = browser.ask("/review")
    for _ in range(3):
        answer = browser.ask("/review")
        pair = re.findall(r'name="pair" value="(\w+)"', answer.text)[0]
        if pair == "p0":
            break
        browser.vote(pair=pair)
    assert "<script>" not in answer.text
    assert "<script>alert(1)</script>" in unescape(answer.text)
    assert "\x1b" not in answer.text
    assert "\u202e" not in answer.text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Frame-Options"] == "DENY"


def test_it_listens_to_this_machine_alone(browser: Browser) -> None:
    assert browser.server.server_address[0] == "127.0.0.1"


def test_the_printed_address_lets_a_browser_in(browser: Browser) -> None:
    url = browser.server.url(browser.of("bob").visitor)
    path = url.removeprefix(browser.server.origin)
    answer = browser.ask(path, headers={"Cookie": ""})
    assert (answer.status, answer.headers["Location"]) == (303, "/")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    name = cookie.split(";")[0]
    assert "Review by bob" in browser.ask("/", headers={"Cookie": name}).text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Cookie": ""}, 403),
        ({"Cookie": "envplatform=guess"}, 403),
        ({"Cookie": "envplatform=\xe9"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Host": "localhost:1"}, 421),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Length": "99999999"}, 413),
        ({"Content-Length": "-1"}, 413),
        ({"Content-Length": "many"}, 413),
    ],
)
def test_no_other_page_or_person_votes(
    browser: Browser, office: Office, headers: dict[str, str], status: int
) -> None:
    fields = {"token": browser.visitor.token, "pair": "p0", "choice": "left"}
    assert browser.ask("/vote", fields, headers).status == status
    assert not office.votes.path.exists()


@pytest.mark.parametrize(
    ("changes", "status", "told"),
    [
        ({"token": "guess"}, 403, "of an earlier start"),
        ({"token": ""}, 403, "of an earlier start"),
        ({"pair": "p9"}, 409, "unknown pair"),
        ({"choice": "ours"}, 409, "is no choice"),
        ({"choice": "NaN"}, 409, "is no choice"),
        ({"choice": "9" * 10_000}, 409, "is no choice"),
    ],
)
def test_a_vote_is_whole_or_none(
    browser: Browser, changes: dict[str, str], status: int, told: str
) -> None:
    answer = browser.vote(**changes)
    assert (answer.status, told in answer.text) == (status, True)
    assert "<script>" not in answer.text


def test_a_second_vote_is_refused(browser: Browser, office: Office) -> None:
    assert browser.vote().status == 303
    answer = browser.vote(choice="right")
    assert answer.status == 409
    assert "has voted on pair" in unescape(answer.text)
    (one,) = office.counted(office.pairs()[0]).counted
    assert one.choice == "left"


def test_nobody_votes_as_another(browser: Browser, office: Office) -> None:
    bob = browser.of("bob")
    assert (
        browser.vote(token=bob.visitor.token).status == 403
    )  # ann's cookie, bob's form
    assert not office.votes.path.exists()
    assert browser.vote(reviewer="bob", number="1").status == 303
    assert bob.vote(choice="right").status == 303
    found = office.counted(office.pairs()[0]).counted
    said = [(one.reviewer, one.choice) for one in found]
    assert said == [("ann", "left"), ("bob", "right")]
    assert "bob" not in browser.ask("/review?reviewer=bob").text


def test_no_two_visitors_have_a_secret_in_common(browser: Browser) -> None:
    visitors = browser.server.visitors
    known = {one.secret for one in visitors} | {one.token for one in visitors}
    assert len(known) == 2 * len(REVIEWERS)
    pages = browser.ask("/").text + browser.ask("/review").text
    own = {browser.visitor.token}
    assert {one for one in known if one in pages} == own


def test_what_is_not_there_is_not_found(browser: Browser) -> None:
    for path in ("/nothing", "/../etc/passwd", "/vote"):
        assert browser.ask(path).status == 404
    token = {"token": browser.visitor.token}
    assert browser.ask("/nothing", token).status == 404


@pytest.fixture
def browsing(tmp_path: Path) -> Iterator[Browser]:
    """On a store of two lineages and a batch of rollouts, one of them hostile."""
    store = Store(tmp_path)
    publish(store)
    hostile = rolled_out(SEEDS[0], 0, 1.0, policy=HOSTILE)
    keep_rollouts(store, "base", [hostile])
    yield from serving(BrowseSite(store=store), "")


def test_environments_are_listed_and_rollouts_shown(browsing: Browser) -> None:
    listed = browsing.ask("/")
    assert "1 to 6 of 6" in listed.text
    assert "seed.ann.level2" in listed.text
    shown = browsing.ask("/rollout?batch=base&id=ann0.0")
    assert "tool_loop" in shown.text
    assert "<script>" not in shown.text
    assert browsing.ask("/?from=-1").status == 200
    assert "0 to 6 of 6" in browsing.ask("/?from=900").text


def test_an_environment_is_shown_with_its_files(tmp_path: Path) -> None:
    workspace = {"answer.txt": File(HOSTILE.encode() + b"\xff")}
    environment = sample_environment(workspace=workspace)
    store = Store(tmp_path)
    digest = write_environment(environment, tmp_path / "written")
    store.put_directory("environments", digest, tmp_path / "written")
    row = replace(ENVIRONMENT, digest=digest, environment_id="<i>sample</i>")
    store.write_rows(
        "seed_environments",
        [row],
        row_type=EnvironmentRow,
        partition="s",
        origin=Origin(created=NOON),
    )
    with closing(serving(BrowseSite(store=store), "")) as browsers:
        browser = next(browsers)
        assert "&lt;i&gt;sample" in browser.ask("/").text
        shown = browser.ask(f"/environment?digest={digest}")
        assert environment.instruction in shown.text
        (path,) = re.findall(r'href="(/file\?[^"]*answer\.txt)"', shown.text)
        file = browser.ask(unescape(path))
        assert "<script>" not in file.text
        assert "<script>alert(1)</script>" in unescape(file.text)
        missing = browser.ask(f"/file?digest={digest}&path=../../secret")
        assert (missing.status, "has no file" in missing.text) == (409, True)


@pytest.mark.parametrize(
    ("path", "status", "told"),
    [
        ("/environment?digest=none", 409, "no environment 'none' is published"),
        ("/environment", 409, "no environment '' is published"),
        ("/file?digest=x&path=../../etc/passwd", 409, "is published"),
        ("/rollout?batch=gone&id=x", 409, "no batch 'gone'"),
        ("/rollout?batch=base&id=x", 409, "has no rollout 'x'"),
        ("/nothing", 404, "/nothing"),
    ],
)
def test_what_is_not_stored_is_said(
    browsing: Browser, path: str, status: int, told: str
) -> None:
    answer = browsing.ask(path)
    assert (answer.status, told in unescape(answer.text)) == (status, True)


def test_looking_changes_nothing(browsing: Browser) -> None:
    token = {"token": browsing.visitor.token}
    assert browsing.ask("/vote", token).status == 405
