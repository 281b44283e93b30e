import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from tests.browser.dagster_page import DagsterPage
from tests.browser.made_targets import write_configuration
from tests.browser.served import CHECKOUT, Served, serve

_QUIET = (
    "--no-sandbox",  # the tests of a container run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_MAX_BYTES = 300_000
_PATIENCE_MS = 60_000
"""What a page may take to show something where much else runs beside it."""

Keep = Callable[[str], None]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium. Ends with the module: its loop stands in the way of others."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        pytest.skip("no Chromium: apt-get install chromium")
    expect.set_options(timeout=_PATIENCE_MS)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=executable, args=_QUIET)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def served(
    bubblewrap: BubblewrapProvider,
    suite_image: Image,
    cache_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Served]:
    """The UI over four targets of which nothing is materialised yet."""
    assert bubblewrap.info.kind == "bubblewrap"
    folder = tmp_path_factory.mktemp("ui")
    home = folder / "home"
    (home / "cache").mkdir(parents=True)
    # With the wheels that `suite_image` has fetched, as if this home had been in use.
    (home / "cache" / "targets").symlink_to(cache_folder / "images")
    configuration = write_configuration(folder, python=suite_image.python)
    with serve(home, configuration, start_s=180) as running:
        yield running


@pytest.fixture
def ui(browser: Browser, served: Served, tmp_path: Path) -> Iterator[DagsterPage]:
    """A fresh tab. What it last showed is kept beside the other files of the test."""
    page = browser.new_page(viewport={"width": 1600, "height": 1000})
    page.set_default_timeout(_PATIENCE_MS)
    crashes: list[str] = []
    page.on("pageerror", lambda error: crashes.append(str(error)))
    page.on(
        "response",
        lambda response: (
            crashes.append(f"{response.status} {response.url}")
            if response.status >= 500
            else None
        ),
    )
    yield DagsterPage(page, served.url)
    page.screenshot(path=tmp_path / "last.png")
    page.close()
    assert not crashes


@pytest.fixture
def keep_picture(ui: DagsterPage) -> Keep:
    """Write the page to docs/images, where `ENVPLATFORM_SCREENSHOTS=1` asks for it."""

    def keep(name: str) -> None:
        if os.environ.get("ENVPLATFORM_SCREENSHOTS") == "1":
            path = CHECKOUT / "docs" / "images" / f"{name}.png"
            ui.page.screenshot(path=path, style="[class*=oast] { display: none }")
            assert path.stat().st_size < _MAX_BYTES

    return keep
