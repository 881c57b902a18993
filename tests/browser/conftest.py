"""A real Chromium against a running server, signed in as one of the cast. Skipped, saying so, where there is none."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.templatetags.static import static
from playwright.sync_api import Browser, BrowserContext, Page, Response, expect

from core.models import User
from tests.browser.chromium import find_chromium

CHROMIUM = find_chromium()
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",  # a page of the site has read its scripts already
    "--in-process-gpu",
    "--js-flags=--no-opt --no-maglev",  # making scripts fast takes longer than a page lives
]
AXE = Path(__file__).parent / "vendor" / "axe-4.14.1.min.mjs"
WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 800}
ZOOMED = {"width": 640, "height": 450}  # 1280 by 900 at 200%
LOAD = """address => new Promise((done, fail) => {
  const script = document.createElement("script");
  Object.assign(script, { src: address, onload: done, onerror: fail });
  document.head.append(script);
}).then(() => null)"""
OF_COLOURS = ["color-contrast", "link-in-text-block"]
OF_LAYOUT = ["scrollable-region-focusable", "target-size"]  # what another width can change
# Playwright keeps an event loop in this thread, in which Django would refuse its ordinary database calls.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
# Patience is no rule of the product: on a busy machine what is right still comes.
PATIENCE = 20_000
expect.set_options(timeout=PATIENCE)
# And what would go by itself after 10 seconds, as good news does, is still there to be looked for.
NOTHING_GOES_BY_ITSELF = """(() => {
  const later = window.setTimeout;
  window.setTimeout = (act, after, ...more) => later(act, after === 10_000 ? 600_000 : after, ...more);
})()"""


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if not CHROMIUM and os.environ.get("CI") != "true":
                item.add_marker(pytest.mark.skip(reason="no Chromium: install Debian's package or set CHROMIUM"))


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict:
    return {"executable_path": CHROMIUM, "args": ARGUMENTS}


@pytest.fixture
def answered_requests(transactional_db):
    """Ends once the server has answered all it was asked. A page saves its draft as it closes, and on PostgreSQL a
    request that still reads would be in a deadlock with the emptying of the tables."""
    in_flight = 0

    def started(**kwargs):
        nonlocal in_flight
        in_flight += 1

    def finished(**kwargs):
        nonlocal in_flight
        in_flight -= 1

    request_started.connect(started)
    request_finished.connect(finished)
    yield
    quiet_since = time.monotonic()
    give_up_at = quiet_since + 10
    while time.monotonic() - quiet_since < 0.1 and time.monotonic() < give_up_at:
        if in_flight > 0:
            quiet_since = time.monotonic()
        time.sleep(0.01)
    request_started.disconnect(started)
    request_finished.disconnect(finished)


class Contexts:
    """Browsers of people, handed from test to test with all that the site left in them taken away. What they have
    read and compiled of it stays, and so does their first page: to open another takes half as long as all else."""

    def __init__(self, browser: Browser, address: str):
        self.browser = browser
        self.address = address
        self.idle: dict[str, list[BrowserContext]] = {}

    def take(self, options: dict) -> BrowserContext:
        if idle := self.idle.get(repr(options)):
            return idle.pop()
        context = self.browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        context.add_init_script(NOTHING_GOES_BY_ITSELF)
        return context

    def bring_back(self, context: BrowserContext, options: dict) -> None:
        page, *others = context.pages or [context.new_page()]
        for other in others:
            other.close()
        context.set_offline(False)
        context.clear_cookies()
        page.unroute_all()
        page.goto(f"{self.address}/health/")
        page.evaluate("localStorage.clear(), sessionStorage.clear()")
        page.set_viewport_size(options["viewport"])
        colours = options.get("color_scheme", "light")
        page.emulate_media(color_scheme=colours, reduced_motion=options["reduced_motion"])
        self.idle.setdefault(repr(options), []).append(context)


@pytest.fixture(scope="session")
def contexts(browser, live_server) -> Contexts:
    return Contexts(browser, live_server.url)


@pytest.fixture
def open_context(contexts, live_server, sign_in, answered_requests):
    """`open_context(user, **options)` gives a browser that is signed in as this person and that nobody else has;
    `is_new` asks for one that no test had before nor gets after this one."""
    opened: list[tuple[BrowserContext, dict, bool]] = []

    def open_one(user: User | None, *, is_new: bool = False, **options) -> BrowserContext:
        # Without motion: an element must not be moving when it is looked for, and each step of a movement is drawn.
        usual = {"base_url": live_server.url, "viewport": WIDE, "reduced_motion": "reduce"}
        options = usual | options
        context = contexts.browser.new_context(**options) if is_new else contexts.take(options)
        context.set_default_timeout(PATIENCE)
        if user is not None:
            session = sign_in(user).cookies[settings.SESSION_COOKIE_NAME].value
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}])
        opened.append((context, options, is_new))
        return context

    yield open_one
    for context, options, is_new in opened:
        context.close() if is_new else contexts.bring_back(context, options)


@pytest.fixture
def open_page(open_context):
    """`open_page(user, address)` gives a page in a browser of its own, an empty one without an address; a script
    error on it fails the test. With `clock=True` the test can turn the page's clock forward, as `read` does. What
    else listens to a page stays with it: such a test asks for a browser with `is_new`."""
    errors: list[str] = []
    watched: list[tuple[Page, dict[str, Callable]]] = []

    def open_one(user: User | None, address: str = "", *, clock: bool = False, **options) -> Page:
        options["is_new"] = clock or options.get("is_new", False)
        context = open_context(user, **options)
        page = context.pages[0] if context.pages else context.new_page()
        watched.append((page, watch(page, errors)))
        if clock:
            page.clock.install()
        if address:
            page.goto(address)
        return page

    yield open_one
    for page, listeners in watched:
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
    assert errors == []


def awaited(condition: Callable[[], bool], seconds: float = PATIENCE / 1000) -> bool:
    """Return whether this comes true in the database while the page goes on."""
    give_up_at = time.monotonic() + seconds
    while not (so := condition()) and time.monotonic() < give_up_at:
        time.sleep(0.05)
    return so


def drawn(page: Page) -> None:
    """The page has been drawn again, and whoever watches how it is drawn has been told."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")


def read(page: Page) -> None:
    """Let the time pass in which a key is taken for one that was meant for the response before (300 ms)."""
    page.clock.fast_forward(350)


def watch(page: Page, errors: list[str]) -> dict[str, Callable]:
    """Notes what goes wrong on the page. Returns who listens, by event."""
    listeners: dict[str, Callable] = {
        "pageerror": lambda error: errors.append(str(error)),
        # Violations of the Content-Security-Policy are reported here.
        "console": lambda said: errors.append(said.text) if "Content Security Policy" in said.text else None,
        "response": lambda answer: errors.append(answer.url) if is_lost_script(answer) else None,
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    return listeners


def is_lost_script(answer: Response) -> bool:
    """A module that is not there is no error of the page: its script just never runs."""
    return answer.request.resource_type == "script" and answer.status >= 400


def accessibility_errors(page: Page) -> list[str]:
    """Errors that axe finds on the page, one line each: all its rules in light colours, those on colours in dark
    ones."""
    found: list[str] = []
    for some in accessibility_errors_in_steps(page):
        found += some
    return found


def accessibility_errors_in_steps(page: Page) -> Iterator[list[str]]:
    """The same, in steps between which axe is at work, so that the caller can do something else meanwhile."""
    look_for_violations(page, {})
    yield []
    yield violations_found(page)
    page.emulate_media(color_scheme="dark")
    look_for_violations(page, {"runOnly": {"type": "rule", "values": OF_COLOURS}})
    yield []
    yield [f"dark: {line}" for line in violations_found(page)]
    page.emulate_media(color_scheme="light")


def errors_of_look(page: Page) -> list[str]:
    """Errors that axe finds, and anything that sticks out, one line each: on a phone in dark colours, at 200%, then
    on a wide screen in light ones, which the page keeps."""
    found = []
    of_layout = {"runOnly": {"type": "rule", "values": OF_LAYOUT}}
    for screen, colours, rules in ((PHONE, "dark", {}), (ZOOMED, "dark", of_layout), (WIDE, "light", {})):
        page.set_viewport_size(screen)
        page.emulate_media(color_scheme=colours)
        where = f"{page.url} at {screen['width']}, {colours}: "
        found += [where + line for line in violations(page, rules)]
        if (needed := page.evaluate("document.documentElement.scrollWidth")) > screen["width"]:
            found.append(f"{where}it needs {needed} pixels")
    return found


def load_axe(page: Page) -> None:
    """From the site itself, whose pages share what the browser made of it; a file's policy refuses scripts."""
    if page.url.startswith("file:"):
        page.evaluate(AXE.read_text())
    else:
        page.evaluate(LOAD, static(AXE.name))


def violations(page: Page, options: dict) -> list[str]:
    look_for_violations(page, options)
    return violations_found(page)


def look_for_violations(page: Page, options: dict) -> None:
    """Have axe begin, without waiting for it."""
    if page.evaluate("typeof axe") == "undefined":
        load_axe(page)
    # No active rule needs the style sheets and films that axe would load beforehand.
    options = {"resultTypes": ["violations"], "preload": False} | options
    page.evaluate("options => { window.lookingForViolations = axe.run(document, options) }", options)


def violations_found(page: Page) -> list[str]:
    result = page.evaluate("() => window.lookingForViolations")
    return [
        f"{found['id']}: {node['target']} {node.get('failureSummary', '')}"
        for found in result["violations"]
        for node in found["nodes"]
    ]
