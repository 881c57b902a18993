"""A paragraph is what readers see: markup is gone, and no number or word is lost with a template."""

import pytest

from annotation.wikitext.tags import find_tags

TAG = "{{Inconsistent}}"


def read(wikitext: str) -> str:
    """The readable text of a line of wikitext, found by way of a tag at its end."""
    (tag,) = find_tags(f"Line: {wikitext}.{TAG}")
    assert tag.paragraph == tag.paragraph_clean + TAG
    return tag.paragraph_clean.removeprefix("Line: ").removesuffix(".")


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("'''bold''', ''italic'', '''''both''''' and ''''quoted''''", "bold, italic, both and 'quoted'"),
        ("[[a]], [[a|b]]s, [[a#c|d]], [[:Category:E]] and [[a|'b' ''c'']]", "a, bs, d, Category:E and 'b' c"),
        ("a[[Category:X]][[File:X.jpg|thumb|never shown]][[Datei:X.png]]b", "ab"),
        ("[[:File:X.jpg|the picture]], [[Media:X.ogg|the sound]]", "the picture, the sound"),
        ("[https://example.org/a?b=c the site], [https://example.org], [//example.org/ b] c", "the site, , b c"),
        ("a<ref>one</ref><ref name='x' /><ref name=y>\ntwo\n\nlines</ref> b", "a b"),
        ("a<!-- one\n\ntwo --> b", "a b"),
        ("a<br>b<br />c <br/> d", "a b c d"),
        ("<small>a</small> <span style='x'>b</span><sup>2</sup> <u>c</u> d < e > f", "a b² c d < e > f"),
        ("a &amp; b&nbsp;c &lt;ref&gt; &#8211; &eacute; &unknown;", "a & b\u00a0c <ref> – é &unknown;"),
        ("<nowiki>''a'' [[b]] {{c}}</nowiki> <nowiki/>d", "''a'' [[b]] {{c}} d"),
        ("<math>x^2</math> and <chem>H2O</chem>", "x^2 and H2O"),
        ("a<templatestyles src=x />b<score>c</score>d", "abd"),
        ("a __NOTOC__b snake__case__x", "a b snake__case__x"),
        ("{{{1|default}}}{{{2}}}", "default"),
        ("a  b\tc", "a  b\tc"),
        ("5'10'' is a height", "5'10 is a height"),
    ],
)
def test_markup_is_taken_away(wikitext, text):
    assert read(wikitext) == text


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("{{convert|5|km|mi}}", "5 km"),
        ("{{Convert|5.5|km|mi|abbr=on}}", "5.5 km"),
        ("{{convert|1,200|to|1,500|sqmi}}", "1,200 to 1,500 sq mi"),
        ("{{convert|5|-|7|acre}}", "5–7 acres"),
        ("{{convert|3|x|4|m}}", "3 × 4 m"),
        ("{{cvt|6|ft|2+1/2|in|m}}", "6 ft 2+1/2 in"),
        ("{{convert|100|C|F}}", "100 °C"),
        ("{{convert|60}}", "60"),
        ("{{val|1.5|0.2|e=6|u=kg}}", "1.5 ± 0.2 × 10⁶ kg"),
        ("{{frac|1|2}}, {{frac|3}}, {{sfrac|2|3|4}}", "1/2, 1/3, 2 3/4"),
        ("{{height|ft=6|in=2}}, {{duration|m=3|s=5}}, {{duration|1|2|3}}", "6 ft 2 in, 3:05, 1:02:03"),
        ("{{USD|5 million}}, {{£|10}}, {{INR|7}}, {{EUR|8}}", "US$5 million, £10, ₹7, €8"),
        ("{{formatnum:1234}}", "1234"),
        ("{{birth date|1950|1|2}}", "January 2, 1950"),
        ("{{birth date and age|df=yes|1950|01|02}}", "2 January 1950"),
        ("{{death date and age|1999|12|31|1920|3|4}}", "December 31, 1999"),
        ("{{start date|2001|9}}, {{birth year and age|1950}}", "September 2001, 1950"),
        ("{{dts|2004-05-01}}, {{dts|2004|5|1}}, {{date|1 May 2004}}", "1 May 2004, 1 May 2004, 1 May 2004"),
        ("{{as of|2010|3}}, {{as of|2010|lc=y}}, {{as of|2010|alt=in 2010}}",
         "As of March 2010, as of 2010, in 2010"),
        ("{{circa|1900}}, {{circa|1900|1910}}, {{c.|1800}}", "c. 1900, c. 1900 – c. 1910, c. 1800"),
        ("{{floruit|1900}}, {{reign|1900|1910}}, {{b.|1900}}", "fl. 1900, r. 1900–1910, b. 1900"),
        ("{{nowrap|a {{small|b}} '''c'''}}, {{nowrap|1=d = e}}", "a b c, d = e"),
        ("{{lang|fr|''mot''}}, {{lang-de|Wort}}, {{langx|el|λόγος}}, {{transl|ru|slovo}}", "mot, Wort, λόγος, slovo"),
        ("{{abbr|no.|number}}, {{tooltip|a|b}}, {{sic|recieve|d}}", "no., a, recieved"),
        ("{{ill|Max Muster|de}}, {{ill|Max Muster|de|lt=Muster}}", "Max Muster, Muster"),
        ("{{USS|Enterprise|CV-6}}, {{HMS|Hood}}, {{ship|SS|Great Eastern}}, {{SMU|U-20}}",
         "USS Enterprise (CV-6), HMS Hood, SS Great Eastern, SM U-20"),
        ("{{USS|Enterprise|CV-6|6}}, {{ship|HMS|Hood|51|2}}", "USS Enterprise, Hood"),
        ("aged {{age|1950|5|1|2000|4|30}}, {{age|1950|5|1}}, {{percentage|1|4}}", "aged 49, , 25%"),
        ("{{font color|red|blue|a}}, {{audio|A.ogg|b}}, {{IPA|fr|mo}}, {{transl|ru|ISO|c}}", "a, b, mo, c"),
        ("{{some new template|1=a = b}}", "a = b"),
        ("{{sclass|Iowa|battleship}}", "Iowa-class battleship"),
        ("a{{snd}}b{{ndash}}c{{mdash}}d{{'}}e{{nbsp}}f{{'s}}", "a – b–c—d'e\u00a0f's"),
        ("{{hlist|a|b|[[c]]}}, {{ubl|d|e}}, {{gaps|1|234}}", "a, b, c, d, e, 1234"),
        ("{{flag|France}}, {{flagicon|FRA}} b, {{FRA}}", "France,  b, FRA"),
        ("{{sortname|Ada|Lovelace}}, {{sort|1|one}}", "Ada Lovelace, one"),
        ("{{yes}}, {{no|Never}}, {{n/a}}", "Yes, Never, N/A"),
        ("{{zh|c=中文|p=zhōngwén}}, {{nihongo|Tokyo|東京|Tōkyō}}", "中文, zhōngwén, Tokyo (東京, Tōkyō)"),
        ("{{citation needed span|a claim|date=May 2020}}", "a claim"),
        ("{{blockquote|text=said}}", "said"),
        ("{{cite book|last=A|first=B|title=C|year=1999}}", "A, B. C. 1999"),
        ("{{harvtxt|Smith|Jones|2000|p=5}}", "Smith & Jones (2000)"),
        ("{{some new template|word|kind=x}}", "word"),
    ],
)  # fmt: skip
def test_templates_read_as_they_are_shown(wikitext, text):
    assert read(wikitext) == text


@pytest.mark.parametrize(
    "wikitext",
    [
        "{{citation needed|date=May 2020}}",
        "{{cn}}",
        "{{Better source needed|reason=a}}",
        "{{who?}}",
        "{{clarify|what?}}",
        "{{disputed inline|b}}",
        "{{unreliable source?|b}}",
        "{{sfn|Smith|2000|p=5}}",
        "{{efn|a note}}",
        "{{rp|12}}",
        "{{r|name}}",
        "{{refn|group=a|b}}",
        "{{#tag:ref|a note}}",
        "{{IPAc-en|h|o}}",
        "{{IPA-fr|mo}}",
        "{{coord|1|2|N}}",
        "{{anchor|here}}",
        "{{inflation-fn|UK}}",
        "{{Infobox x|a}}",
        "{{some new template|only=named}}",
        "{{void}}",
    ],
)
def test_notes_and_remarks_are_no_part_of_the_paragraph(wikitext):
    assert read(f"a{wikitext} b") == "a b"


def test_a_tag_within_a_template_that_shows_nothing_brings_its_argument_along():
    (tag,) = find_tags(f"One{{{{citation needed|reason=two{TAG}|date=May 2020}}}}.")
    assert tag.paragraph == f"One two{TAG}."


def test_templates_within_templates_end_somewhere():
    (tag,) = find_tags("{{nowrap|" * 200 + "deep" + "}}" * 200 + TAG)
    assert TAG in tag.paragraph
