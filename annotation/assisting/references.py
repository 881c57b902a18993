"""Finds words in a passage that may need context to be understood, and possible replacements.

A small rule set for English that works offline: pronouns, definite noun phrases ("the bridge"), a person's last name
alone, and words for a time or location mentioned before ("that year", "there"), in the first sentence; and a row of
an infobox as a whole. It underlines; the annotator decides. Text in, offsets out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..reading.sentences import sentences
from .reference_words import HEADS, PERSONS, STOP, UNIQUE
from .rows import in_words

PRONOUN, NOUN_PHRASE, SHORT_NAME, TIME_OR_LOCATION = "pronoun", "noun phrase", "short name", "time or location"
ROW = "row"

_POSSESSIVE = {"his", "its", "their", "hers", "theirs"}
_PLURAL = {"they", "them", "their", "theirs"}
_OF_PERSONS = {"he", "him", "his", "she", "her", "hers"}
_PRONOUNS = {"he", "she", "it", "they", "him", "them", "her"} | _POSSESSIVE
# "It is said that", "it was not until": this `it` refers to nothing.
_EMPTY_IT = re.compile(
    r"it\s+(?:is|was|has\s+been|had\s+been|became|remains|seems|appears)\s+(?:also\s+|often\s+|now\s+|generally\s+|"
    r"widely\s+|not\s+)?(?:(?:\w+ed|said|thought|known|held|written|shown|found)\s+(?:that|whether)\b|until\b|that\b|"
    r"(?:true|clear|possible|impossible|likely|unlikely|unclear|unknown|necessary|common|rare)\b)",
    re.IGNORECASE,
)
_LATTER = re.compile(r"\b[Tt]he\s+(?:former|latter|same|two|three|other|others|rest|pair|trio)\b(?!\s+of\b)")
_TIME_OR_LOCATION = re.compile(
    r"\b(?:(?:that|the\s+same|the\s+following|the\s+previous|the\s+next|this)\s+"
    r"(?:year|month|day|week|time|season|period|decade|century|date|place|location|spot)"
    r"|(?:a|one|two|three|several|some|many|few|\d+)\s+(?:years?|months?|days?|weeks?|decades?)\s+(?:later|earlier|before)"
    r"|there(?!\s+(?:is|was|are|were|has|had|have|will|would|may|might|can|could|exists?|remains?|remained|seems?))"
    r"|then|here)\b",
    re.IGNORECASE,
)
_DEMONSTRATIVE = re.compile(
    r"\b(?:[Tt]his|[Tt]hese|[Tt]hose)\b(?!\s+(?:who|that|which|of)\b)(?P<words>(?:\s+[a-z][\w-]*){0,3})"
)
# "the second largest city", "the only bridge": these are complete.
_SUPERLATIVE = re.compile(r"\w+est|most|least|only|first|second|third|\w+th|last")
_NO_SUPERLATIVE = {
    "forest",
    "guest",
    "harvest",
    "month",
    "nest",
    "north",
    "quest",
    "rest",
    "south",
    "test",
    "west",
    "youth",
}
_DEFINITE = re.compile(r"\b[Tt]he\s+(?P<words>[a-z][\w-]*(?:\s+[a-z][\w-]*){0,4})")


@dataclass(frozen=True, slots=True)
class Reference:
    """Words in a passage that may refer to something outside it; `replacement` is empty if no title fits."""

    start: int
    end: int
    text: str
    kind: str
    replacement: str = ""


def find_references(passage: str, title: str = "") -> list[Reference]:
    """The words in the first sentence of `passage` that may need resolving, in order and without overlaps.

    `title` is the article's: it becomes the replacement, and its words tell which nouns may refer to it.
    """
    if said := in_words(passage, name_of(title)):
        start = len(passage) - len(passage.lstrip())
        return [Reference(start, len(passage.rstrip()), passage.strip(), ROW, said)]
    sentence = passage[: first_sentence_end(passage)]
    found: list[Reference] = []
    for reference in (
        *_times(sentence),
        *_phrases(sentence, title),
        *_names(sentence, title),
        *_pronouns(sentence, title),
    ):
        if all(reference.end <= other.start or other.end <= reference.start for other in found):
            found.append(reference)
    return sorted(found, key=lambda reference: reference.start)


def first_sentence_end(text: str) -> int:
    """The offset at which the first sentence ends; one ends with its line at the latest."""
    line = re.match(r"\s*.*", text)
    first = sentences(line[0]) if line else []
    return first[0].end if first else len(text)


def name_of(title: str) -> str:
    """The title as it reads in a sentence: `Mercury (planet)` is Mercury."""
    return re.sub(r"\s*\([^()]*\)$", "", title.replace("_", " ")).strip()


def _pronouns(sentence: str, title: str) -> Iterator[Reference]:
    """The pronouns. One after the subject's own name is taken to mean the subject, and left alone."""
    name = name_of(title)
    own = {word for word in re.findall(r"\w+", name) if len(word) > 3}
    named = min((match.start() for match in re.finditer(r"\w+", sentence) if match[0] in own), default=len(sentence))
    for match in re.finditer(r"\b[A-Za-z]+\b", sentence[:named]):
        word = match[0].lower()
        if word not in _PRONOUNS or (match[0].isupper() and len(word) > 1):
            continue
        if word == "it" and _EMPTY_IT.match(sentence, match.start()):
            continue
        is_possessive = word in _POSSESSIVE or _owns(word, sentence[match.end() :])
        fitting = name if _agrees(word, title) else ""
        replacement = _possessive(fitting) if is_possessive else fitting
        yield Reference(match.start(), match.end(), match[0], PRONOUN, replacement)


def _agrees(pronoun: str, title: str) -> bool:
    """Return whether the pronoun can refer to the article's subject: he and she for a person, they for several, it
    for one thing.
    """
    if pronoun in _PLURAL:
        return _is_plural(title)
    if pronoun in _OF_PERSONS:
        return _is_person(title)
    return not _is_plural(title)


def _is_person(title: str) -> bool:
    """Return whether the title reads like a person's name: two to four capitalised words, none of them a kind of
    thing.
    """
    words = name_of(title).split()
    kinds = {_singular(word.lower()) for word in words} & HEADS
    is_named = 2 <= len(words) <= 4 and all(word[0].isupper() and word.isalpha() for word in words)
    return is_named and not kinds and words[0] != "The"


def _is_plural(title: str) -> bool:
    last = name_of(title).lower().rpartition(" ")[2]
    return last.endswith("s") and not last.endswith(("ss", "us", "is", "series", "'s")) and not _is_person(title)


def _owns(word: str, rest: str) -> bool:
    """Return whether this `her` is possessive."""
    following = re.match(r"\s+([A-Za-z]+)", rest)
    return word == "her" and following is not None and following[1] not in STOP


def _possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s" if name else ""


def _names(sentence: str, title: str) -> Iterator[Reference]:
    """The last name alone, if the title reads like a person's name: two to four words, all capitalised."""
    name = name_of(title)
    words = name.split()
    if (
        not 2 <= len(words) <= 4
        or not all(word[0].isupper() and word.isalpha() for word in words)
        or name in sentence
    ):
        return
    match = re.search(rf"(?<![\w-])(?<![A-Z]\. ){re.escape(words[-1])}(?![\w-])(?!\s+[A-Z])", sentence)
    before = re.search(r"(\S+)\s+$", sentence[: match.start()]) if match else None
    if match and not (before and before[1][:1].isupper() and before.start() > 0):
        yield Reference(match.start(), match.end(), match[0], SHORT_NAME, name)


def _phrases(sentence: str, title: str) -> Iterator[Reference]:
    name = name_of(title)
    for match in _LATTER.finditer(sentence):
        yield Reference(match.start(), match.end(), match[0], NOUN_PHRASE)
    for match in _DEMONSTRATIVE.finditer(sentence):
        words = _phrase_words(match)
        end = words[-1][1] if words else match.start("words")
        phrase = sentence[match.start() : end]
        yield Reference(match.start(), end, phrase, NOUN_PHRASE, name if _names_subject(phrase, title) else "")
    own = _nouns_of(title)
    for match in _DEFINITE.finditer(sentence):
        if end := _phrase_end(sentence, match, own):
            phrase = sentence[match.start() : end]
            yield Reference(match.start(), end, phrase, NOUN_PHRASE, name if _names_subject(phrase, title) else "")


def _names_subject(phrase: str, title: str) -> bool:
    """Return whether the phrase can refer to the article's subject, in the same number: "the bridge" for Harbour
    Bridge, neither "the bridges" nor "the river"; "the company" for a title that names no kind.
    """
    noun = phrase.lower().rpartition(" ")[2]
    own = set(re.findall(r"[a-z]+", title.lower()))
    if noun in own:
        return not phrase.lower().startswith(("these ", "those ")) or _is_plural(title)
    if noun not in HEADS or _is_plural(title) or {_singular(word) for word in own} & HEADS:
        return False
    return not _is_person(title) or noun in PERSONS


def _phrase_words(match: re.Match[str]) -> list[tuple[str, int]]:
    """The words that belong to a noun phrase, each with its end."""
    words: list[tuple[str, int]] = []
    for word in re.finditer(r"[a-z][\w-]*", match["words"]):
        if word[0] in STOP or (words and word[0].endswith("ed")):
            break
        words.append((word[0], match.start("words") + word.end()))
    return words


def _phrase_end(sentence: str, match: re.Match[str], own: set[str]) -> int:
    """The end of a definite noun phrase that may refer to the article's subject; 0 if it cannot."""
    words = _phrase_words(match)
    if not words or any(_SUPERLATIVE.fullmatch(word) and word not in _NO_SUPERLATIVE for word, _ in words):
        return 0
    heads = [end for word, end in words if _singular(word) in own or _singular(word) in HEADS or word in HEADS]
    is_subject = match.start() == len(sentence) - len(sentence.lstrip())
    if heads:
        end = heads[-1]
    elif is_subject and len(words) < 4 and _singular(words[-1][0]) not in UNIQUE:
        end = words[-1][1]
    else:
        return 0
    # "the city of Rome", "the bridge that", "the Tolna line": these are complete.
    is_said_in_full = re.match(r"\s+(?:of|called|named|known|that|which|who|where)\b|\s+[A-Z]", sentence[end:])
    return 0 if is_said_in_full else end


def _nouns_of(title: str) -> set[str]:
    return {_singular(word) for word in re.findall(r"[a-z]+", title.lower()) if len(word) > 3}


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _times(sentence: str) -> Iterator[Reference]:
    for match in _TIME_OR_LOCATION.finditer(sentence):
        yield Reference(match.start(), match.end(), match[0], TIME_OR_LOCATION)
