"""The page of an article is stored once, however many tags show it, and each tag's comes out as it was made."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.evidence import ask_for_evidence, work_off
from annotation.evidence.fetching import location_of
from annotation.models import Evidence, EvidencePage
from annotation.reading.marks import without_marks
from annotation.reading.readable import readable_page
from tests.annotation.reading.test_article_page import SPANS, shown
from tests.factories import ArticleFactory, TagFactory

TAGS = 30
PARAGRAPHS = [
    f"Bridge {n} of the town opened in {1850 + n}.{{{{Inconsistent|date=May 2024}}}} It is {n} m long."
    for n in range(TAGS)
]


def put_back(page: str, marks: list[tuple[int, str]]) -> str:
    return Evidence(page=EvidencePage(html=page), marks=json.loads(json.dumps(marks))).html


@pytest.mark.django_db
def test_thirty_tags_of_an_article_cost_about_one_page():
    text = "\n\n".join(f"{paragraph}\n\n{'Carts crossed it on market days. ' * 300}" for paragraph in PARAGRAPHS)
    article = ArticleFactory(wikitext=text, wiki__is_allowed=False)
    tags = [
        TagFactory(
            article=article, paragraph=each, paragraph_clean=each.replace("{{Inconsistent|date=May 2024}}", "")
        )
        for each in PARAGRAPHS
    ]
    for tag in tags:
        ask_for_evidence(tag=tag)
        work_off(tag.pk)
    kept = list(Evidence.objects.filter(kind="article").select_related("page").order_by("pk"))
    assert len(kept) == TAGS
    assert len(text) > 290_000
    stored = len(EvidencePage.objects.get().html) + sum(len(json.dumps([row.marks, row.details])) for row in kept)
    assert stored < 1.2 * len(kept[0].html)
    for row in (kept[0], kept[17], kept[-1]):
        made = readable_page(text, page_url=article.url, prefix="article", location=location_of(row.tag))["html"]
        assert row.html == made
        assert made.count("ev-tagged") == made.count("ev-this-tag") == 1


@pytest.mark.parametrize("location", [SPANS, {"family": "self-contradictory", "placement": "page banner"}])
def test_marks_are_put_back_where_they_were(location):
    html = shown(**location)["html"]
    page, marks = without_marks(html)
    assert page == shown()["html"]
    assert put_back(page, marks) == html


PIECES = [
    "<p",
    ">",
    ' class="',
    "ev-tagged",
    "ev-this-tag",
    "ev-aside",
    " ",
    '"',
    "</p>",
    "x",
    "<",
    "ü🙂",
    "'",
    "&lt;",
]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_comes_out_as_it_went_in(html):
    assert put_back(*without_marks(html)) == html
