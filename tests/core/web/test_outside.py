"""Input from outside is read by one module, and values that nothing can hold are refused there."""

import json
from datetime import UTC, datetime

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, resolve
from django.urls.converters import IntConverter
from django.urls.exceptions import Resolver404
from hypothesis import given
from hypothesis import strategies as st

from core.outside import (
    MOST_ROW,
    Unreadable,
    json_object,
    moment,
    signed_number,
    storable,
    text_in,
    version_number,
    web_address,
    whole_number,
)
from core.refusals import Refusal


@given(st.integers(0, MOST_ROW))
def test_the_number_of_any_row_is_read(number):
    assert whole_number(str(number)) == number


@pytest.mark.parametrize(
    "written", ["", "-1", "+1", " 1", "1 ", "1.0", "1_0", "٣", "²", str(2**63), "9" * 5_000, None]
)
def test_nothing_else_is(written):
    assert whole_number(written) is None


def test_numbers_of_versions_and_priorities():
    assert [version_number(text) for text in ("7", "", str(2**31), None)] == [7, -1, -1, -1]
    assert [signed_number(text, most=5) for text in ("-5", "5", "-6", "--1", "-")] == [-5, 5, None, None, None]


def test_no_address_takes_a_number_that_no_row_can_have():
    def converters(resolver: URLResolver | URLPattern):
        yield from getattr(resolver.pattern, "converters", {}).values()
        for inner in getattr(resolver, "url_patterns", []):
            yield from converters(inner)

    assert not [found for found in converters(get_resolver()) if isinstance(found, IntConverter)]
    assert resolve(f"/annotation/tags/{2**63 - 1}/").kwargs == {"pk": 2**63 - 1}
    for number in (2**63, "9" * 19, "9" * 5_000):
        with pytest.raises(Resolver404):
            resolve(f"/annotation/tags/{number}/")


def test_a_time_is_read_into_utc():
    assert moment("2026-05-31T12:00:00+02:00") == datetime(2026, 5, 31, 10, tzinfo=UTC)
    assert moment("2026-05-31T12:00:00").tzinfo == UTC


@pytest.mark.parametrize(
    "written", ["", "x", "2026-02-30T00:00:00Z", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "9" * 99]
)
def test_what_is_no_time_in_every_zone_is_refused(written):
    with pytest.raises(Unreadable, match="is not a time"):
        moment(written)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"null", b"{", b"{}{}", b"\xff", b"\xef\xbb\xbf{}", b"[" * 100_000, b'{"a":' * 50_000,
        b'{"a": %s}' % (b"9" * 5_000), b'{"a": 1e999}', b'{"a": NaN}', b'{"a": 1, "a": 2}', "{}".encode("utf-16"),
    ],
)  # fmt: skip
def test_a_body_that_is_no_json_object_is_refused(body):
    with pytest.raises(Unreadable):
        json_object(body)


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.none() | st.lists(st.booleans())))
def test_any_other_object_is_read(value):
    assert json_object(json.dumps(value).encode()) == value


def test_a_text_is_a_text_and_storable():
    assert (
        text_in({"tab": "a\0b\ud800"}, "tab")
        == storable("a\0b\ud800")
        == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"
    )
    assert text_in({}, "tab") == ""
    with pytest.raises(Refusal, match="sent no text as “tab”"):
        text_in({"tab": 5}, "tab")


def test_a_link_leads_to_the_web_or_nowhere():
    assert web_address("https://en.wikipedia.org/wiki/X") == "https://en.wikipedia.org/wiki/X"
    assert [web_address(url) for url in ("javascript:x", "http://[", "//x", "", None, 5)] == [""] * 6
