"""A real Chromium against a running server, signed in as one of the cast. Skipped, saying so, where there is none."""

import os
import shutil
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import BrowserContext, Page

from annotation.models import User

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
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
# Playwright keeps an event loop in this thread, in which Django would refuse its ordinary database calls.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if not CHROMIUM:
                item.add_marker(pytest.mark.skip(reason="no Chromium: install Debian's package or set CHROMIUM"))


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict:
    return {"executable_path": CHROMIUM, "args": ARGUMENTS}


@pytest.fixture
def open_context(browser, live_server, sign_in):
    """`open_context(user, **options)` gives a browser of its own that is signed in as this person."""
    opened: list[BrowserContext] = []

    def open_one(user: User | None, **options) -> BrowserContext:
        context = browser.new_context(
            **{"base_url": live_server.url, "viewport": {"width": 1280, "height": 900}} | options
        )
        context.set_default_timeout(8_000)
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
    """`open_page(user, address)` gives a page in a browser of its own; a script error on it fails the test."""
    errors: list[str] = []

    def open_one(user: User | None, address: str = "/", **options) -> Page:
        page = open_context(user, **options).new_page()
        watch(page, errors)
        page.goto(address)
        return page

    yield open_one
    assert errors == []


def watch(page: Page, errors: list[str]) -> None:
    page.on("pageerror", lambda error: errors.append(str(error)))
    # What the policy against foreign script and style refuses is told here.
    page.on("console", lambda said: errors.append(said.text) if "Content Security Policy" in said.text else None)


def accessibility_errors(page: Page) -> list[str]:
    """What axe finds on the page, one line each."""
    # Not as a script element: the page's policy would refuse it.
    page.evaluate(AXE.read_text())
    result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{found['id']}: {node['target']} {node.get('failureSummary', '')}"
        for found in result["violations"]
        for node in found["nodes"]
    ]
