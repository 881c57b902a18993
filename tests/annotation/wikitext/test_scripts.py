"""Raised and in_sentence text keeps its meaning on every way from an article to a passage: 10⁶ is not 106."""

import pytest

from annotation.reading.pages import article_page
from annotation.reading.readable import readable_page
from annotation.reading.selection import select
from annotation.wikitext.scripts import script_form, with_scripts
from annotation.wikitext.tags import find_tags
from tests.annotation.reading.test_selection import dom_text, page_of, selected, units

# Wikitext, and how readers' text of it reads.
WRITTEN = [
    ("10<sup>6</sup> cells", "10⁶ cells"),
    ("10<sup>&minus;6</sup> m", "10⁻⁶ m"),
    ("5 km<sup>2</sup>", "5 km²"),
    ("CO<sub>2</sub> and H<sub>2</sub>O", "CO₂ and H₂O"),
    ("''x''<sup>''n''+1</sup>", "xⁿ⁺¹"),
    ("x<sup>2q</sup>", "x^2q"),
    ("10<sup>−0.5</sup>", "10^(−0.5)"),
    ("T<sub>eff</sub>", "T_eff"),
    ("the 19<sup>th</sup> century", "the 19th century"),
    ("<sup>14</sup>C", "¹⁴C"),
    ("2<sup>2<sup>n</sup></sup>", "2^2ⁿ"),
]


@pytest.mark.parametrize(("source", "text"), WRITTEN)
def test_a_selection_by_hand_keeps_it(source, text):
    html = source.replace("''", "")
    assert selected(f"<p>About {html} there.</p>").text == f"About {text} there."


@pytest.mark.parametrize(("source", "text"), WRITTEN)
def test_the_paragraph_of_a_tag_and_the_readable_article_keep_it(source, text):
    wikitext = f"About {source} there.{{{{Inconsistent|date=May 2024}}}}"
    (tag,) = find_tags(wikitext)
    assert tag.paragraph_clean == f"About {text} there."
    location = {"family": tag.family, "paragraph": tag.paragraph, "paragraph_clean": tag.paragraph_clean}
    page = readable_page(wikitext, page_url="", prefix="article", location=location)
    assert page["tag_found"]
    whole = dom_text(page["html"])
    assert select(page["html"], 0, units(whole)).text == f"About {text} there."


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{val|1.5|e=6|u=kg}}", "1.5 × 10⁶ kg"),
        ("3{{e|-7}}", "3×10⁻⁷"),
        ("{{10^|9}}", "10⁹"),
        ("x{{sup|2}} y{{sub|0}}", "x² y₀"),
        ("{{chem|SO|4|2-}}", "SO₄²⁻"),
        ("{{chem2|C6H12O6}}", "C₆H₁₂O₆"),
        ("{{nuclide|C|14}} and {{simplenuclide|Carbon|14}}", "¹⁴C and Carbon-14"),
        ("{{nuclide|Tc|99|m}}", "⁹⁹ᵐTc"),
        ("5{{su|p=3|b=1}} kg", "5³₁ kg"),
        ("1.5{{±|0.2}} or 1.5{{±|0.3|0.2}}", "1.5±0.2 or 1.5+0.3 −0.2"),
        ("{{convert|5|km2|sqmi}} at {{cvt|3|m/s2}}", "5 km² at 3 m/s²"),
    ],
)
def test_templates_that_raise_or_lower_keep_it(source, text):
    (tag,) = find_tags(f"About {source} there.{{{{Inconsistent}}}}")
    assert tag.paragraph_clean == f"About {text} there."


def test_what_stands_above_and_below_is_read_in_one_line():
    """As wikis show {{nuclide|C|14}} and {{su|p=3|b=1}}; other line breaks stay."""
    stacked = "<span><sup>14</sup><br><sub>6</sub></span>"
    assert selected(f"<p>About {stacked}C<br>and on.</p>").text == "About ¹⁴₆C\nand on."


def test_a_part_of_a_raised_number_is_cut_where_it_was_selected():
    page = page_of("<p>About 10<sup>123</sup> cells</p>")
    assert select(page, 6, 10).text == "10¹²"
    assert select(page, 9, 17).text == "²³ cells"


def test_offsets_behind_raised_text_stay_true():
    page = page_of("<p>Of 10<sup>6</sup> one is gone.</p>")
    text = dom_text(page)
    found = select(page, text.index("one"), len(text))
    assert (found.text, text[found.start : found.end]) == ("one is gone.", "one is gone.")


def test_rows_of_a_table_keep_it():
    head = "<tr><th>Area (km<sup>2</sup>)</th><th>Year</th></tr>"
    table = f"<table>{head}<tr><td>10<sup>3</sup></td><td>1903</td></tr></table>"
    assert selected(table, "10", "1903").text == "Area (km²): 10³\nYear: 1903"


def test_headings_keep_it_and_a_tag_in_them_is_found():
    (tag,) = find_tags("Text.\n\n== CO<sub>2</sub> output ==\n{{Self-contradictory|section}}\nIt fell.")
    page = article_page(
        "<p>Text.</p><h2>CO<sub>2</sub> output</h2><table class='ambox'><tr><td class='mbox-text'>"
        "This section contradicts itself.</td></tr></table><p>It fell.</p>",
        page_url="",
        prefix="a",
        location={"family": tag.family, "paragraph_clean": tag.paragraph_clean, "section": tag.section,
               "placement": tag.placement},
    )  # fmt: skip
    assert page["tag_found"]
    assert page["headings"][0]["title"] == "CO₂ output"


@pytest.mark.parametrize(
    "text", ["a <sup>never closed", "<sup></sup>", "x<sup> </sup>", "plain", "<sup>[<sub>", "5 < 6 > 4"]
)
def test_what_is_no_raised_text_stays(text):
    assert with_scripts(text).replace("<sup>", "").replace("</sup>", "") == text.replace("<sup>", "").replace(
        "</sup>", ""
    )


def test_blanks_at_the_ends_stay():
    assert script_form(" 2 ", "sup", before="m") == " ² "
