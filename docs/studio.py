"""The studio of the screenshots: a browser for each person, and a camera."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, ConsoleMessage, Page, ViewportSize

from docs.small_png import smaller

PASSWORD = "two-passages"  # noqa: S105  # of the demo's people, see core/accounts/sample_people.py
WIDE = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=390, height=844)
# Long enough for a busy machine: whoever takes pictures may have tests running beside them.
PATIENCE = 60_000


class Studio:
    """Pages by person. Of what is photographed, the pictures that `wants` names are taken; with `all_looks`, each
    also in the dark and on a phone. What goes wrong on the pages is gathered in `errors`."""

    def __init__(
        self, browser: Browser, address: str, folder: Path, wants: Callable[[str], bool], all_looks: bool = False
    ):
        self.browser, self.address, self.folder = browser, address, folder
        self.wants, self.all_looks = wants, all_looks
        self.pages: dict[str, Page] = {}
        self.blank = browser.new_page()
        self.errors: list[str] = []

    def page_of(self, person: str) -> Page:
        """The person's page, signed in; a stranger's for the empty name."""
        if person not in self.pages:
            self.pages[person] = page = self._open()
            page.set_default_timeout(PATIENCE)
            page.on("pageerror", lambda error: self.errors.append(f"{page.url}: {error}"))
            page.on("console", self._listen)
            if person:
                page.goto("/account/login/")
                page.fill("[name=login]", person)
                page.fill("[name=password]", PASSWORD)
                page.click("main button[type=submit]")
                page.wait_for_url("**/")
        return self.pages[person]

    def _listen(self, said: ConsoleMessage) -> None:
        if "Content Security Policy" in said.text:
            self.errors.append(said.text)

    def _open(self) -> Page:
        context = self.browser.new_context(base_url=self.address, viewport=WIDE, locale="en-GB", timezone_id="UTC")
        return context.new_page()

    def photograph(self, name: str, page: Page, whole: bool = False) -> None:
        """Save a picture of `page` as NAME.png; with `whole`, all of a page that is longer than the window."""
        if not self.wants(name):
            return
        page.wait_for_load_state("networkidle")
        self._shoot(name, page, whole)
        if not self.all_looks:
            return
        page.emulate_media(color_scheme="dark")
        self._shoot(f"{name}-dark", page, whole)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(PHONE)
        self._shoot(f"{name}-phone", page, True)
        wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if wider > 0:
            self.errors.append(f"{name}: {wider} px wider than a phone")
        page.set_viewport_size(WIDE)

    def _shoot(self, name: str, page: Page, whole: bool) -> None:
        path = self.folder / f"{name}.png"
        path.write_bytes(smaller(page.screenshot(full_page=whole, animations="disabled"), self.blank))
        print(f"{path} {path.stat().st_size // 1024} kB")
