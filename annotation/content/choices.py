"""Shows the options of the four dimensions to people: in full words, in groups by level. Files keep the published
strings.
"""

from collections.abc import Collection

from .. import taxonomy

_LEVELS = (
    ("(PhraseLevel) Entity - ", "Phrase level: an entity"),
    ("(PhraseLevel) ", "Phrase level: not an entity"),
    ("(DiscourseLevel) ", "Discourse level: over several sentences"),
)
# Name and what belongs to it. Abbreviations of the published strings are spelt out, and can still be searched for.
_SAID = {
    "DATE": ("Date/time", "dates, times, durations"),
    "LOC": ("Location", "countries, states, cities (GPE: geopolitical entities), mountains, waters"),
    "NUM": ("Number", "counts, amounts, ranks, measures"),
    "ORG": ("Organization", "companies, agencies, institutions, clubs"),
    "PER": ("Person", ""),
    "NORP": ("Nationality, religious or political group", "NORP"),
    "FAC": ("Facility", "FAC: buildings, airports, highways, bridges"),
    "WORK": ("Work of art", "titles of books, songs, films"),
    "PROD": ("Product", "objects, vehicles, foods"),
    "LAW": ("Law", "named documents made into laws"),
    "LANG": ("Language", "any named language"),
    "EVT": ("Event", "named hurricanes, battles, wars, sports events"),
    "ENT": ("Other entity", "names of any other kind"),
    "NP": ("Noun phrase", "noun phrase that is not a name: “monotypic” against “differs from species to species”"),
    "REL": ("Event or relation", "a verb: “stimulates” against “inhibits”"),
    "DISC-NP": ("Noun phrase across sentences", "“five periods” against the three that are described"),
    "DISC-REL": ("Event or relation across sentences", "“was disbanded” against what is said to have happened next"),
}


def said(option: taxonomy.Option) -> tuple[str, str, str]:
    """The option's level ("" if its dimension has none), its name, and its explanation."""
    published = option.display
    level = next((name for prefix, name in _LEVELS if published.startswith(prefix)), "")
    if option.code in _SAID and level:
        return (level, *_SAID[option.code])
    name, bracket, aside = published.partition(" (")
    return level, name, aside.rstrip(")") if bracket else ""


def in_words(option: taxonomy.Option) -> str:
    """The option on one line, without abbreviations."""
    level, name, aside = said(option)
    return name if level or not aside else f"{name} ({aside})"


def names_of(dimension: taxonomy.Dimension, codes: Collection[str]) -> list[str]:
    """The options with these codes in words, in the dimension's order."""
    return [in_words(option) for option in dimension.options if option.code in codes]


def as_text(name: str, value: str | Collection[str]) -> str:
    """The value of the form's field with this name as text: each choice on a line."""
    return value if isinstance(value, str) else "\n".join(names_of(taxonomy.BY_KEY[name], value))
