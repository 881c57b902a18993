"""Differences between the wikis of each language: templates, the names of their parameters, months. Data only.

A wiki's own templates come from its language and from the redirects it reports. Parameters and months are recognised
in all of these languages everywhere: a dump does not say its language, and none of the words means something else in
another. To add a language, add an entry; docs/extraction.md says which names are certain.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """The words of one language: templates as `families.normalise_name` names them, everything else in lower case."""

    # Template to family, besides the English ones of `families.SPELLINGS`.
    families: tuple[tuple[str, str], ...] = ()
    date: tuple[str, ...] = ()
    reason: tuple[str, ...] = ()
    other: tuple[str, ...] = ()  # the article that is contradicted; numbers may follow
    talk: tuple[str, ...] = ()
    # Things that a banner may apply to; they are neither a reason nor an article.
    extent: tuple[str, ...] = ()
    # January to December, each with its other spellings and abbreviations.
    months: tuple[tuple[str, ...], ...] = ()
    # Parts of words that readers see in a tag of any family.
    says: tuple[str, ...] = ()


LANGUAGES = {
    "en": Language(
        date=("date",),
        reason=("reason", "about"),
        other=("article", "other"),
        talk=("talk", "talkpage", "discuss"),
        extent=(
            "article", "articles", "section", "sections", "subsection", "page", "paragraph", "sentence", "statement",
            "list", "lists", "table", "tables", "infobox", "lead", "lede", "intro", "introduction", "template",
            "timeline", "chart", "gallery", "plot", "part", "parts", "this", "the", "sub", "and", "or", "of",
        ),
        months=(
            ("january", "jan"), ("february", "feb"), ("march", "mar"), ("april", "apr"), ("may",), ("june", "jun"),
            ("july", "jul"), ("august", "aug"), ("september", "sept", "sep"), ("october", "oct"),
            ("november", "nov"), ("december", "dec"),
        ),
        says=("contradic", "inconsisten"),
    ),
    "de": Language(
        families=(("Widerspruch", "contradict-other"), ("Widersprüchlich", "self-contradictory")),
        date=("datum",),
        reason=("grund", "begründung", "kommentar"),
        other=("artikel",),
        talk=("disk", "diskussion"),
        extent=("artikel", "abschnitt", "seite", "absatz", "satz", "liste", "tabelle", "einleitung", "dieser", "der"),
        months=(
            ("januar", "jänner"), ("februar", "feber"), ("märz", "mär"), ("april",), ("mai",), ("juni",), ("juli",),
            ("august",), ("september",), ("oktober", "okt"), ("november",), ("dezember", "dez"),
        ),
        says=("widerspr",),
    ),
    "fr": Language(
        families=(
            ("Passage contradictoire", "inconsistent"),
            ("Incohérence", "inconsistent"),
            ("Contradiction", "self-contradictory"),
            ("Article contradictoire", "self-contradictory"),
            ("Section contradictoire", "self-contradictory"),
        ),
        date=("date",),
        reason=("raison", "motif", "explication"),
        other=("article", "autre"),
        talk=("discussion", "pdd"),
        extent=("article", "section", "page", "paragraphe", "passage", "phrase", "liste", "tableau", "cet", "cette"),
        months=(
            ("janvier", "janv"), ("février", "fév", "févr"), ("mars",), ("avril", "avr"), ("mai",), ("juin",),
            ("juillet", "juil"), ("août", "aout"), ("septembre",), ("octobre",), ("novembre",), ("décembre", "déc"),
        ),
        says=("contradictoire", "incohér"),
    ),
}  # fmt: skip

DATE = tuple(dict.fromkeys(name for one in LANGUAGES.values() for name in one.date))
REASON = tuple(dict.fromkeys(name for one in LANGUAGES.values() for name in one.reason))
OTHER = tuple(dict.fromkeys(name for one in LANGUAGES.values() for name in one.other))
TALK = tuple(dict.fromkeys(name for one in LANGUAGES.values() for name in one.talk))
EXTENT = frozenset(name for one in LANGUAGES.values() for name in one.extent)
MONTHS = {
    name: number for one in LANGUAGES.values() for number, names in enumerate(one.months, start=1) for name in names
}


def families_of(language: str) -> dict[str, str]:
    """Template name to family, for the templates specific to wikis in this language (`de`, `de-at`)."""
    known = LANGUAGES.get(language.partition("-")[0].lower())
    return dict(known.families) if known else {}
