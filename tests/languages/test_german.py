"""The German catalog keeps one word for one thing, and writes numbers, quotations and addresses as German does."""

import re
from collections.abc import Iterator

import pytest

from docs import messages

# English and the German for it that we gave up, with what to say instead: the glossary of docs/languages.md.
GIVEN_UP = [
    (r"\btags?\b", r"\b(Tags?|Etikett\w*)\b", "Markierung"),
    (r"\bcheck tags?\b", r"\bPrüfmarkierung", "Kontrollmarkierung"),
    (r"\bcheck items?\b", r"\bPrüff[aä]ll", "Kontrollfall"),
    (r"\btag types?\b", r"\bArt(en)? (der|von) Markierung", "Markierungsart"),
    (r"\bpassages?\b", r"\bPassage", "Textstelle"),
    (r"\bdesk\b", r"\b(Schreibtisch|Pult)", "Arbeitsplatz"),
    (r"\bguideline\b", r"\b(Richtlinie|Guideline)", "Leitfaden"),
    (r"\bdumps?\b", r"\bAbz[uü]g", "Dump"),
    (r"\bitems?\b", r"\bElemente?\b", "Item"),
    (r"\breleases? \{number\}", r"\bVeröffentlichung \{", "Release"),
    (r"\bharvest", r"\bAbruf\b", "Ernte"),
    (r"\bsubmit", r"\b(abschick|absend|übermittel)", "einreichen"),
    (r"\bresponses?\b", r"\bResponses?\b", "Antwort"),
    (r"\bverdicts?\b", r"\b(Verdikt|Verdict)", "Urteil"),
    (r"\bjudge models?\b", r"\b(Judge|Richtermodell|Bewertermodell)", "Urteilsmodell"),
    (r"\badjudicat", r"\b(Schlichtung|Adjudi[zk])", "Schiedsentscheid"),
    (r"\bdisagreements?\b", r"\bMeinungsverschieden", "strittiger Fall"),
    (r"\breassign", r"neu zu(ge)?w[ei]+sen", "neu zuteilen"),
    (r"\bquotas?\b(?! is left)", r"\bKontingent", "Pensum"),
    (r"\bhuman evaluation", r"\bmenschliche Auswertung", "menschliche Bewertung"),
    (r"\bresolved passages?", r"\baufgelöst", "bereinigt"),
    (r"\breaders?\b", r"\bLeser\b", "Leseverfahren"),
    (r"\brefusals?\b", r"\bWeigerung", "Verweigerung"),
    (r"\bclock\b", r"\bUhr\b", "Taktgeber"),
    (r"\boperators?\b", r"\bBetrieb\b", "Systemverwaltung"),
    (r"\bclaims?\b", r"\b(Claims?|These)\b", "Behauptung"),
    (r"\bcontradicted\b", r"\b[Ww]idersprochene", "widersprechend, oder: dem widersprochen wird"),
    (r"\bscroll", r"\brollen\b|\bRollbar", "scrollen"),
    (r"\boptional\b(?<!Practice is optional)", r"\b[Ff]reiwillig", "optional"),
]
# Word for word, but no German.
STILTED = [
    (r"\b[Nn]ichts (wurde|war) ", "Es wurde nichts …"),
    (r"\bSagen Sie, ", "Geben Sie an, "),
    (r"[Tt]okens (hinein|heraus)\b", "Eingabe-Tokens, Ausgabe-Tokens"),
    (r"\bIm Gang\b", "In Arbeit"),
    (r"\bmachen? (einen|eine|ein) (Release|Lauf|Runde)", "erstellen, starten, beginnen"),
]
# How German writes what English writes otherwise; the pattern is what must not be there.
WRITTEN = {
    "a comma before decimals": r"\b0\.\d",
    "a point between thousands": r"\d,\d{3}\b",
    "a space before the percent sign": r"[\d}]%",
    "an ellipsis, not three dots": r"(?<!/)\.\.\.",
    "a space before an ellipsis after a word": r"\w\w…(?!\w|“)",
    "no English quotation marks": r"[”‘]|“\w",
    "no apostrophe before an s": r"\w['’]s\b",
    "Sie": r"\b([Dd]u|[Dd]eine?[mnrs]?|[Dd]ich|[Dd]ir|[Ee]uch|[Ee]ure?[mnrs]?)\b",
    "no doubled space": r"  ",
    "no space before punctuation": r"\w [,;:!](?!\w)",
}
# Not German, but parts of addresses, names and JSON.
NAMES = re.compile(r"https?://\S+|<(\w+)>[^<]*</\1>|CC BY-SA [\d.]+|OpenAPI [\d.]+|\{\"[^}]*\}")


def pairs() -> Iterator[tuple[str, str]]:
    """The messages with their German, each form for itself."""
    for message in messages.catalog_of("de"):
        if message.id:
            english, german = (
                [each] if isinstance(each, str) else list(each) for each in (message.id, message.string)
            )
            yield from zip(english, german, strict=True)


def test_one_word_stands_for_one_thing():
    found = [
        f"{english!r}: {german!r}: say {instead}"
        for english, german in pairs()
        for word, given_up, instead in GIVEN_UP
        if re.search(word, english, re.IGNORECASE) and re.search(given_up, german)
    ]
    assert found == []


def test_no_sentence_is_taken_word_for_word():
    found = [
        f"{german!r}: {instead}"
        for _, german in pairs()
        for stilted, instead in STILTED
        if re.search(stilted, german)
    ]
    assert found == []


@pytest.mark.parametrize(("rule", "wrong"), WRITTEN.items())
def test_it_is_written_as_german_is(rule, wrong):
    assert [german for _, german in pairs() if re.search(wrong, NAMES.sub("x", german))] == [], rule


def test_quotation_marks_come_in_pairs():
    assert [german for _, german in pairs() if re.sub("[^„“]", "", german).replace("„“", "")] == []


def test_a_sentence_ends_where_the_english_one_does():
    """Abbreviations of units end with a point that is none, and a question may be asked as one."""
    unlike = [(english, german) for english, german in pairs() if ends(english) != ends(german)]
    assert [german for _, german in unlike if not re.search(r"\bMin\.$|\?</a>\.?$", german)] == []


def ends(text: str) -> str:
    return text[-1] if text[-1] in ".:?!" else ""


def test_spaces_at_the_ends_are_those_of_english():
    # A comma of English may be a word in German.
    assert [
        german
        for english, german in pairs()
        if (english[:1] in " ,;:", english[-1:] == " ") != (german[:1] in " ,;:", german[-1:] == " ")
    ] == []


@pytest.mark.parametrize(
    ("german", "is_wrong"),
    [
        ("„Paper“, 5 % und 0,05", False),
        ("0.05", True),
        ("5%", True),
        ("“Paper”", True),
        ("Warten...", True),
        ("dein", True),
    ],
)
def test_the_rules_see_what_they_forbid(german, is_wrong):
    assert any(re.search(wrong, german) for wrong in WRITTEN.values()) == is_wrong
