"""ContraDoc's tasks: the documents, the prompts, and the scoring of readings.

The document goes into the prompt unchanged; text in it that looks like a placeholder, or like a reply, stays text.
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.content.marking import Piece
from annotation.reading.sentences import sentences
from core.languages import say
from judging.protocol.scores import Chip
from judging.protocol.tasks import Content, Task, TaskReader, Wording, of_text

from . import items as item
from .content.matching import Matcher, hit_of, is_long, plain, shared, where
from .content.showing import OF_EVIDENCE, Marked, pieces
from .making.local_models import load_bert_score
from .readers import MOST_KEPT, TOP_K, read_first_quote, read_judgment, read_quotes, read_yes_or_no

PROMPTS: dict[str, Any] = json.loads((Path(__file__).parent / "task_prompts.json").read_text("utf-8"))
YES, NO = "yes", "no"
NOT_POSITIVE = say("the document has no contradiction, and the task says that it has one")
NO_OTHER_SIDE = say("the document has no ref sentence besides its evidence")

# Matchers beyond the released rule, by name: BERTScore where a process has loaded it. What reads a reply as it comes
# has none, as a model would take its time in the transaction that stores the reply.
matchers: list[tuple[str, Matcher]] = []
NO_BERTSCORE = say("BERTScore is not configured: a quote hits by containment alone.")


def wordings_of(task: str) -> dict[str, tuple[Wording, ...]]:
    """The wordings of a task's templates, by the code of the template."""
    mine = {code: each["wordings"] for code, each in PROMPTS.items() if each["task"] == task}
    return {code: tuple(Wording(**wording) for wording in some) for code, some in mine.items()}


def with_line_end(text: str) -> str:
    """The text with a line end, as the released code joins a document and the text after it."""
    return text if text.endswith("\n") else f"{text}\n"


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a reading: the answer in a word, whether its evidence hits, the rank of the first hit from 1, the
    matcher of the hit, and whether it also hits without quotes that are far too long. None means that the task does
    not ask for it or the instance has no answer.
    """

    answer: str = ""
    hit: bool | None = None
    rank: int | None = None
    matcher: str = ""
    strict_hit: bool | None = None

    def __post_init__(self) -> None:
        has_rank = self.rank is not None and self.rank >= 1 and self.matcher != "" and self.strict_hit is not None
        has_none = self.rank is None and self.matcher == "" and not self.strict_hit
        if not (has_rank if self.hit else has_none):
            raise ValueError("exactly a hit has rank and matcher")


class DocumentTask(Task[Any, Score]):
    """The common part of ContraDoc's tasks."""

    benchmark = item.CODE
    placeholders, needed = frozenset({"document", "document_line"}), "document"
    template = "contradoc/_reading.html"
    score_shape = Score

    def chips(self, score: Score) -> Sequence[Chip]:
        return list(_chips(score))

    def in_a_word(self, score: Score) -> str:
        return score.answer

    def values(self, content: Content) -> Mapping[str, str | None]:
        return {"document": content[item.TEXT], "document_line": with_line_end(content[item.TEXT])}

    def quotes(self, value: Any) -> Sequence[str]:
        """The quotes in a reading."""
        return ()

    def sought(self, content: Content) -> Sequence[str]:
        """The sentences that a quote should hit."""
        return [content[item.EVIDENCE]] if item.is_positive(content) else []

    def about(self, content: Content, value: Any) -> Mapping[str, Any]:
        sought, quotes = self.sought(content), self.quotes(value)
        return {
            "sought": sought if quotes else [],
            "quotes": [quote_beside(quote, sought, content[item.TEXT]) for quote in quotes[:MOST_KEPT]],
            "more": max(len(quotes) - MOST_KEPT, 0),
        }


class QuotingTask(DocumentTask):
    """A task whose replies quote the document: its readings are the quotes."""

    def quotes(self, value: Any) -> Sequence[str]:
        return value

    def score(self, content: Content, value: Any) -> Score:
        sought = self.sought(content)
        return best_score(value, sought) if sought else Score()

    def load_components(self) -> str:
        if not settings.LOCAL_BERTSCORE_MODEL:
            matchers.clear()
            return NO_BERTSCORE
        matchers[:] = [load_bert_score(Path(settings.LOCAL_BERTSCORE_MODEL))]
        return say("A quote that does not hit by containment is compared by {matcher}.", matcher=matchers[0][0])


def _chips(score: Score) -> Iterator[Chip]:
    if score.answer:
        yield Chip("Answer:", score.answer)
    if score.hit:
        yield Chip(say("Hit at rank {rank}, by {matcher}", rank=score.rank, matcher=score.matcher), tone="good")
    elif score.hit is False:
        yield Chip(say("No hit"))
    if score.hit and not score.strict_hit:
        yield Chip(say("Only by a quote that is far too long"), tone="warn")


def best_score(quotes: Sequence[str], sought: Sequence[str]) -> Score:
    """The score of quotes for the sentences sought: the first hit, and whether one remains without long quotes."""
    found = [hit for each in sought if (hit := hit_of(quotes, each, matchers=matchers))]
    if not found:
        return Score(hit=False, strict_hit=False)
    first = min(found, key=lambda hit: hit.rank)
    strict = any(hit_of(quotes, each, matchers=matchers, without_long=True) for each in sought)
    return Score(hit=True, rank=first.rank, matcher=first.matcher, strict_hit=strict)


@dataclass(frozen=True, slots=True)
class Beside:
    """A quote beside the evidence: its text, with the shared part marked; the matcher by which it hits; whether it is
    far too long, and whether it occurs in the document.
    """

    pieces: Sequence[Piece]
    matcher: str
    is_long: bool
    is_in_document: bool


# The number of characters shown of a quote.
MOST_SHOWN = 1_000


def quote_beside(quote: str, sought: Sequence[str], text: str) -> Beside:
    hit = next((found for each in sought if (found := hit_of([quote], each, matchers=matchers))), None)
    shown = quote if len(quote) <= MOST_SHOWN else f"{quote[: MOST_SHOWN - 1]}…"
    marks = (Marked(span, OF_EVIDENCE) for each in sought if (span := shared(shown, each)))
    return Beside(
        pieces(shown, marks),
        hit.matcher if hit else "",
        bool(sought) and all(is_long(quote, each) for each in sought),
        where(quote, text) is not None,
    )


class Binary(DocumentTask):
    code, name = "contradoc-binary", say("ContraDoc: is there a self-contradiction?")
    in_files = "binary"
    reader = TaskReader("yes-or-no", 2, of_text(read_yes_or_no))
    wordings = wordings_of(code)

    def score(self, content: Content, value: Any) -> Score:
        return Score(answer=YES if value else NO)


class TopK(QuotingTask):
    code, name = "contradoc-topk", say("ContraDoc: the five likeliest sentences")
    in_files = "topk"
    reader = TaskReader("quotes-in-lines", 2, of_text(read_quotes))
    wordings = wordings_of(code)

    def why_not(self, content: Content) -> str:
        return "" if item.is_positive(content) else NOT_POSITIVE


class Find(QuotingTask):
    """Judge, then find. Evidence counts only after a yes, and only if there is a contradiction to find."""

    code, name = "contradoc-find", say("ContraDoc: judge, then find")
    in_files = "judge_then_find"
    reader = TaskReader("judgment-and-list", 2, of_text(read_judgment))
    wordings = wordings_of(code)

    def quotes(self, value: Any) -> Sequence[str]:
        return value["quotes"]

    def score(self, content: Content, value: Any) -> Score:
        sought = self.sought(content)
        if not value["yes"]:
            return Score(answer=NO)
        if not sought:
            return Score(answer=YES)
        found = best_score(value["quotes"], sought)
        return Score(YES, found.hit, found.rank, found.matcher, found.strict_hit)


class Given(QuotingTask):
    """Find the sentence that contradicts the evidence: the other side, for documents that name it."""

    code, name = "contradoc-given", say("ContraDoc: what contradicts a given sentence?")
    in_files = "given_sentence"
    placeholders = frozenset({"document", "document_line", "sentence"})
    reader = TaskReader("first-quote", 2, of_text(read_first_quote))
    wordings = wordings_of(code)

    def values(self, content: Content) -> Mapping[str, str | None]:
        return {**super().values(content), "sentence": content.get(item.EVIDENCE)}

    def sought(self, content: Content) -> Sequence[str]:
        evidence = plain(content.get(item.EVIDENCE, ""))
        return [each for each in item.refs_of(content) if plain(each) != evidence]

    def why_not(self, content: Content) -> str:
        if not item.is_positive(content):
            return NOT_POSITIVE
        return "" if self.sought(content) else NO_OTHER_SIDE


class Free(DocumentTask):
    """Free format: people judge the replies, nothing is read from them."""

    code, name = "contradoc-free", say("ContraDoc: free format, judged by people")
    in_files = "free_format"
    wordings = wordings_of(code)
    template = ""


# --- Floors that need no model --------------------------------------------------------------------------------------


def random_sentences(content: Content, count: int) -> list[str]:
    """This number of sentences of a document at random; the same ones every time."""
    text = content[item.TEXT]
    found = [span.of(text) for span in sentences(text)]
    chance = random.Random(f"{content[item.ID]}/{count}")  # noqa: S311 - a floor, not a secret
    return chance.sample(found, min(count, len(found)))


def echoing_sentences(content: Content, count: int) -> list[str]:
    """The sentences with the most words in common with another sentence of their document, in descending order."""
    text = content[item.TEXT]
    found = [span.of(text) for span in sentences(text)]
    bags = [frozenset(plain(each).split()) for each in found]
    scores = [_best_overlap(bags, number) for number in range(len(bags))]
    order = sorted(range(len(found)), key=lambda number: (-scores[number], number))
    return [found[number] for number in order[:count]]


# The number of sentences on either side that each is compared with: a document of 2 MB has 20,000.
NEIGHBOURS = 300


def _best_overlap(bags: Sequence[frozenset[str]], number: int) -> float:
    """The largest share of words that a sentence has in common with another one."""
    mine = bags[number]
    near = [*bags[max(number - NEIGHBOURS, 0) : number], *bags[number + 1 : number + 1 + NEIGHBOURS]]
    return max((len(mine & other) / max(len(mine | other), 1) for other in near), default=0.0)


def in_lines(quotes: Sequence[str]) -> str:
    return "\n".join(f'{number}. "{" ".join(quote.split())}"' for number, quote in enumerate(quotes, start=1))


def as_judgment(judgment: str, quotes: Sequence[str] = ()) -> str:
    return f"Judgment: {judgment}\nEvidence: {json.dumps(list(quotes), ensure_ascii=False)}"


ALWAYS_YES, ALWAYS_NO = "always yes", "always no"
RANDOM, ECHOING = "random five", "most words in common"
TWO = 2
Binary.baselines = {ALWAYS_YES: lambda content: "Yes", ALWAYS_NO: lambda content: "No"}
TopK.baselines = {
    RANDOM: lambda content: in_lines(random_sentences(content, TOP_K)),
    ECHOING: lambda content: in_lines(echoing_sentences(content, TOP_K)),
}
Find.baselines = {
    ALWAYS_YES: lambda content: as_judgment(YES),
    ALWAYS_NO: lambda content: as_judgment(NO),
    RANDOM: lambda content: as_judgment(YES, random_sentences(content, TWO)),
    ECHOING: lambda content: as_judgment(YES, echoing_sentences(content, TWO)),
}

TASKS: tuple[Task, ...] = (Binary(), TopK(), Find(), Given(), Free())
