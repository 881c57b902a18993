"""A selection in the reading pane becomes a passage: marks out, blanks mended, rows as label and value."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.reading.page_tree import parse
from annotation.reading.pages import article_page
from annotation.reading.readable import as_read, readable_page
from annotation.reading.selection import joined, mended, select, tagged_offsets
from annotation.wikitext.tags import find_tags

MARK = '<sup class="reference"><a href="#n">[1]</a></sup>'
TAG = '<sup class="Inline-Template">[<i><a href="/wiki/W">inconsistent</a></i>]</sup>'
INFOBOX = (
    '<table class="infobox"><tr><th colspan="2">Velm Bridge</th></tr>'
    f"<tr><th>Opened</th><td>3 June 1911{TAG}</td></tr>"
    "<tr><th>Engineers</th><td><ul><li>Ada Graye</li><li>John Ferrow</li></ul></td></tr>"
    "<tr><td>Length:</td><td>412&nbsp;m<br>with ramps</td></tr></table>"
)
SPANS = (
    '<table class="wikitable"><caption>Spans</caption><tr><th rowspan="2">Span</th><th colspan="2">Length</th></tr>'
    "<tr><th>m</th><th>ft</th></tr>"
    f'<tr><td rowspan="2">North</td><td>120{MARK}</td><td>394</td></tr><tr><td>121</td><td>397</td></tr>'
    "<tr><th>South</th><td>140</td><td>459</td></tr></table>"
)


def page_of(source: str) -> str:
    return article_page(source, page_url="https://wiki.example/wiki/A", prefix="article")["html"]


def dom_text(page: str) -> str:
    """The `textContent` of a browser."""
    pieces: list[str] = []

    def walk(element):
        for child in element.children:
            if isinstance(child, str):
                pieces.append(html.unescape(child))
            else:
                walk(child)

    walk(parse(page))
    return "".join(pieces)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def selected(source: str, first: str = "", last: str = ""):
    """The passage after dragging from the beginning of `first` to the end of `last`; from all, where none is
    given."""
    page = page_of(source)
    text = dom_text(page)
    start = text.index(first)
    end = text.index(last, start) + len(last) if last else len(text)
    return select(page, units(text[:start]), units(text[:end]))


def test_citation_marks_and_tags_are_left_out():
    found = selected(f"<p>The bridge opened in 1903{MARK}.{TAG} It <b>closed</b>\nin 1899 {MARK} .</p>")
    assert found.text == "The bridge opened in 1903. It closed in 1899."
    assert found.kind == "text"


def test_a_part_of_a_paragraph_is_cut_where_it_was_selected():
    found = selected(f"<p>The bridge opened in 1903{MARK}.{TAG} It closed in 1899.</p>", "opened", "It closed")
    assert found.text == "opened in 1903. It closed"


def test_where_it_came_from_is_without_the_blanks_around_it():
    page = page_of("<p>The bridge  opened   in 1903.</p>")
    text = dom_text(page)
    found = select(page, text.index("  opened"), text.index("   in") + 3)
    assert text[found.start : found.end] == "opened"


def test_a_selection_made_backwards_is_the_same():
    page = page_of("<p>The bridge opened.</p>")
    assert select(page, 14, 4) == select(page, 4, 14)


@pytest.mark.parametrize(
    "source", [f"<p>{TAG}</p>", "<p>   </p>", "", "<table class='ambox'><tr><td>Contradicts</td></tr></table>"]
)
def test_marks_and_blanks_alone_are_no_passage(source):
    page = page_of(source)
    assert select(page, 0, len(dom_text(page))) is None


def test_paragraphs_and_list_items_are_lines():
    found = selected(
        "<h2>History</h2><p>One.</p>\n<p>Two.</p><ul><li>Three<ul><li>Four</li></ul></li><li>Five</li></ul>"
    )
    assert found.text == "History\nOne.\nTwo.\nThree\nFour\nFive"


def test_rows_of_an_infobox_are_label_and_value():
    found = selected(INFOBOX)
    assert found.kind == "infobox"
    assert (
        found.text == "Velm Bridge\nOpened: 3 June 1911\nEngineers: Ada Graye, John Ferrow\nLength: 412 m, with ramps"
    )


def test_a_value_selected_alone_takes_its_label_along():
    assert selected(INFOBOX, "3 June", "1911").text == "Opened: 3 June 1911"
    assert selected(INFOBOX, "John", "Ferrow").text == "Engineers: John Ferrow"
    assert selected(INFOBOX, "Opened", "Opened").text == "Opened"


def test_rows_of_a_table_have_the_headings_of_their_columns():
    found = selected(SPANS, "North", "394")
    assert found.kind == "table"
    assert found.text == "Span: North\nLength m: 120\nLength ft: 394"
    assert selected(SPANS, "121", "397").text == "Length m: 121\nLength ft: 397"
    assert selected(SPANS, "South", "140").text == "Span: South\nLength m: 140"


def test_text_and_table_together_count_as_text():
    assert selected(f"<p>It has three spans.</p>{SPANS}").kind == "text"


def test_offsets_count_as_a_browser_counts():
    found = selected("<p>🏰🏰 The 🏰 castle <i>fell</i> in 1903 🏰.</p>", "castle", "1903")
    assert found.text == "castle fell in 1903"


def test_a_preformatted_text_counts_without_its_first_newline():
    page = "<p>a</p><pre>\nThe bridge</pre>"
    assert select(page, 5, 11).text == "bridge"


def test_a_row_in_a_table_that_was_cut_keeps_its_offsets():
    rows = "".join(f"<tr><td>Ship {n}</td><td>{n} t</td></tr>" for n in range(3_000))
    found = selected(f"<table><tr><th>Ship</th><th>Weight</th></tr>{rows}</table>", "Ship 7", "7 t")
    assert found.text == "Ship: Ship 7\nWeight: 7 t"


SENTENCES = page_of(
    f"<p>It opened in 1903.{MARK} It is 300 m long. Ships pass.</p><p>Cars came.</p><h2>Later</h2><p>It closed.</p>"
)


def joined_words(*words: str) -> list[str]:
    text = dom_text(SENTENCES)
    at = [(text.index(each), text.index(each) + len(each)) for each in words]
    return [part.text for part in joined(SENTENCES, [select(SENTENCES, *offsets) for offsets in at])]


def test_selections_come_in_the_order_of_the_page():
    assert joined_words("Ships pass.", "It opened in 1903.") == ["It opened in 1903.", "Ships pass."]


def test_selections_with_only_blanks_and_marks_between_them_are_one():
    both = ["It opened in 1903. It is 300 m long."]
    assert joined_words("It is 300 m long.", "It opened in 1903.") == both
    assert joined_words("It is 300 m", "300 m long.", "It opened in 1903.") == both
    assert joined_words("opened", "It opened in 1903.") == ["It opened in 1903."]
    assert joined_words("Ships pass.", "It opened in 1903.", "It is 300 m long.") == [both[0] + " Ships pass."]
    assert joined_words("Cars came.", "Ships pass.") == ["Ships pass.\nCars came."]


def test_selections_with_words_between_them_stay_apart():
    assert joined_words("It closed.", "Cars came.") == ["Cars came.", "It closed."]
    assert joined_words("It opened in 19", "is 300 m long.") == ["It opened in 19", "is 300 m long."]


def test_mending_twice_changes_nothing():
    text = " a  ,b\n\n c\u200b "
    assert mended(mended(text)) == mended(text) == "a ,b\nc"


@given(st.text(alphabet="ab 1.\n<>&🏰é", max_size=60), st.integers(0, 80), st.integers(0, 80))
def test_a_selection_is_made_of_the_words_between_its_offsets(text, start, end):
    page = page_of(f"<p>{html.escape(text)}</p>")
    whole = dom_text(page)
    found = select(page, start, end)
    start, end = sorted((start, end))
    letters = whole.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le", "replace")
    assert "".join((found.text if found else "").split()) == "".join(letters.split())


# --- The tagged paragraph on one button --------------------------------------------------------------------------

# A tag in every kind of paragraph: the wikitext, what a person drags over, and how it reads.
KINDS = {
    "paragraph": ("The bridge opened in 1903.{T} It is 300 m long.", "The bridge", "long.", None),
    "list item": ("* The northbound span{T} is older.\n* The other is new.", "The northbound", "older.", None),
    "item with a list below": ("* Spans{T} in all\n** North\n** South", "Spans", "in all", "Spans in all"),
    "numbered item": ("# First{T} of all\n# Second", "First", "of all", None),
    "infobox": ("{{{{Infobox bridge\n| spans    = 24{T}\n| opened = 1903\n}}}}\nText.", "Spans", "24", "Spans: 24"),
    "heading": ("Lead.\n\n== Closure{T} ==\nIt closed.", "It closed", "closed.", "It closed."),
    "section banner": ("Lead.\n\n== Closure ==\n{B}\nIt closed.", "It closed", "closed.", "It closed."),
    "table row": (
        "{{|\n! Span !! Length\n|-\n| North || 10<sup>2</sup> m{T}\n|-\n| South || 140 m\n|}}",
        "North",
        "m",
        "Span: North\nLength: 10² m",
    ),
    "definition": ("; Bridge\n: It has 24{T} spans", "It has", "spans", None),
    "other letters": ("𝔸𝔹 first.\n\n川の橋は1903年{T}に開通した。", "川の", "した。", None),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_button_takes_what_a_selection_by_hand_takes(kind):
    wikitext, first, last, reads = KINDS[kind]
    wikitext = wikitext.format(T="{{Inconsistent|date=May 2024}}", B="{{Self-contradictory|section}}")
    (tag,) = find_tags(wikitext)
    names = ("family", "paragraph", "paragraph_clean", "section", "placement")
    location = {name: getattr(tag, name) for name in names}
    page = readable_page(wikitext, page_url="", prefix="article", location=location)["html"]
    text = dom_text(page)
    start = text.index(first)
    by_hand = select(page, units(text[:start]), units(text[: text.index(last, start) + len(last)]))
    by_button = select(page, *tagged_offsets(page))
    assert by_button == by_hand
    assert not re.search(r"==|^[*#|]|\{\{", by_button.text)
    assert by_button.text == (reads or by_button.text)


def test_a_page_without_a_marked_paragraph_has_no_offsets():
    assert tagged_offsets(page_of("<p>The bridge.</p>")) is None


@pytest.mark.parametrize(
    ("paragraph", "text"),
    [
        ("* The northbound span", "The northbound span"),
        ("| spans    = 24", "Spans: 24"),
        ("== Closure ==", "Closure"),
        ("=== 1 = 2 ==={{Self-contradictory}}", "1 = 2{{Self-contradictory}}"),
        ("North\t120 m\t", "North, 120 m"),
        ("a = b | c", "a = b | c"),
        ("Plain text.", "Plain text."),
    ],
)
def test_a_stored_paragraph_reads_without_the_signs_of_its_source(paragraph, text):
    assert as_read(paragraph) == text


SECTIONS = [
    ('<h2 class="ev-tagged">Closure</h2><h3>In all</h3><p>It closed.</p>', "It closed."),
    (
        '<h2 class="ev-tagged">Closure</h2><table class="ev-aside"><tr><td>!</td></tr></table><li>Then.</li>',
        "Then.",
    ),
    ('<h2 class="ev-tagged">Closure</h2><h2>Else</h2><p>It closed.</p>', None),
    ('<h2 class="ev-tagged">Closure</h2>', None),
]


@pytest.mark.parametrize(("page", "reads"), SECTIONS)
def test_of_a_tagged_section_its_first_paragraph_is_taken(page, reads):
    offsets = tagged_offsets(f"<p>Lead.</p>{page}")
    assert (select(f"<p>Lead.</p>{page}", *offsets).text if offsets else None) == reads
