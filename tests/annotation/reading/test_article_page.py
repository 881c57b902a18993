"""An article as Wikipedia's parser writes it, read beside the form: what is kept, put aside, left out, marked."""

from pathlib import Path

import pytest

from annotation.reading.pages import article_page, marked_again, talk_page

TAG = (
    '<sup class="noprint Inline-Template" style="white-space:nowrap;">[<i><a href="/wiki/Wikipedia:Accuracy_dispute" '
    'title="x"><span title="The text gives 27. (May 2023)">inconsistent</span></a></i>]</sup>'
)
HTML = Path(__file__).parents[1] / "html"
ARTICLE = (HTML / "Harrick_Viaduct.html").read_text()
SPANS = {"family": "inconsistent", "paragraph_clean": "| spans    = 24", "placement": "infobox"}


def shown(source: str = ARTICLE, **location) -> dict:
    wanted = {"family": "inconsistent", **location} if location else None
    return article_page(
        source, page_url="https://en.wiki.example/wiki/Harrick_Viaduct", prefix="article", location=wanted
    )


@pytest.mark.parametrize(
    "kept",
    [
        "viaduct</a> over the",
        "£1,200",
        "For the road, see",
        "<figcaption>The 27 arches</figcaption>",
        "<code>{\\displaystyle x^2}</code>",
        '<th scope="row">Spans</th><td>24',
        "51°N 1°W",
        "<td>34 m</td>",
        "<dt>Arches</dt><dd>27 of them</dd>",
        "<i>Survey</i>, p. 41.",
        'href="https://en.wiki.example/wiki/Viaduct"',
        'lang="en" dir="ltr"',
        '<div class="ev-scroll" tabindex="0" role="region" aria-label="Table"><table class="ev-table">',
        '<table class="ev-infobox">',
    ],
)
def test_what_carries_text_is_kept(kept):
    assert kept in shown()["html"].replace('dir="ltr" lang="en"', 'lang="en" dir="ltr"')


@pytest.mark.parametrize(
    "dropped",
    ["float:right", "Contents", "[edit]", "edit", "034", "51; -1", "Bridges of the county", "<img", "redlink",
     "u.example", "<math", "data-sort", "Inline-Template", "mw-"],
)  # fmt: skip
def test_what_does_not_is_left_out(dropped):
    assert dropped not in shown()["html"]


@pytest.mark.parametrize(
    "aside",
    [
        '<sup class="ev-aside">[1]</sup>',
        '<sup class="ev-aside">[citation needed]</sup>',
        '<sup class="ev-aside">[inconsistent]</sup>',
        '<span class="ev-aside">^</span>',
        '<div class="ev-aside ev-banner">',
    ],
)
def test_marks_are_put_aside(aside):
    assert aside in shown()["html"]


def test_the_list_of_sections_leads_to_headings():
    page = shown()
    assert page["headings"] == [
        {"id": "ev-article-s1", "level": 2, "title": "Design"},
        {"id": "ev-article-s2", "level": 3, "title": "Plans"},
    ]
    assert '<h2 id="ev-article-s1">Design</h2>' in page["html"]


@pytest.mark.parametrize(
    ("location", "marked"),
    [
        (SPANS, '<tr class="ev-tagged"><th scope="row">Spans</th>'),
        ({"paragraph_clean": "The track runs on 27 arches."}, '<p class="ev-tagged">The track'),
        ({"paragraph_clean": "The 27 arches", "placement": "caption"}, '<figcaption class="ev-tagged">'),
        ({"paragraph_clean": "A\t34 m", "placement": "table"}, '<tr class="ev-tagged"><td>A</td>'),
        ({"paragraph_clean": ": 27 of them", "placement": "list item"}, '<dd class="ev-tagged">'),
        ({"paragraph_clean": "=== Plans ===", "placement": "section banner", "section": "Design > Plans"},
         '<h3 id="ev-article-s2" class="ev-tagged">'),
        ({"family": "self-contradictory", "placement": "page banner"},
         '<div class="ev-aside ev-banner ev-tagged ev-this-tag">'),
        ({"paragraph_clean": "What a template shows otherwise."}, '<tr class="ev-tagged"><th scope="row">Spans'),
        ({"family": "contradict-other", "paragraph_clean": "Gone.", "section": "Design"},
         '<h2 id="ev-article-s1" class="ev-tagged">'),
    ],
)  # fmt: skip
def test_the_paragraph_of_the_tag_is_marked(location, marked):
    page = shown(**location)
    assert page["tag_found"]
    assert marked in page["html"]
    assert page["html"].count("ev-tagged") == 1


def test_the_tag_itself_is_told_from_other_marks():
    html = shown(**SPANS)["html"]
    assert '<sup class="ev-aside ev-this-tag">[inconsistent]</sup>' in html
    assert html.count("ev-this-tag") == 1


def test_a_paragraph_that_is_not_there_is_said():
    page = shown(family="contradict-other", paragraph_clean="Words of another article altogether.")
    assert not page["tag_found"]
    assert page["notes"] == ["The tagged paragraph was not found in the page as the wiki shows it."]


def test_of_paragraphs_alike_the_right_one_is_marked():
    source = f"<p>Opened in 1903.{TAG}</p><p>x</p><p>Opened in 1903.{TAG}</p>"
    html = shown(source, paragraph_clean="Opened in 1903.", occurrence=1)["html"]
    assert html.index("ev-tagged") > html.index("<p>x</p>")


def test_the_mark_moves_to_another_tag():
    stored = shown(**SPANS)["html"]
    moved = marked_again(
        stored, location={"family": "inconsistent", "paragraph_clean": "The track runs on 27 arches."}
    )
    assert moved["tag_found"]
    assert moved["html"].count("ev-tagged") == 1
    assert '<p class="ev-tagged">The track' in moved["html"]
    assert "ev-this-tag" not in moved["html"]
    back = marked_again(moved["html"], location={"family": "inconsistent", **SPANS})
    assert back["html"] == stored


def test_an_article_that_reads_from_right_to_left():
    page = shown(
        '<div dir="rtl" lang="ar"><p>بنيت القلعة عام 1203.</p></div>', paragraph_clean="بنيت القلعة عام 1203."
    )
    assert 'dir="rtl"' in page["html"]
    assert page["tag_found"]


def test_a_script_without_blanks():
    page = shown(
        "<p>この橋は1903年に開通した。</p><p>別の段落である。</p>", paragraph_clean="この橋は1903年に開通した。"
    )
    assert '<p class="ev-tagged">この橋は' in page["html"]


# --- Talk pages --------------------------------------------------------------------------------------------------

TALK = (HTML / "Talk_Harrick_Viaduct.html").read_text()


def talk(said: str = "The text speaks of 27 arches. spans = 24", section: str = "") -> dict:
    return talk_page(TALK, page_url="", prefix="talk", said=said, section=section)


def test_sections_that_speak_of_the_contradiction_come_first():
    page = talk()
    assert [heading["title"] for heading in page["headings"]] == ["Arches", "Survey", "Photographs", "Opening"]
    assert page["html"].startswith('<section class="ev-mentions ev-section ev-tagged">')
    assert page["tag_found"]
    assert "Rated C-class" in page["html"]


def test_the_section_that_the_tag_names_comes_before_all():
    assert talk(section="opening")["headings"][0]["title"] == "Opening"


def test_a_talk_page_that_says_nothing_of_it_keeps_its_order():
    page = talk_page("<h2>B</h2><p>x</p><h2>A</h2><p>y</p>", page_url="", prefix="talk", said="1903")
    assert [heading["title"] for heading in page["headings"]] == ["B", "A"]
    assert not page["tag_found"]
    assert "ev-tagged" not in page["html"]
