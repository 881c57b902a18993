"""Wikitext of which there is no HTML, made readable: in the words of the paragraphs, with every tag findable."""

from pathlib import Path

import pytest

from annotation.harvesting.dumps.dump import read_dump
from annotation.reading.readable import paragraph_change, plain_lines, readable_page, readable_text
from annotation.samples.articles import ARTICLES
from annotation.wikitext.extraction import in_child
from annotation.wikitext.tags import find_tags
from core.killable import GivenUp

CANAL = (Path(__file__).parents[1] / "wikitext" / "Hollin_Moor_Canal.wikitext").read_text()
PAGES = {"Hollin Moor Canal": CANAL, **{page.title: page.wikitext for page in read_dump(str(ARTICLES))}}


def shown(wikitext: str, tag=None) -> dict:
    names = ("family", "paragraph", "paragraph_clean", "section", "placement")
    location = {name: getattr(tag, name) for name in names} if tag else None
    return readable_page(wikitext, page_url="", prefix="article", location=location)


@pytest.mark.parametrize("title", PAGES)
def test_every_tag_of_a_page_finds_its_paragraph(title):
    tags = find_tags(PAGES[title])
    assert tags
    for tag in tags:
        page = shown(PAGES[title], tag)
        assert page["tag_found"], tag
        assert page["html"].count("ev-tagged") == 1


@pytest.mark.parametrize(
    ("wikitext", "html"),
    [
        ("== One ==\n=== Two ===", '<h2 id="ev-article-s1">One</h2>\n<h3 id="ev-article-s2">Two</h3>'),
        ("* a\n** b\n* c", "<ul><li>a</li>\n<ul><li>b</li>\n</ul><li>c</li>\n</ul>"),
        ("# a\n# b", "<ol><li>a</li>\n<li>b</li>\n</ol>"),
        ("; a\n: b", "<dl><dt>a</dt>\n<dd>b</dd>\n</dl>"),
        ("A ''b'' [[c|d]] {{convert|5|km}}.<ref>x</ref>", "<p>A b d 5 km.</p>"),
        ("1 < 2 & <script>x</script>", "<p>1 &lt; 2 &amp; &lt;script&gt;x&lt;/script&gt;</p>"),
        ("{{Infobox x\n| image = a.jpg\n| built_in = 1903\n| empty =\n}}",
         '<table class="ev-infobox"><tbody><tr><th scope="row">Built in</th><td>1903</td></tr>\n</tbody></table>'),
        ("{{Navbox|list1=x}}\n{{Authority control}}\nText.", "<p>Text.</p>"),
        ("{{Contradict|date=May 2023}}", '<div class="ev-aside ev-banner">Contradict · date=May 2023</div>'),
        ("One.{{Inconsistent|date=May 2023}} Two.", '<p>One.<sup class="ev-aside">[inconsistent]</sup> Two.</p>'),
    ],
)  # fmt: skip
def test_markup_becomes_what_a_reader_sees(wikitext, html):
    assert shown(wikitext)["html"].strip() == html


def test_a_table_keeps_its_cells_and_spans():
    html = shown('{|\n|+ Spans\n! A !! B\n|-\n| rowspan="2" | 1 || 2\n|-\n| colspan="2" | 3\n|}')["html"]
    assert "<caption>Spans</caption>" in html
    assert "<tr><th>A</th><th>B</th></tr>" in html
    assert '<td rowspan="2">1</td><td>2</td>' in html
    assert '<td colspan="2">3</td>' in html


def test_a_paragraph_of_a_tasks_file_is_shown_as_it_is():
    page = readable_text(
        "Opened in 1903.{{Inconsistent|date=May 2023}} <b>Closed</b>\nin 1899.",
        prefix="article",
        location={"family": "inconsistent", "paragraph_clean": "Opened in 1903. <b>Closed</b>"},
    )
    assert page["tag_found"]
    assert '1903.<sup class="ev-aside ev-this-tag">[inconsistent]</sup> &lt;b&gt;Closed' in page["html"]


def test_the_lines_hold_every_word_that_can_be_picked():
    lines = plain_lines(CANAL)
    for line in ("An Act was passed in 1793. Work began at once, in the spring of 1792.", "| length      = 14.5 mi",
                 "1,250 t\tN/A", "Tonnage"):  # fmt: skip
        assert line in lines


def test_the_change_of_a_paragraph():
    before = "First words.\n\nIt opened in 1903.\n\nLast words."
    after = "First words.\n\nIt opened in 1903.{{Inconsistent}}\n\nLast words."
    change = paragraph_change(before, after, start=after.index("{{"))
    assert change == {"before": "It opened in 1903.", "after": "It opened in 1903.{{Inconsistent}}", "section": ""}


def test_a_paragraph_that_came_with_its_tag_had_nothing_before():
    after = "Old words.\n\n== Bridge ==\nIt opened in 1903.{{Inconsistent}}"
    change = paragraph_change("Old words.", after, start=after.index("{{Inc"))
    assert (change["before"], change["section"]) == ("", "Bridge")
    assert paragraph_change("", "no tag", start=3) == {"before": "", "after": "", "section": ""}


def test_wikitext_that_stalls_the_parser_is_given_up_on():
    with pytest.raises(GivenUp, match="longer than"):
        in_child("readable_page", wikitext="<br " * 300_000, page_url="", prefix="a", location=None, seconds=0.5)
