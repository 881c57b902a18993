"""The parts of the desk that are the same for all tags: a browser that keeps them gets the next page without them."""

import re

import pytest
from django.urls import reverse

from annotation.desk.parts import COOKIE
from tests.annotation.desk_helpers import claim, complete_content, save, submit
from tests.factories import TagFactory

MARK = re.compile(r'<template data-part="(\w+)"></template>')
BROUGHT = re.compile(r'<span id="parts" [^>]*data-brought="([\w.]*)"></span>')
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
OF_ONE_REQUEST = re.compile(r'name="operation" value="[^"]+"|<span id="parts".*?</span>|<noscript>.*?</noscript>')


@pytest.fixture
def client(annotator, sign_in):
    TagFactory(article__title="Harbour Bridge"), TagFactory(article__title="River Ferry")
    return sign_in(annotator)


def page_of(client, draft, **query) -> str:
    answer = client.get(reverse("desk_annotation", args=[draft.pk]), query)
    assert answer.status_code == 200
    return answer.content.decode()


def keep_parts(client, draft) -> dict:
    kept = client.get(reverse("desk_parts", args=[draft.pk])).json()
    client.cookies[COOKIE] = ".".join(kept["parts"])
    return kept


def filled(page: str, kept: dict, draft) -> str:
    """As the page's script fills it."""
    token = TOKEN.search(page)[1]
    return MARK.sub(
        lambda mark: kept["parts"][mark[1]].replace(kept["pk"], str(draft.pk)).replace(kept["token"], token), page
    )


def comparable(page: str) -> str:
    return OF_ONE_REQUEST.sub("", page.replace(TOKEN.search(page)[1], "the token"))


def test_the_page_of_the_next_tag_comes_without_them_and_is_whole_with_them(annotator, client):
    first = claim(annotator)
    assert not MARK.search(page_of(client, first))
    kept = keep_parts(client, first)
    submit(first, complete_content())
    following = claim(annotator)
    page = page_of(client, following)
    assert len(MARK.findall(page)) >= 6
    assert len(page) < 30_000
    assert BROUGHT.search(page)[1] == ""
    whole = page_of(client, following, whole=1)
    assert not MARK.search(whole)
    assert comparable(filled(page, kept, following)) == comparable(whole)


def test_what_a_person_wrote_always_comes_with_the_page(annotator, client):
    draft = claim(annotator)
    kept = keep_parts(client, draft)
    save(draft, complete_content(question1="When did it open?", contradict_comment="Two dates."))
    page = page_of(client, draft)
    assert "When did it open?" in page
    assert "Two dates." in page
    assert not any("When did it open?" in text or "Two dates." in text for text in kept["parts"].values())
    assert BROUGHT.search(page)[1] == "", "nothing more is to be kept for a form that is filled in"
    later = keep_parts(client, draft)
    assert not any("When did it open?" in text or "Two dates." in text for text in later["parts"].values())


def test_a_part_that_the_browser_has_in_another_wording_is_brought(annotator, client):
    draft = claim(annotator)
    client.cookies[COOKIE] = "0123456789.of-an-older-version.."
    page = page_of(client, draft)
    assert not MARK.search(page)
    names = BROUGHT.search(page)[1].split(".")
    assert names == list(keep_parts(client, draft)["parts"])


def test_without_javascript_a_link_leads_to_the_whole_page(annotator, client):
    draft = claim(annotator)
    assert "?whole=1" not in page_of(client, draft)
    keep_parts(client, draft)
    assert '<a href="?whole=1">' in page_of(client, draft)


def test_the_parts_are_for_the_writer_of_an_open_annotation(annotator, other_annotator, client, sign_in):
    draft = claim(annotator)
    address = reverse("desk_parts", args=[draft.pk])
    assert sign_in(other_annotator).get(address).status_code == 404
    submit(draft, complete_content())
    assert client.get(address).status_code == 409
