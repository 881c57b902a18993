"""Tags are found wherever editors put them, and each comes with the paragraph that it stands in."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.wikitext.families import FAMILIES
from annotation.wikitext.languages import families_of
from annotation.wikitext.tags import LONGEST_PARAGRAPH, FoundTag, find_tags, may_have_tags

PAGE = (Path(__file__).parents[1] / "wikitext" / "Hollin_Moor_Canal.wikitext").read_text()
INLINE = "{{Inconsistent|date=May 2020}}"


def one(wikitext: str, **options) -> FoundTag:
    (tag,) = find_tags(wikitext, **options)
    return tag


# --- A whole page ----------------------------------------------------------------------------------------------


def test_a_page_gives_each_tag_with_its_offsets_and_paragraph():
    found = [(tag.placement, tag.section, tag.paragraph_clean) for tag in find_tags(PAGE)]
    assert found == [
        ("page banner", "", ""),
        ("caption", "", "The basin in 1903 with horses"),
        ("infobox", "", "| date_built  = May 1794"),
        ("infobox", "", "| engineers   = John Ferrow, Amos Tilley"),
        (
            "paragraph",
            "",
            "The Hollin Moor Canal (Camlas, ) was a canal of 14.5 mi between the town of Hollin and the sea."
            " It was opened in c. 1796 & closed in 1899.",
        ),
        ("section banner", "History > Building", "=== Building ==="),
        ("paragraph", "History > Building", "An Act was passed in 1793. Work began at once, in the spring of 1792."),
        ("reference", "History > Building", "Some say otherwise. Ferrow himself wrote of two springs."),
        ("list item", "History > Building", "* Lock 1 was the deepest"),
        ("list item", "History > Building", "; Tolls : one penny a ton"),
        ("caption", "History > Traffic", "Tonnage"),
        ("table", "History > Traffic", "1800\t1,250 t\tN/A"),
        ("table", "History > Traffic", "All\tAll\t1,550 t"),
        ("caption", "History > Traffic", "The second bridge, of 1801"),
        ("heading", "Legacy", "== Legacy  =="),
        ("section banner", "Legacy", "== Legacy  =="),
        ("reference", "References", "A note on sources."),
    ]


def test_what_a_tag_says_is_read_from_its_arguments():
    said = [(tag.name, tag.family, tag.date, tag.reason, tag.other_articles) for tag in find_tags(PAGE)]
    assert said[:4] == [
        ("Contradict", "self-contradictory", "May 2019", "the year of closing", ()),
        ("Inconsistent", "inconsistent", "March 2021", "text says it was filled in in 1899", ()),
        ("Contradict-inline", "self-contradictory", "April 2020", "text says 1796", ()),
        ("Inconsistent", "inconsistent", "July 2018", "", ()),
    ]
    assert said[8] == ("Inconsistent", "inconsistent", "", "see below", ())
    assert said[15] == ("Contradicts other", "contradict-other", "July 2022", "", ("Hollin Moor Railway",))


def test_the_tag_is_kept_byte_for_byte_and_left_in_its_paragraph():
    for tag in find_tags(PAGE):
        assert PAGE[tag.start : tag.end] == f"{{{{{tag.tag}}}}}"
        assert f"{{{{{tag.tag}}}}}" in tag.paragraph


# --- Which templates are tags ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        "Inconsistent",
        "inconsistent",
        " inconsistent ",
        "\nInconsistent\n",
        "Template:Inconsistent",
        "template: inconsistent",
        "TEMPLATE:_inconsistent",
        ":Template:Inconsistent",
        "Contradict-inline",
        "contradict_inline",
        "Contradictory  inline",
        "contradicts_other",
        "Incon<!-- why -->sistent",
        "<!-- | }} -->Inconsistent<!-- x -->",
        "Contradict&#45;inline",
        "Contradict\u00a0inline",
        "\u200einconsistent",
    ],
)
@pytest.mark.parametrize("arguments", ["", "|date=May 2020", "\n | date = May 2020\n"])
def test_each_way_to_write_a_name_is_found(written, arguments):
    wikitext = f"A year{{{{{written}{arguments}}}}}, then."
    assert may_have_tags(wikitext)
    assert one(wikitext).tag == written + arguments


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_each_known_spelling_has_its_family(name):
    assert one(f"Word{{{{{name}}}}}").family == FAMILIES[name]
    assert one(f"Word{{{{{name[0].lower()}{name[1:].replace(' ', '_')}|date=May 2020}}}}").family == FAMILIES[name]


@pytest.mark.parametrize(
    "wikitext",
    [
        "{{tl|Inconsistent}}",
        "{{Inconsistent citations}}",
        "{{INCONSISTENT}}",
        "{{inConsistent}}",
        "{{Contradiction (film)}}",
        "{{Disputed inline}}",
        "{{subst:Inconsistent}}",
        "{{safesubst:Inconsistent}}",
        "{{:Inconsistent}}",
        "{{{Inconsistent}}}",
        "{{User:Inconsistent}}",
        "{{Inconsistent/doc}}",
        "<!-- {{Inconsistent}} -->",
        "<!-- <ref>a</ref> {{Inconsistent}} -->",
        "<!-- {{Inconsistent}}",
        "<nowiki>{{Inconsistent}}</nowiki>",
        "<NOWIKI>{{Inconsistent}}</nowiki >",
        "<pre class=x>\n{{Inconsistent}}\n</pre>",
        "<syntaxhighlight lang=x>{{Inconsistent}}</syntaxhighlight>",
        "<source>{{Inconsistent}}</source>",
        "<math>{{Inconsistent}}</math>",
        "<timeline>{{Inconsistent}}</timeline>",
        "<templatedata>{{Inconsistent}}</templatedata>",
        "<includeonly>{{Inconsistent}}</includeonly>",
        "{{<nowiki/>Inconsistent}}",
        "Inconsistent",
        "",
    ],
)
def test_what_only_looks_like_a_tag_is_left_alone(wikitext):
    assert find_tags(wikitext) == []
    assert find_tags(f"Before {wikitext}") == []


@pytest.mark.parametrize(
    "wikitext",
    [
        f"<code>{INLINE}</code>",
        f"<nowiki/>{INLINE}",
        f"<ref name=a />{INLINE}<ref>b</ref>",
        f"<pre>never closed {INLINE}",
        f"{{{{Infobox never closed\n| a = {INLINE}",
        f"[[never closed {INLINE}",
        f"{{{{#if:x|{INLINE}}}}}",
        f"{{{{#tag:ref|x {INLINE}}}}}",
        f"[[a|[[b|{INLINE}]]]]",
        f"<poem>\n{INLINE}\n</poem>",
        f"{{{{{{1|{INLINE}}}}}}}",
        f"{{{{{INLINE}",
        f"{INLINE}}}}}",
    ],
)
def test_a_tag_is_found_in_odd_company(wikitext):
    tag = one(f"Words {wikitext} words.")
    assert INLINE in tag.paragraph
    assert INLINE not in tag.paragraph_clean


def test_the_families_can_be_those_of_another_wiki():
    assert one("Ein Satz{{Widerspruch|reason=a}}", families={"Widerspruch": "inconsistent"}).reason == "a"
    assert find_tags("A sentence{{Inconsistent}}", families={"Widerspruch": "inconsistent"}) == []
    assert find_tags("A sentence{{Inconsistent}}", families={}) == []


# --- What a tag says -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tag", "date", "reason"),
    [
        ("Inconsistent|date=May 2020", "May 2020", ""),
        ("Inconsistent| date = May 2020 | reason = two years ", "May 2020", "two years"),
        ("Inconsistent|date=May 2020}|reason=a", "May 2020", "a"),
        ("Inconsistent|date=May 2020<!-- bot -->", "May 2020", ""),
        ("Inconsistent|reason=a = b", "", "a = b"),
        ("Inconsistent|1=see below", "", "see below"),
        ("Inconsistent|infobox says Jan 1747|date=May 2020", "May 2020", "infobox says Jan 1747"),
        ("Inconsistent|April 2019", "April 2019", ""),
        ("Inconsistent|reason=[[A|b]] says {{lang|fr|c|d}}", "", "[[A|b]] says {{lang|fr|c|d}}"),
        ("Inconsistent|Reason=a|Date=May 2020", "May 2020", "a"),
        ("Inconsistent|reason=|about=b", "", "b"),
        ("Inconsistent|date=|date=May 2020", "May 2020", ""),
        ("Self-contradictory|section|date=May 2020", "May 2020", ""),
        ("Self-contradictory|lead section|about=c", "", "c"),
        ("Contradict-inline|date=May 2020|section=Coins_2", "May 2020", ""),
    ],
)
def test_date_and_reason_are_read(tag, date, reason):
    found = one(f"Words {{{{{tag}}}}} words.")
    assert (found.date, found.reason) == (date, reason)


@pytest.mark.parametrize(
    ("tag", "articles"),
    [
        ("Contradicts other|Foo bar|date=May 2020", ("Foo bar",)),
        ("Contradict-other|[[Foo]]", ("Foo",)),
        ("Contradict-other|section|[[:foo_bar#Part|label]]", ("foo bar",)),
        ("Contradicts other|Foo|Bar|article=Foo", ("Foo", "Bar")),
        ("Contradicts other|[[Foo]] and [[Bar]]", ("Foo", "Bar")),
        ("Contradicts other|about=a year", ()),
        ("Contradict|article=Tornadoes of 2010|about=a number", ("Tornadoes of 2010",)),
    ],
)
def test_the_other_articles_are_read(tag, articles):
    assert one(f"{{{{{tag}}}}}").other_articles == articles


# --- Paragraphs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wikitext", "placement", "paragraph"),
    [
        (f"One.\nTwo {INLINE} words.\nThree.", "paragraph", f"Two {INLINE} words."),
        (f"One{INLINE} and{{{{contradict-inline}}}}.", "paragraph", f"One{INLINE} and{{{{contradict-inline}}}}."),
        (f"One.\n{INLINE}\n\nTwo.", "paragraph", f"One. {INLINE}"),
        (f"One.\r\nTwo {INLINE} words.\r\n", "paragraph", f"Two {INLINE} words."),
        (f":Indented {INLINE}", "list item", f":Indented {INLINE}"),
        (f"==One==\n\n{INLINE}\nText.", "section banner", f"==One=={INLINE}"),
        (f"==One=={INLINE}", "section banner", f"==One=={INLINE}"),
        (f"==One==\nText.\n\n{{{{{'Contradict'}}}}}\n", "section banner", "==One=={{Contradict}}"),
        (f"{INLINE}\n'''Text.'''", "page banner", INLINE),
        ("<div>\n{{Contradict}}\n</div>", "page banner", "{{Contradict}}"),
        ("{{Infobox x|a=b}}{{Contradict}}\nText", "page banner", "{{Contradict}}"),
        ("{{Contradict}} Text.", "paragraph", "{{Contradict}} Text."),
        (f"[[File:A.jpg|thumb|left|Two [[b|words]] {INLINE}]] Text", "caption", f"Two words {INLINE}"),
        (f"==One==\n{{|\n| a\n|}} {INLINE}", "section banner", f"==One=={INLINE}"),
        (f"{{{{Infobox x|a=b|c = d {INLINE}|e=f}}}}", "infobox", f"|c = d {INLINE}"),
        (f"{{{{Taxobox\n|a=b\n|c=\n* d\n* e{INLINE}\n}}}}", "infobox", f"|c= d, e{INLINE}"),
        (f"{{{{Track listing\n| title1 = d{INLINE}\n| length1 = 3\n}}}}", "template", f"| title1 = d{INLINE}"),
        (f"{{{{Quote|One.\n\nTwo{INLINE}.}}}}", "paragraph", f"Two{INLINE}."),
        (f"{{{{blockquote|text=Two{INLINE}.|author=A}}}}", "paragraph", f"Two{INLINE}."),
        (
            f"{{{{Episode table|episodes=\n{{{{Episode list\n|Title=T\n|ShortSummary=Two{INLINE}.\n}}}}\n}}}}",
            "template",
            f"|ShortSummary=Two{INLINE}.",
        ),
        (f"One {{{{small|two {{{{nowrap|three{INLINE}}}}}}}}} four", "paragraph", f"One two three{INLINE} four"),
        (f"One.{{{{efn|Two{INLINE}.}}}}", "paragraph", f"One. Two{INLINE}."),
        (f"One.<ref>Two{INLINE}.</ref>", "reference", f"One. Two{INLINE}."),
        (f"<references>\n<ref name=a>One{INLINE}</ref>\n</references>", "reference", f"One{INLINE}"),
        (f"* {{{{cite book|title=One|year=1999{INLINE}}}}}", "list item", f"* One. 1999{INLINE}"),
        (f"{{|\n| a || b{INLINE} || \n|}}", "table", f"a\tb{INLINE}\t"),
        (f"{{|\n| 2014–<br>18{INLINE} || [[x|Maxi]]\n", "table", f"2014– 18{INLINE}\tMaxi"),
        (f"{{|\n! a !! style=x | b{INLINE}\n|-\n| c", "table", f"a\tb{INLINE}"),
        (f"{{|\n|-\n| never closed{INLINE}\n\n==One==\nText", "table", f"never closed{INLINE}"),
        (f"{{|\n|-\n| never closed\n\nText{INLINE}", "paragraph", f"Text{INLINE}"),
        (f"{{|\n| out\n{{|\n| in{INLINE}\n| b\n|}}\n|}}", "table", f"in{INLINE}\tb"),
        (f"{{|\n| 2014{INLINE} | Maxi || b\n|}}", "table", f"2014{INLINE} | Maxi\tb"),
        (f"{{|\n|\n* a\n* b{INLINE}\n| c\n|}}", "table", f"a, b{INLINE}\tc"),
        (f"<table><tr><td>a</td><td>b{INLINE}</td></tr></table>", "table", f"a\tb{INLINE}"),
        (f"<table>\n<tr>\n<td>a</td>\n<td>b{INLINE}</td>\n</tr>\n</table>", "table", f"a\tb{INLINE}"),
    ],
)
def test_the_paragraph_is_what_stands_around_the_tag(wikitext, placement, paragraph):
    found = next(tag for tag in find_tags(wikitext))
    assert (found.placement, found.paragraph) == (placement, paragraph)


def test_a_cell_that_spans_rows_is_read_in_each_of_them():
    rows = find_tags(f"{{|\n| rowspan=2 | 1800 || a{INLINE}\n|-\n| b{INLINE}\n|-\n| c{INLINE}\n|}}")
    assert [tag.paragraph_clean for tag in rows] == ["1800\ta", "1800\tb", "c"]


def test_a_banner_among_banners_has_itself_alone():
    first, second = find_tags("{{multiple issues|\n{{contradict}}\n{{contradicts other|B}}\n{{POV}}\n}}\nText.")
    assert (first.paragraph, first.paragraph_clean) == ("{{contradict}}", "")
    assert (second.paragraph, second.paragraph_clean) == ("{{contradicts other|B}}", "")


def test_sections_are_named_by_their_path():
    sections = "{t}\n== A ==\n=== ''B'' ===<!-- c -->\n{t}\n== C ==\n<!--\n== no ==\n-->{t}\n==== D ====\n{t}"
    found = find_tags(sections.replace("{t}", f"Text {INLINE}"))
    assert [tag.section for tag in found] == ["", "A > B", "C", "C > D"]


def test_a_paragraph_longer_than_any_book_s_is_cut_to_what_stands_around_the_tag():
    tag = one("word " * LONGEST_PARAGRAPH + INLINE + " word" * LONGEST_PARAGRAPH)
    assert INLINE in tag.paragraph
    assert len(tag.paragraph) < LONGEST_PARAGRAPH


def test_text_of_any_script_is_kept():
    tag = one(f"وُلد سنة ١٩٢٠{INLINE} في القاهرة 👩‍👩‍👧 日本.")
    assert tag.paragraph_clean == "وُلد سنة ١٩٢٠ في القاهرة 👩‍👩‍👧 日本."


# --- Any text --------------------------------------------------------------------------------------------------

PIECES = [
    INLINE, "{{contradict}}", "{{contradict-inline|reason=a [[b|c]] ''d''}}", "{{Incon<!-- x -->sistent}}",
    "{{", "}}", "[[", "]]", "|", "\n", "\n\n", "\n==H==\n", "=", "{|", "|}", "|-", "|+", "||", "!",
    "colspan=2 |", "rowspan=3 |", "<ref>", "</ref>", "<!--", "-->", "<nowiki>", "</nowiki>", "<pre>", "</pre>",
    "{{Infobox x", "name=", "[[File:a.jpg|thumb|", "'''", "* ", "# ", ": ", "text ", "é", "🎉", "مرحبا",
    "\ud800", "\0", "\r\n", "\t", "{{{", "}}}", "<br>", "&nbsp;", "&#10;", "<gallery>", "</gallery>",
    "{{multiple issues|", "{{efn|", "{{convert|5|km}}", "[http://x ", "<table>", "<tr>", "<td>", "{{#if:",
    "<references>", "</references>", "\uf8f0", "\uf000", "__TOC__", "{{plainlist|", "{{Quote|text=", "<poem>",
    "</poem>", "{{!}}", "{{!!}}", "{{(!}}", "{{!)}}", "{{!-}}", "{{=}}", "[[a|", "!!",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=40).map("".join))
def test_any_text_is_read_and_each_tag_stands_in_its_paragraph(wikitext):
    for tag in find_tags(wikitext):
        written = f"{{{{{tag.tag}}}}}"
        assert wikitext[tag.start : tag.end] == written
        assert written in tag.paragraph
        assert "\n" not in tag.paragraph.replace(tag.tag, "")


# --- Other languages ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "date", "reason"),
    [
        ("Inconsistent|Datum=Mai 2024|Grund=zwei Jahre", "Mai 2024", "zwei Jahre"),
        ("Inconsistent|Grund=a|März 2021", "März 2021", "a"),
        ("Inconsistent|3. Jänner 2020", "3. Jänner 2020", ""),
        ("Inconsistent|date=août 2023|raison=deux dates", "août 2023", "deux dates"),
        ("Inconsistent|1er février 2023|motif=b", "1er février 2023", "b"),
        ("Self-contradictory|Abschnitt|Datum=2024-05", "2024-05", ""),
    ],
)
def test_date_and_reason_are_read_in_german_and_french(written, date, reason):
    tag = one(f"Wort{{{{{written}}}}}")
    assert (tag.date, tag.reason) == (date, reason)


def test_a_language_s_templates_count_in_its_wikis():
    source = "{{Widerspruch|Artikel|[[Blauer Wildbacher]]|Disk=Diskussion:Schilcher}}\n\n'''Schilcher''' ist Wein."
    assert find_tags(source) == []
    (tag,) = find_tags(source, families=FAMILIES | families_of("de-at"))
    assert (tag.family, tag.other_articles, tag.reason) == ("contradict-other", ("Blauer Wildbacher",), "")
    assert families_of("tlh") == {}
