"""Requests that no page of ours sends: each form, parameter and header with values that break parsers and databases.

What is sent is drawn from a seeded source of chance, so that a failure can be sent again.
"""

import ast
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

from django.core.files.uploadedfile import SimpleUploadedFile

from core.outside import whole_number

ROOT = Path(__file__).parents[2]
DIGITS = "9" * 5_000
DEEP = "[" * 20_000

TEXTS = [
    "", " ", "0", "-1", "1", "2", "1.5", "1e999", "NaN", "inf", "-0", "+1", "٣", "１", "²",
    str(2**31 - 1), str(2**31), str(2**63 - 1), str(2**63), str(2**64), "-" + str(2**63 + 1), "9" * 40, DIGITS,
    "\0", "a\0b", "\ud800", "a\udfffb", "\ufffe", "\u202e", "\r\n", "\x1b[31m", "\x7f", "é" * 300, "🙂" * 2_000, "x" * 70_000,
    "on", "true", "null", "None", "undefined", "yes", "import", "check", "all",
    "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "2026-02-30", "24:61", "99999-01-01", "9999-12-31",
    "[", "{}", "[]", '{"a":', '"\\ud800"', f'{{"a": {DIGITS}}}', '{"a": 1e999}', '{"a": NaN}', DEEP, '{"seed": ' + DEEP,
    "'", '"', "' OR 1=1 --", "%", "%00", "_", "\\", "../../etc/passwd", "=cmd|' /C calc'!A0", "<script>alert(1)</script>",
    "{{ 7*7 }}", "{% debug %}", "http://169.254.169.254/", "http://[::1", "https://xn--", "http://a" + "." * 300,
    "javascript:alert(1)", "//evil.example", "mailto:x", "a@b", "x" * 300 + "@example.org", "(a+)+$", "[[", "{{{{",
    "00000000-0000-0000-0000-000000000000", "not-a-uuid", "T/B", "[[:File:x]]", "#", "|", "\u2028", "Ａ", "ß", "İ",
]  # fmt: skip
# Numbers that no row has, and no column can hold.
NUMBERS = ["0", "-1", str(2**31), str(2**63 - 1), str(2**63), str(2**64), "-" + str(2**63 + 1), "9" * 40, "1.5", "x"]
JSON_VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 10**400, 1.5, 1e308, "", "x", "1", "\ud83d", "a\0b", "x" * 70_000,
    [], [[]], [None], {}, {"": None}, {"a": {"b": []}}, [1] * 2_000, {"\ud800": 1}, {"1": 1}, {"x": 5}, {"1": 10**30},
]  # fmt: skip
RAW_JSON = [
    b"", b"null", b"[]", b"1", b'"x"', b"{", b'{"a":1}{', DEEP.encode(), b'{"content":' + DEEP.encode(), b"\xff\xfe{\0}\0",
    b"\xef\xbb\xbf{}", f'{{"version": {DIGITS}}}'.encode(), f'{{"seconds": {{"1": {DIGITS}}}}}'.encode(),
    b'{"content": NaN}', b'{"a": 1, "a": 2}', b'{"content": {"question1": "\\ud800"}}', b'{"page": "\\u0000"}',
    '{"content": {}}'.encode("utf-16"), b"\0" * 50, b'{"x": "' + b"y" * 300_000 + b'"}',
]  # fmt: skip
CHARSETS = ["utf-8", "UTF8", "utf-16", "utf-7", "latin-1", "ascii", "idna", "rot13", "zip", "no-such", '"utf-16"']
CONTENT_TYPES = [
    "application/json", "application/x-www-form-urlencoded", "multipart/form-data", "multipart/form-data; boundary=x",
    "multipart/form-data; boundary=" + "b" * 300, "multipart/mixed", "text/plain", "application/xml", "", "/", "a;b=c;;", "*/*",
]  # fmt: skip
BODIES = [
    b"", b"a=1", b"=&=&&", b"%00=%00", b"a=%ED%A0%80", b"\xff\xff\xff", b"--x\r\n\r\n", b"--x--\r\n",
    b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nnull\r\n--x--\r\n',
    b'--x\r\nContent-Disposition: form-data; name="file"; filename="\0"\r\n\r\nnull\r\n--x--\r\n',
    b'--x\r\nContent-Disposition: form-data; name="text"\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!!\r\n--x--\r\n',
    b'--x\r\nContent-Disposition: form-data; name="_charset_"\r\n\r\nutf-16\r\n--x--\r\n',
    b"&".join(b"a=1" for _ in range(3_000)), *RAW_JSON,
]  # fmt: skip
HEADERS: dict[str, list[str]] = {
    "If-Match": ['"0"', '"99999999999999999999"', DIGITS, '"-1"', "*", 'W/"0"', '"\xb2"'],
    "If-None-Match": ['"x"', "*", ","],
    "If-Modified-Since": ["Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 0000 00:00:00 GMT", "x", DIGITS],
    "If-Unmodified-Since": ["Fri, 99 Foo 99999 99:99:99 GMT"],
    "HX-Request": ["true", "x"],
    "HX-Current-URL": ["http://[", "http://testserver/\0", "//x", "http://testserver/?" + "a" * 5_000],
    "HX-Current-URL-URI-AutoEncoded": ["true"],
    "HX-Target": ["\0", "<b>"],
    "HX-Trigger": ["{", "\xff"],
    "Accept": ["", "*/*", ";;;", "application/json", "a" * 3_000],
    "Accept-Language": ["*", "x" * 3_000, "de;q=9e99", ";;", "en-" + "a-" * 500],
    "Accept-Encoding": ["gzip;q=x", "identity", "br" * 1_000],
    "Referer": ["http://[", "\xff", "x" * 5_000, "http://testserver/annotation/tags/?page=\0"],
    "Origin": ["null", "http://[", "\xff"],
    "X-Forwarded-For": ["1.2.3.4, x", "\0", "::", "," * 500, "999.1.1.1"],
    "X-Forwarded-Proto": ["https", "x"],
    "X-Requested-With": ["XMLHttpRequest"],
    "X-CSRFToken": ["", "\0", "é" * 64, "x" * 5_000],
    "Range": ["bytes=0-", "bytes=-1", "bytes=9-1", "bytes=" + DIGITS + "-"],
    "User-Agent": ["", "\xff", "x" * 5_000],
    "Content-Length": ["", "x", "-1", "0", "3", DIGITS],
    "Transfer-Encoding": ["chunked"],
    "X-HTTP-Method-Override": ["DELETE"],
    "Authorization": ["Basic !!", "Bearer \0"],
}
COOKIES = ["sessionid", "csrftoken", "messages", "theme"]
METHODS = ["PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "get"]


def files(chance: Random) -> SimpleUploadedFile:
    """A file as a person might bring it, by mistake or not."""
    record = {chance.choice(KEYS): chance.choice(JSON_VALUES) for _ in range(chance.randrange(1, 6))}
    header = ",".join(chance.sample(KEYS, 6))
    content = chance.choice(
        [
            *RAW_JSON,
            json.dumps([record]).encode(),
            json.dumps(record).encode(),
            json.dumps({"A model": [record]}).encode(),
            (json.dumps(record) + "\n" + json.dumps(record)).encode(),
            f"[{DIGITS}]".encode(),
            f'[{{"title": "a", "annotationResult": {{"confidence": {DIGITS}}}}}]'.encode(),
            f"{header}\n{','.join(chance.choice(TEXTS) for _ in range(6))}\n".encode("utf-8", "surrogatepass"),
            f"response,reviewer,verdict,seconds,judged_at\nx,rita,c,{DIGITS},9999-12-31T23:59:59-23:59\n".encode(),
            f"model,template,text,question,question_ID,answered_at\nm,5,x,q,{DIGITS},9999-12-31T23:59:59-23:59\n".encode(),
            b'{"model":"m","template":"5","text":"x","question":"q","answered_at":"9999-12-31T23:59:59-23:59"}',
            b"response,use,verdict,explanation\n\0,\0,\0,\0\n",
            b'"' * 999,
            b"a,b\n" + b"," * 9_999,
            gzip.compress(b"<mediawiki>" + b"<page>" * 5_000),
            b"<mediawiki><page><title>\x00</title><id>" + DIGITS.encode() + b"</id></page></mediawiki>",
            b'<!DOCTYPE a [<!ENTITY b "c">]><mediawiki>&b;</mediawiki>',
            b"BZh9" + b"\0" * 50,
            b"\x1f\x8b" + b"\0" * 50,
            b"PK\x03\x04",
        ]
    )
    return SimpleUploadedFile(
        chance.choice(["a.json", "a.csv", "a\0.xml.gz", "x" * 300, "é.xml.bz2", "../a.xml"]), content
    )


KEYS = [
    "title", "url", "paragraph_A", "tag", "tagDate", "annotationResult", "response", "reviewer", "verdict", "comment",
    "seconds", "judged_at", "model", "template", "text", "question", "question_ID", "release", "answered_at", "cost", "run",
    "use", "explanation", "messages", "semantic_types", "same_passage", "repetition", "question1", "samepassage",
]  # fmt: skip


def named_parameters() -> list[str]:
    """Every name under which the code looks into an address, a form or a JSON body."""
    found = set()
    for app in ("core", "annotation", "judging", "review", "benchmarks"):
        for path in (ROOT / app).rglob("*.py"):
            if "migrations" not in path.parts:
                found.update(_names(ast.parse(path.read_text(encoding="utf-8"))))
    return sorted(found)


def _names(tree: ast.AST) -> Iterator[str]:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute))
    for call in calls:
        name = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
        if call.func.attr in ("get", "getlist") and isinstance(name, str) and re.fullmatch(r"[\w-]{1,40}", name):
            yield name


@dataclass
class PageForm:
    """A form of a page: its address and method, what a browser would send, the names of files, and the names under
    which it sends numbers (of rows to choose from, or written ones), each with one that it takes."""

    path: str
    method: str
    values: dict[str, list[str]] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    numbers: dict[str, str] = field(default_factory=dict)


class Forms(HTMLParser):
    """The forms of a page."""

    def __init__(self, page: str, address: str):
        super().__init__()
        self.found: list[PageForm] = []
        self._address, self._select, self._area = address, "", ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append(PageForm(values.get("action") or self._address, values.get("method", "get").upper()))
        for attribute in ("hx-get", "hx-post"):
            if values.get(attribute):
                self.found.append(PageForm(values[attribute], attribute[3:].upper()))
        if not self.found:
            return
        name = values.get("name", "")
        if name and (values.get("type") == "number" or whole_number(values.get("value", "")) is not None):
            self.found[-1].numbers.setdefault(name, values.get("value", ""))
        if (
            tag in ("input", "button")
            and name
            and not (values.get("type") in ("checkbox", "radio") and "checked" not in values)
        ):
            (
                self.found[-1].files.add(name)
                if values.get("type") == "file"
                else self._add(name, values.get("value", ""))
            )
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select:
            self._option(values)
        elif tag == "textarea" and name:
            self._area = name
            self._add(name, "")

    def handle_endtag(self, tag: str) -> None:
        self._select = "" if tag == "select" else self._select
        self._area = "" if tag == "textarea" else self._area

    def handle_data(self, data: str) -> None:
        if self._area and self.found:
            self.found[-1].values[self._area] = [self.found[-1].values[self._area][-1] + data]

    def _option(self, values: dict[str, str]) -> None:
        written, form = values.get("value", ""), self.found[-1]
        if "selected" in values or not form.values.get(self._select):
            form.values[self._select] = [written]
        if whole_number(written) is not None:
            form.numbers.setdefault(self._select, written)

    def _add(self, name: str, value: str) -> None:
        self.found[-1].values.setdefault(name, []).append(value)


def query(values: dict[str, list[str]]) -> bytes:
    """Percent-encoded as a client may that has never heard of Unicode."""
    return urlencode(
        [
            (name.encode("utf-8", "surrogatepass"), value.encode("utf-8", "surrogatepass"))
            for name, all_of in values.items()
            for value in all_of
        ]
    ).encode()


def spoiled(chance: Random, values: dict[str, list[str]], names: list[str]) -> dict[str, list[str]]:
    """The data of a form, with one to three values replaced, added or taken away."""
    after = {name: list(those) for name, those in values.items()}
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        name = chance.choice(list(after)) if after and chance.random() < 0.8 else chance.choice(names)
        if chance.random() < 0.06:
            after.pop(name, None)
        elif chance.random() < 0.1:
            after[name] = [*after.get(name, []), chance.choice(TEXTS)]
        else:
            after[name] = [chance.choice(TEXTS)]
    return after


def hostile_part(chance: Random) -> str:
    """A part of a path."""
    return quote(chance.choice(TEXTS)[:300], safe="", errors="replace") or "0"
