"""The parts of the desk that are the same for all tags: a browser that keeps them gets the next page without them."""

import html
import re

import pytest
from django.urls import reverse

from annotation.models import Tag
from core.engine.fragments import CSRF, placeholder
from core.engine.parts import COOKIE
from tests.annotation.desk_helpers import claim, complete_content, save, submit
from tests.factories import TagFactory

MARK = re.compile(r'<template data-part="(\w+)"></template>')
BROUGHT = re.compile(r"<!--part (\w+)-->(.*?)<!--/part-->", re.DOTALL)
MODULES = re.compile(r'<link rel="modulepreload" [^>]*>')
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
OF_ONE_REQUEST = re.compile(r'name="operation" value="[^"]+"|<noscript>.*?</noscript>|<!--/?part.*?-->')


@pytest.fixture
def client(annotator, sign_in):
    TagFactory(article__title="Harbour Bridge"), TagFactory(article__title="River Ferry")
    return sign_in(annotator)


def page_of(client, draft, **query) -> str:
    answer = client.get(reverse("desk_annotation", args=[draft.pk]), query)
    assert answer.status_code == 200
    return answer.content.decode()


def keep_parts(client, draft) -> dict[str, str]:
    """The parts of this page that its script keeps."""
    page = page_of(client, draft, whole=1)
    texts = {name: as_kept(text, page, draft) for name, text in BROUGHT.findall(page)}
    client.cookies[COOKIE] = ".".join(texts)
    return texts


def as_kept(text: str, page: str, draft) -> str:
    return text.replace(f"/{draft.pk}/", "/{pk}/").replace(TOKEN.search(page)[1], "{token}")


def filled(page: str, kept: dict[str, str], draft) -> str:
    """As the page's script fills it."""
    token = TOKEN.search(page)[1]
    return MARK.sub(lambda mark: kept[mark[1]].replace("/{pk}/", f"/{draft.pk}/").replace("{token}", token), page)


def comparable(page: str) -> str:
    """Without the names of modules either, as a browser that holds parts holds those, too, nor the address to come
    back to."""
    page = MODULES.sub("", page).replace("?whole=1", "")
    return OF_ONE_REQUEST.sub("", page.replace(TOKEN.search(page)[1], "the token"))


def test_the_page_of_the_next_tag_comes_without_them_and_is_whole_with_them(annotator, client):
    first = claim(annotator)
    assert not MARK.search(page_of(client, first))
    kept = keep_parts(client, first)
    submit(first, complete_content())
    following = claim(annotator)
    page = page_of(client, following)
    assert len(MARK.findall(page)) >= 6
    assert len(page) < 31_000
    assert not BROUGHT.search(page)
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
    assert not any("When did it open?" in text or "Two dates." in text for text in kept.values())
    assert not BROUGHT.search(page), "nothing more is to be kept for a form that is filled in"
    later = keep_parts(client, draft)
    assert not any("When did it open?" in text or "Two dates." in text for text in later.values())


def test_a_part_that_the_browser_has_in_another_wording_is_brought(annotator, client):
    draft = claim(annotator)
    client.cookies[COOKIE] = "0123456789.of-an-older-version.."
    page = page_of(client, draft)
    assert not MARK.search(page)
    assert [name for name, _ in BROUGHT.findall(page)] == list(keep_parts(client, draft))


def test_without_javascript_a_link_leads_to_the_whole_page(annotator, client):
    draft = claim(annotator)
    assert "?whole=1" not in page_of(client, draft)
    keep_parts(client, draft)
    assert '<a href="?whole=1">' in page_of(client, draft)


HOSTILE = [
    '"><script>alert(1)</script>',
    f"& {placeholder('annotation.tag.article.title')}",
    f"{placeholder(CSRF)} {placeholder('annotation.pk', True)}",
]


def test_each_tag_has_its_own_title_in_what_is_kept_for_all_whatever_it_is(annotator, client):
    Tag.objects.all().delete()
    for title in HOSTILE:
        TagFactory(article__title=title)
    seen = []
    for _ in HOSTILE:
        draft = claim(annotator)
        page = page_of(client, draft)
        title = draft.tag.article.title
        fields = re.findall(r'name="paragraph[AB]_article" value="([^"]*)"', page)
        assert [html.unescape(value) for value in fields] == [title, title]
        assert "<script>alert" not in page
        seen.append(title)
        submit(draft, complete_content())
    assert sorted(seen) == sorted(HOSTILE)
    assert TOKEN.search(page)[1] not in "".join(fields)
