"""Rows and cells are those that MediaWiki makes: by marks that templates stand for, and of unclosed markup."""

import pytest

from annotation.wikitext.tags import find_tags
from tests.annotation.table_cases import ROWS, tagged

A = "{{Inconsistent|date=May 2020}}"


def cells_of(tag) -> list[str]:
    return [cell.strip() for cell in tag.paragraph_clean.split("\t")]


@pytest.mark.parametrize(("wikitext", "rows"), ROWS.items())
def test_each_tag_comes_with_its_own_row(wikitext, rows):
    found = find_tags(tagged(wikitext))
    assert [tag.placement for tag in found] == ["table", "table"]
    assert [cells_of(tag) for tag in found] == rows


def test_an_unclosed_reference_ends_before_the_next_line_s():
    first, second = find_tags(f"{{|\n| a<ref name=x>b {A}\n|-\n| c<ref>d {A}</ref> || e\n|}}")
    assert cells_of(first) == ["ab"]
    assert cells_of(second) == ["c d", "e"]


def test_a_link_whose_text_holds_a_tag_is_cut_too():
    first, second = find_tags(f"{{|\n| a || [[Alder|b {A}\n|-\n| c || d ]] {A}\n|}}")
    assert (cells_of(first), cells_of(second)) == (["a", "b"], ["c", "d"])


def test_a_link_ends_with_its_cell_of_an_html_table():
    row = f"<tr><td>a</td><td>[[Alder|b {A}</td></tr>\n<tr><td>c ]]</td><td>d {A}</td></tr>"
    first, second = find_tags(f"<table>{row}</table>")
    assert (cells_of(first), cells_of(second)) == (["a", "b"], ["c", "d"])


def test_a_table_in_a_template_s_argument():
    rows = f"{{{{{{!}}}}\n{{{{!}}}} a {{{{!!}}}} b {A}\n{{{{!}}}}-\n{{{{!}}}} c {A}\n{{{{!}}}}}}"
    first, second = find_tags(f"{{{{Scrolled|1=\n{rows}\n}}}}")
    assert (cells_of(first), cells_of(second)) == (["a", "b"], ["c"])


def test_a_pipe_in_a_template_s_argument_divides_no_cell():
    (tag,) = find_tags(f"{{|\n| {{{{nowrap|a {{{{!}}}} b}}}} || c {A}\n|}}")
    assert cells_of(tag) == ["a | b", "c"]


def test_a_reference_over_several_lines_is_whole():
    (tag,) = find_tags(f"{{|\n| a<ref>b\n\nc {A}</ref> || d\n|}}")
    assert cells_of(tag) == ["a b c", "d"]


@pytest.mark.parametrize(
    ("wikitext", "placement", "paragraph"),
    [
        (f"{{|\n| a || [[File:A.jpg{{{{!}}}}thumb{{{{!}}}}b {A}]] || c\n|}}", "caption", "b"),
        (f"{{|\n| a || [[File:A.jpg|thumb\n|b {A}]] || c\n|}}", "caption", "b"),
        (f"[[File:A.jpg|thumb|\n{{|\n| a || b {A}\n|}}\n]]", "caption", None),
        (f"{{|\n|+ [[File:A.jpg|thumb|a {A}\n|-\n| b || c ]]\n|}}", "caption", "a"),
        (f"{{|\n| a [[File:A.jpg|thumb|b {A}\n|-\n| c ]]\n|}}", "table", "a b"),
        (f"{{{{!+}}}} a {{{{!!}}}} b {A}", "paragraph", "|+ a || b"),
        (f"[[Alder|b\n| c {A}]] d", "paragraph", "b | c d"),
        (f"{{{{Infobox x\n| a = b {{{{!}}}} c {A}\n}}}}", "infobox", "| a = b | c"),
    ],
)
def test_marks_elsewhere(wikitext, placement, paragraph):
    (tag,) = find_tags(wikitext)
    assert tag.placement == placement
    assert paragraph is None or " ".join(tag.paragraph_clean.split()) == paragraph
