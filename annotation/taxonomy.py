"""The four dimensions of a contradiction (WikiContradict, NeurIPS 2024, section 3.2 and appendix A).

`published` is the exact option string of the paper's labelling configuration and of the released file: two of them
end with a blank, which files keep and pages do not show. Everything inside the application compares codes.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    code: str
    published: str
    definition: str

    @property
    def display(self) -> str:
        return self.published.strip()


@dataclass(frozen=True, slots=True)
class Dimension:
    code: str
    key: str
    name: str
    question: str
    options: tuple[Option, ...]
    multiple: bool = False

    def option(self, code: str) -> Option:
        """The option with this code. Raises KeyError if there is none."""
        return {option.code: option for option in self.options}[code]

    def from_published(self, text: str) -> Option | None:
        """The option whose published string this is, ignoring blanks at the ends; None if unknown."""
        return _BY_PUBLISHED[self.code].get(" ".join(text.split()))


SEMANTIC_TYPE = Dimension(
    code="semantic_type",
    key="Contradict type I",
    name="Semantic Type",
    question="What kind of expression is the conflict about?",
    multiple=True,
    options=(
        Option(
            "DATE",
            "(PhraseLevel) Entity - Date/time",
            "Two named dates, times or durations exclude each other; correcting one of them fixes the text.",
        ),
        Option(
            "LOC",
            "(PhraseLevel) Entity - Location/GPE (Non-GPE locations, mountain ranges, bodies of water, and Countries, cities, states)",
            "Two places exclude each other: countries, states, cities, or natural features such as mountains and waters.",
        ),
        Option("NUM", "(PhraseLevel) Entity - Number", "Two counts, amounts, ranks or measures exclude each other."),
        Option(
            "ORG",
            "(PhraseLevel) Entity - Organization (Companies, agencies, institutions, etc.)",
            "Two organisations exclude each other: companies, agencies, institutions, clubs.",
        ),
        Option("PER", "(PhraseLevel) Entity - Person", "Two persons exclude each other."),
        Option(
            "NORP",
            "(PhraseLevel) Entity - NORP (Nationalities or religious or political groups)",
            "Two nationalities, religious or political groups exclude each other.",
        ),
        Option(
            "FAC",
            "(PhraseLevel) Entity - FAC (Buildings, airports, highways, bridges, etc.)",
            "Two built facilities exclude each other: buildings, airports, roads, bridges.",
        ),
        Option(
            "WORK",
            "(PhraseLevel) Entity - Work-of-Art (Titles of books, songs, etc.)",
            "Two titles of works exclude each other: books, songs, films.",
        ),
        Option(
            "PROD",
            "(PhraseLevel) Entity - Product (Titles of books, songs, etc.)",
            "Two products exclude each other. The bracket in the paper repeats that of Work-of-Art (a slip in the source); OntoNotes means objects, vehicles, foods and the like.",
        ),
        Option(
            "LAW",
            "(PhraseLevel) Entity - Law (Named documents made into laws)",
            "Two named laws or legal documents exclude each other.",
        ),
        Option(
            "LANG", "(PhraseLevel) Entity - Language (Any named language)", "Two named languages exclude each other."
        ),
        Option(
            "EVT",
            "(PhraseLevel) Entity - Event (Named hurricanes, battles, wars, sports events, etc.)",
            "Two named events exclude each other: storms, battles, wars, matches.",
        ),
        Option("ENT", "(PhraseLevel) Entity - Other", "Two named entities of any other kind exclude each other."),
        Option(
            "NP",
            "(PhraseLevel) NP-related (non-entity)",
            "Two noun phrases that are not names exclude each other, for example monotypic against differing from species to species.",
        ),
        Option(
            "REL",
            "(PhraseLevel) Event/Relation (e.g., verb)",
            "Two verb phrases state events or relations that exclude each other, for example stimulates against inhibits.",
        ),
        Option(
            "DISC-NP",
            "(DiscourseLevel) NP-related ",
            "The conflict reaches beyond one sentence: a noun phrase in passage 1 (five periods) against what several sentences of passage 2 add up to (three sections).",
        ),
        Option(
            "DISC-REL",
            "(DiscourseLevel) Event/Relation-related ",
            "The conflict reaches beyond one sentence: a verb phrase in passage 1 (was disbanded) against a chain of events told over several sentences of passage 2.",
        ),
    ),
)

MODALITY = Dimension(
    code="modality",
    key="Contradict type II",
    name="Modality",
    question="What kind of source is each passage?",
    options=(
        Option("TT", "Text - Text", "Both passages are running text."),
        Option(
            "TI",
            "Text - Infobox/table",
            "One passage is running text, the other a row of an infobox or table (written out as text in the stand-alone passage).",
        ),
        Option("II", "Infobox/table - Infobox/table", "Both passages come from infobox or table rows."),
        Option("OTHER", "Other", "Any other pairing of sources."),
    ),
)

ORIGIN = Dimension(
    code="origin",
    key="Contradict type III",
    name="Origin",
    question="Do both passages come from one article?",
    options=(
        Option("SAME", "Within the same article", "Both passages stand in one article."),
        Option(
            "CROSS",
            "Across different articles",
            "The passages come from two articles, also when these are two language editions.",
        ),
    ),
)

REASONING_TYPE = Dimension(
    code="reasoning_type",
    key="Contradict type IV",
    name="Reasoning Type",
    question="Is the conflict stated, or must it be inferred?",
    options=(
        Option("EXP", "Explicit", "The conflict is stated; comparing the two passages shows it."),
        Option(
            "IMP",
            "Implicit (reasoning required)",
            "The conflict appears only after inference: arithmetic, world knowledge, or combining several statements.",
        ),
    ),
)

DIMENSIONS = (SEMANTIC_TYPE, MODALITY, ORIGIN, REASONING_TYPE)
BY_CODE = {dimension.code: dimension for dimension in DIMENSIONS}
BY_KEY = {dimension.key: dimension for dimension in DIMENSIONS}
_BY_PUBLISHED = {
    dimension.code: {" ".join(option.published.split()): option for option in reversed(dimension.options)}
    for dimension in DIMENSIONS
}
