"""The offers of a page to a person: its links, and its forms as a browser would send them."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.db import transaction
from django.test import Client

from core.models import User
from tests.conftest import signed_in

HOST = "testserver"
# A person's text for an empty field, by its type.
WRITTEN = {"number": "1", "date": "2026-11-20", "email": "bo@example.org", "url": "https://example.org/x"}
# Of this many pages and forms of one shape each is tried: rows differ in their states.
EXAMPLES = 2
CHOSEN = ("checkbox", "radio")
# Signing out, and in as another, ends the walk.
# The world's saved view is of an admin's list, whoever holds it.
WITHOUT = ("/account/logout", "/account/sessions", "/sample", "/annotation/tags/?a=b")
MOST = 1500
OF_A_PATH = 3
REFUSED = (403, 404, 405)
NOT_SENT = ("submit", "image", "button", "reset", "file")


@dataclass
class Form:
    """A form with the values that stand in it, once for each button that sends it."""

    page: str
    path: str
    method: str
    values: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[tuple[str, str, str]] = field(default_factory=list)
    # The first box of each name; one is ticked where none is.
    boxes: dict[str, str] = field(default_factory=dict)

    def sendings(self) -> Iterator["Sending"]:
        """A sending for a click on each of its buttons; a form without one is sent by a script or by Enter."""
        sent = {name for name, _ in self.values}
        ticked = [(name, value) for name, value in self.boxes.items() if name not in sent]
        for name, value, action in self.buttons or [("", "", "")]:
            pressed = [(name, value)] if name else []
            yield Sending(self.page, action or self.path, self.method, [*self.values, *ticked, *pressed])


@dataclass(frozen=True)
class Sending:
    page: str
    path: str
    method: str
    values: list[tuple[str, str]]

    @property
    def shape(self) -> str:
        names = sorted({name for name, _ in self.values})
        return f"{self.method} {shape_of(self.path)} {' '.join(names)}"

    def by(self, client: Client) -> Any:
        data: dict[str, list[str]] = {}
        for name, value in self.values:
            data.setdefault(name, []).append(value)
        headers = {"Referer": f"http://{HOST}{self.page}"}
        if self.method == "GET":
            return client.get(self.path.partition("?")[0], data, headers=headers)
        return client.post(self.path, data, headers=headers)


class Offers(HTMLParser):
    """The links and forms of a page."""

    def __init__(self, text: str, address: str):
        super().__init__()
        self.links: list[str] = []
        self.forms: dict[str, Form] = {}
        self._address, self._form, self._area = address, "", ""
        self._select: tuple[str, str] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "a" and (link := within(values.get("href", "#"), self._address)):
            self.links.append(link)
        if tag == "form":
            self._begin(values)
        if "disabled" not in values:
            self._control(tag, values)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = ""
        elif tag == "select":
            self._select = None
        elif tag == "textarea":
            self._area = ""

    def handle_data(self, data: str) -> None:
        if self._area and data.strip():
            form = self.forms[self._area]
            form.values[-1] = (form.values[-1][0], data.removeprefix("\n"))

    def _begin(self, values: dict[str, str]) -> None:
        self._form = values.get("id") or f"form {len(self.forms)}"
        method = "POST" if "hx-post" in values else values.get("method", "get").upper()
        path = within(values.get("hx-post") or values.get("action") or self._address, self._address)
        begun = Form(self._address, path or "", method if path else "DIALOG")
        # A control outside may have named the form already.
        known = self.forms.get(self._form)
        self.forms[self._form] = begun
        if known:
            begun.values, begun.buttons = known.values, known.buttons

    def _control(self, tag: str, values: dict[str, str]) -> None:
        owner, name, kind = values.get("form") or self._form, values.get("name", ""), values.get("type", "")
        if tag == "option" and self._select:
            self._option(self.forms[self._select[0]], self._select[1], values)
        if not owner or tag not in ("input", "button", "select", "textarea"):
            return
        form = self.forms.setdefault(owner, Form(self._address, "", "DIALOG"))
        if tag == "button" or kind in ("submit", "image"):
            if kind in ("", "submit", "image"):
                action = within(values["formaction"], self._address) if values.get("formaction") else ""
                form.buttons.append((name, values.get("value", ""), action or ""))
        elif not name or kind in NOT_SENT:
            return
        elif tag == "select":
            self._select = (owner, name)
        elif tag == "textarea":
            self._area = owner
            form.values.append((name, "Some words"))
        elif kind not in CHOSEN:
            written = "" if kind in ("hidden", "search") else WRITTEN.get(kind, "Some words")
            form.values.append((name, values.get("value") or written))
        elif "checked" in values:
            form.values.append((name, values.get("value", "on")))
        else:
            form.boxes.setdefault(name, values.get("value", "on"))

    def _option(self, form: Form, name: str, values: dict[str, str]) -> None:
        """The chosen option, or the first one that says something."""
        there = [index for index, each in enumerate(form.values) if each[0] == name]
        value = values.get("value", "")
        if "selected" in values and there:
            form.values[there[0]] = (name, value)
        elif not there and ("selected" in values or value):
            form.values.append((name, value))


def within(address: str, page: str) -> str | None:
    """The address on a page, if it leads to another page here."""
    try:
        parts = urlsplit(urljoin(f"http://{HOST}{page}", address))
    except ValueError:
        return None
    if address.startswith("#") or parts.netloc != HOST or parts.path.startswith("/static/"):
        return None
    return parts.path + (f"?{parts.query}" if parts.query else "")


def shape_of(address: str) -> str:
    """The address without its numbers and keys, with the names of what stands behind the question mark."""
    path, _, asked = address.partition("?")
    path = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|(?<=/)\d+(?=[/.]|$)", "N", path)
    return f"{path}?{'&'.join(sorted({each.partition('=')[0] for each in asked.split('&')}))}" if asked else path


def path_of(address: str) -> str:
    """The shape without what stands behind the question mark."""
    return shape_of(address).partition("?")[0]


class undone:
    """Roll back everything done inside, however it ends."""

    def __enter__(self) -> None:
        self.atomic = transaction.atomic()
        self.atomic.__enter__()

    def __exit__(self, *raised: object) -> None:
        transaction.set_rollback(True)
        self.atomic.__exit__(None, None, None)


@dataclass(frozen=True)
class Visit:
    """A page that a person came to: the page that links there, the answer, and what can be sent from there."""

    address: str
    linked_on: str
    answer: Any
    sendings: list[Sending]


def offered(client: Client, *, without: tuple[str, ...], most: int, of_a_path: int = 1000) -> Iterator[Visit]:
    """Each page that a person comes to by links from the first one, a few of each shape, and at most `of_a_path` with
    whatever stands behind the question mark. Nothing is left changed."""
    waiting, known, seen, forms, paths = [("/", "")], {"/"}, Counter[str](), Counter[str](), Counter[str]()

    def is_new(link: str) -> bool:
        return seen[shape_of(link)] < EXAMPLES and paths[path_of(link)] < of_a_path

    while waiting and seen.total() < most:
        address, source = waiting.pop(0)
        seen[shape_of(address)] += 1
        with undone():
            answer = client.get(address)
            is_page = not answer.streaming and answer.get("Content-Type", "").startswith("text/html")
            page = Offers(answer.text if is_page else "", address)
            page.links += filter(None, [within(answer.get("Location", "#"), address)])
            for link in page.links:
                if link not in known and not link.startswith(without) and is_new(link):
                    known.add(link)
                    paths[path_of(link)] += 1
                    waiting.append((link, address))
            sendings = []
            for form in page.forms.values():
                for each in form.sendings() if form.method in ("GET", "POST") else ():
                    if not each.path.startswith(without) and forms[each.shape] < EXAMPLES:
                        forms[each.shape] += 1
                        sendings.append(each)
            # To be sent while what the page itself noted holds, such as that the person has read something.
            yield Visit(address, source, answer, sendings)


def refused_links(person: User) -> list[str]:
    """The links that are offered to this person and answered by a refusal or an error."""
    client, seen, failed = signed_in(person), 0, dict[tuple[str, str], str]()
    client.raise_request_exception = False
    for visit in offered(client, without=WITHOUT, most=MOST, of_a_path=OF_A_PATH):
        seen += 1
        status = visit.answer.status_code
        if status in REFUSED or status >= 500:
            failed[shape_of(visit.address), shape_of(visit.linked_on)] = (
                f"{status} {visit.address} on {visit.linked_on}"
            )
    assert 10 < seen < MOST
    return list(failed.values())


def assert_no_refused_link(person: User) -> None:
    refused = refused_links(person)
    assert not refused, "\n".join(["", *refused])
