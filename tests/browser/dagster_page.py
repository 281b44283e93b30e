"""What a user does in Dagster's UI, by what is written on it. Knows no asset of ours."""

import contextlib
import re
from dataclasses import dataclass
from typing import Literal

from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as NotInTimeError

RUN_MS = 240_000
"""A run of a few sandboxes may take so long where the machine is busy."""

_LOOKS = 40
"""Times that a page is looked at again until others have done their work."""
_LOOK_MS = 5_000
"""How long one such look takes."""

Tab = Literal["Overview", "Partitions", "Events", "Checks", "Lineage"]


@dataclass(frozen=True, slots=True)
class DagsterPage:
    """One browser tab on the UI."""

    page: Page
    url: str

    def go(self, place: Literal["Catalog", "Jobs", "Lineage", "Runs"]) -> None:
        """Click a place in the bar on the left, from wherever we are."""
        if not self.page.url.startswith(self.url):
            self.page.goto(self.url)
        # By its text: icons have names too, and that of "Jobs" is a lineage.
        self.page.get_by_role("link").filter(has_text=re.compile(rf"^{place}$")).click()

    def open_asset(self, name: str) -> None:
        """Find the asset in the catalogue and click it."""
        self.go("Catalog")
        whole = re.compile(rf"(?<!_){name}\b")  # one asset's name may end in another's
        link = self.page.get_by_role("link", name=whole).first
        expect(self.page.get_by_text("Code location / Asset group")).to_be_visible()
        for look in range(_LOOKS):
            with contextlib.suppress(NotInTimeError):
                link.click(timeout=_LOOK_MS // 5)
                break
            self._scroll(look)  # only rows in sight are drawn
        self.expect_asset(name)

    def expect_asset(self, name: str) -> None:
        """Wait until the page of the asset is shown."""
        expect(self.page).to_have_url(re.compile(rf"/assets/{name}(\?|$)"))
        expect(self.button("Materialize")).to_be_visible()

    def open_tab(self, name: Tab) -> None:
        """Click a tab of an asset's page."""
        self.page.get_by_role("tab", name=name, exact=True).click()

    def wait_for_partitions(self, count: int) -> None:
        """Wait until the asset has so many partitions, none of them materialised."""
        self.open_tab("Partitions")
        missing = self.page.get_by_text(f"Missing ({count})")
        for _ in range(_LOOKS):
            with contextlib.suppress(AssertionError):
                expect(missing).to_be_visible(timeout=_LOOK_MS)
                return
            self.page.reload()  # the page asks for its keys once
        expect(missing).to_be_visible()

    def button(self, name: str, *, exact: bool = False) -> Locator:
        """The first button of that name."""
        return self.page.get_by_role("button", name=name, exact=exact).first

    def materialise_partition(self, key: str, *, is_warned: bool = False) -> None:
        """Materialise one partition of what the page shows, and look at its run.

        `is_warned`: Dagster asks first, since something upstream is not there.
        """
        self.page.reload()  # as below
        self.button("Materialize").click()
        if is_warned:
            self.button("Confirm").click()
        self._choose(key)
        self.page.keyboard.press("Escape")  # closes the list, not the dialog
        self._launch("Launch 1 run")

    def materialise_whole(self, *, is_warned: bool = False) -> None:
        """Materialise what has no partitions, and look at its run.

        `is_warned`: as above.
        """
        self.page.reload()  # else the link to an earlier run may still be there
        self.button("Materialize").click()
        if is_warned:
            self.button("Confirm").click()
        self.page.get_by_role("link", name="View", exact=True).click()

    def materialise(self, choice: Literal["All", "Failed"], launch: str) -> None:
        """Materialise a choice of partitions, and look at its run or backfill."""
        self.button("Materialize").click()
        self.button(choice, exact=True).click()
        self._launch(launch)

    def wait_for_run(self, ending: Literal["SUCCESS", "FAILURE"]) -> None:
        """Wait on a run's page until the run has ended, as it should."""
        ended = self.page.get_by_text(re.compile("^RUN_(SUCCESS|FAILURE)$"))
        expect(ended).to_be_visible(timeout=RUN_MS)
        expect(ended).to_have_text(f"RUN_{ending}", timeout=_LOOK_MS)

    def open_run_of_backfill(self) -> None:
        """From a backfill's page to its first run, as soon as there is one."""
        self.open_tab_of_backfill("Runs")
        # The daemon looks for new backfills twice a minute.
        run = self.page.get_by_role("link").filter(has_text=re.compile("^[0-9a-f]{8}$"))
        run.first.click(timeout=RUN_MS)
        expect(self.page).to_have_url(re.compile(r"/runs/[0-9a-f-]{36}"))

    def open_tab_of_backfill(self, name: Literal["Overview", "Runs"]) -> None:
        """Click a tab of a backfill's page."""
        expect(self.page).to_have_url(re.compile("/runs/b/"))
        self.page.get_by_role("tab", name=name, exact=True).click()

    def open_failure(self) -> Locator:
        """Find the step that failed among a run's events, and open its message."""
        self.page.get_by_placeholder("Filter…").fill("type:STEP_FAILURE")
        self.button("View full message").click()
        # Lists that were open before are dialogs too, empty ones.
        return self.page.get_by_role("dialog").filter(has_text="Copy error")

    def open_partition(self, key: str) -> None:
        """Click a partition in the list of the tab `Partitions`.

        What is told of it follows a moment later: see `expect_metadata`.
        """
        self.page.get_by_text(key, exact=True).first.click()
        expect(self.page).to_have_url(re.compile(rf"partition={key}"))

    def expect_metadata(self, name: str, value: str) -> None:
        """Wait until the table of metadata says so."""
        name_cell = self.page.get_by_role("cell", name=name, exact=True)
        row = self.page.locator("table tr").filter(has=name_cell)
        # Without partitions the time of the materialisation stands between both. A
        # picture in the table may count what is called so, too.
        cells = row.get_by_role("cell", name=value, exact=True)
        expect(cells.first).to_be_visible()

    def open_markdown(self, name: str) -> Locator:
        """Open a text of the table of metadata; returns the dialog with its table."""
        self._show(name)
        return self.page.get_by_role("dialog").filter(has=self.page.locator("table"))

    def open_picture(self, name: str) -> Locator:
        """Open a picture of the table of metadata; returns the dialog that shows it."""
        self._show(name)
        return self.page.get_by_role("dialog").filter(has=self.page.locator("img"))

    def short_table(self, name: str) -> Locator:
        """Return a text of the table of metadata that is short enough to stand there."""
        name_cell = self.page.get_by_role("cell", name=name, exact=True)
        return self.page.locator("table tr").filter(has=name_cell).locator("table")

    def follow_node(self, name: str) -> None:
        """Click an asset in the graph of the tab `Lineage`; its own tab opens."""
        # In a picture of many assets a long name lacks its middle.
        shown = re.compile(rf"^({name}|{name[:3]}\w*…\w*{name[-5:]})$")
        self.page.get_by_text(shown).last.click()
        self.expect_asset(name)
        expect(self.page).to_have_url(re.compile("view=lineage"))

    def _show(self, name: str) -> None:
        name_cell = self.page.get_by_role("cell", name=name, exact=True)
        row = self.page.locator("table tr").filter(has=name_cell)
        row.get_by_text("[Show Markdown]").click()

    def _scroll(self, look: int) -> None:
        """Turn the wheel over the list: down by less than is seen, now and then up."""
        self.page.mouse.move(800, 600)
        self.page.mouse.wheel(0, -20_000 if look % 8 == 7 else 500)

    def _choose(self, key: str) -> None:
        """Tick one key in the dialog's list, which may be drawn anew under the click."""
        dialog = self.page.locator(".dagster-dialog")
        none_yet = dialog.get_by_text("Select a partition or create one")
        # Its text stands there twice while its width is measured.
        listed = dialog.locator(".dagster-popover").get_by_text(key, exact=True).first
        expect(none_yet).to_be_visible()
        for _ in range(_LOOKS):
            with contextlib.suppress(NotInTimeError):
                if not listed.is_visible():
                    none_yet.click(timeout=_LOOK_MS)
                listed.click(timeout=_LOOK_MS)
            with contextlib.suppress(AssertionError):
                expect(none_yet).to_be_hidden(timeout=_LOOK_MS)
                return
        expect(none_yet).to_be_hidden()

    def _launch(self, button: str) -> None:
        self.button(button, exact=True).click()
        self.page.get_by_role("link", name="View", exact=True).click()
