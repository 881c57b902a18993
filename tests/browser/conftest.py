"""A real Chromium against a running server, signed in as one of the cast. Skipped, saying so, where there is none."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.core.signals import request_finished, request_started
from playwright.sync_api import BrowserContext, Page, Response, expect

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
]
AXE = Path(__file__).parent / "vendor" / "axe-4.14.1.min.js"
OF_COLOURS = ["color-contrast", "link-in-text-block"]
# Playwright keeps an event loop in this thread, in which Django would refuse its ordinary database calls.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
# Patience is no rule of the product: on a busy machine what is right still comes.
PATIENCE = 20_000
expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
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


@pytest.fixture
def open_context(browser, live_server, sign_in, answered_requests):
    """`open_context(user, **options)` gives a browser of its own that is signed in as this person."""
    opened: list[BrowserContext] = []

    def open_one(user: User | None, **options) -> BrowserContext:
        context = browser.new_context(
            **{"base_url": live_server.url, "viewport": {"width": 1280, "height": 900}} | options
        )
        context.set_default_timeout(PATIENCE)
        if user is not None:
            session = sign_in(user).cookies[settings.SESSION_COOKIE_NAME].value
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}])
        opened.append(context)
        return context

    yield open_one
    for context in opened:
        context.close()


@pytest.fixture
def open_page(open_context):
    """`open_page(user, address)` gives a page in a browser of its own; a script error on it fails the test. With
    `clock=True` the test can turn the page's clock forward, as `read` does."""
    errors: list[str] = []

    def open_one(user: User | None, address: str = "/", *, clock: bool = False, **options) -> Page:
        page = open_context(user, **options).new_page()
        watch(page, errors)
        if clock:
            page.clock.install()
        page.goto(address)
        return page

    yield open_one
    assert errors == []


def awaited(condition: Callable[[], bool], seconds: float = PATIENCE / 1000) -> bool:
    """Whether this comes true in the database while the page goes on."""
    give_up_at = time.monotonic() + seconds
    while not (so := condition()) and time.monotonic() < give_up_at:
        time.sleep(0.05)
    return so


def read(page: Page) -> None:
    """Let the time pass in which a key is taken for one that was meant for the response before (300 ms)."""
    page.clock.fast_forward(350)


def watch(page: Page, errors: list[str]) -> None:
    page.on("pageerror", lambda error: errors.append(str(error)))
    # What the policy against foreign script and style refuses is told here.
    page.on("console", lambda said: errors.append(said.text) if "Content Security Policy" in said.text else None)
    page.on("response", lambda answer: errors.append(answer.url) if is_lost_script(answer) else None)


def is_lost_script(answer: Response) -> bool:
    """A module that is not there is no error of the page: its script just never runs."""
    return answer.request.resource_type == "script" and answer.status >= 400


def accessibility_errors(page: Page) -> list[str]:
    """What axe finds on the page, one line each: all its rules in light colours, those on colours in dark ones."""
    # Not as a script element: the page's policy would refuse it.
    page.evaluate(AXE.read_text())
    found = violations(page, {})
    # Without motion, so that no colour is still on its way to the other one.
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    found += [f"dark: {line}" for line in violations(page, {"runOnly": {"type": "rule", "values": OF_COLOURS}})]
    page.emulate_media(color_scheme="light")
    return found


def violations(page: Page, options: dict) -> list[str]:
    result = page.evaluate("options => axe.run(document, options)", {"resultTypes": ["violations"]} | options)
    return [
        f"{found['id']}: {node['target']} {node.get('failureSummary', '')}"
        for found in result["violations"]
        for node in found["nodes"]
    ]
