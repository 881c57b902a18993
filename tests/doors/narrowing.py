"""Everything that narrows or sorts a list: links of pages, choices of their forms, parameters of the API."""

from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

from django.test import Client
from django.urls import reverse

from tests.doors.browsing import shape_of, undone, within

# Of this many links of one shape each is tried, as their values differ.
EXAMPLES = 12


class Narrowing(HTMLParser):
    """The addresses of a page's own path and of others with a question mark, and each choice of its forms."""

    def __init__(self, text: str, address: str, words: Iterable[str]):
        super().__init__()
        self.found: list[str] = []
        self._address, self._words = address.partition("?")[0], list(words)
        self._form, self._select = "", ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        for name in ("href", "hx-get", "data-url"):
            link = within(values.get(name, "#"), self._address) if tag != "link" else None
            if link and "?" in link:
                self.found.append(link)
        if tag == "form":
            is_get = values.get("method", "get").lower() == "get" and "hx-post" not in values
            self._form = (within(values.get("action") or self._address, self._address) or "") if is_get else ""
        if self._form:
            self._control(tag, values)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = ""
        elif tag == "select":
            self._select = ""

    def _control(self, tag: str, values: dict[str, str]) -> None:
        name, kind = values.get("name", ""), values.get("type", "text")
        if tag == "select":
            self._select = name
        elif tag == "option" and self._select:
            self._add(self._select, values.get("value", ""))
        elif tag == "input" and kind in ("checkbox", "radio"):
            self._add(name, values.get("value", "on"))
        elif tag == "input" and kind in ("text", "search"):
            for each in self._words:
                self._add(name, each)

    def _add(self, name: str, value: str) -> None:
        if name and value:
            self.found.append(f"{self._form.partition('?')[0]}?{urlencode({name: value})}")


def narrowed(client: Client, pages: Iterable[str], *, words: Iterable[str]) -> list[str]:
    """The addresses that these pages offer with something behind the question mark. Nothing is left changed."""
    found: dict[str, list[str]] = {}
    for address in pages:
        with undone():
            answer = client.get(address)
            if answer.streaming or not answer.get("Content-Type", "").startswith("text/html"):
                continue
            for link in Narrowing(answer.text, address, words).found:
                known = found.setdefault(shape_of(link), [])
                if link not in known and len(known) < EXAMPLES:
                    known.append(link)
    return sorted({link for links in found.values() for link in links})


def parameters_of_the_api(client: Client, numbers: dict[str, list[Any]]) -> Iterator[str]:
    """Each address of the API without a row in it, with each value of each of its parameters. `numbers` has the rows
    that a parameter of that name may hold."""
    schema = client.get(reverse("api:schema"), headers={"Accept": "application/json"}).json()
    for path, methods in schema["paths"].items():
        if "{" in path or "get" not in methods:
            continue
        for each in methods["get"].get("parameters", []):
            if each["in"] == "query" and each["name"] not in ("limit", "page"):
                for value in _values(each, numbers):
                    yield f"{path}?{urlencode({each['name']: value})}"


def _values(parameter: dict, numbers: dict[str, list[Any]]) -> list[Any]:
    schema = parameter["schema"]
    schema = schema.get("items", schema)
    if "enum" in schema:
        return schema["enum"][:EXAMPLES]
    if schema.get("type") == "boolean":
        return ["true", "false"]
    return numbers.get(parameter["name"], numbers.get("", []) if schema.get("type") == "integer" else [])
