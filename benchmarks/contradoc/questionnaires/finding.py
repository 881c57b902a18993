"""People on the models' task: does the document contradict itself, and where? Nothing is marked; one person per
document, and nobody who saw its contradiction marked (ContraDoc, section 4.4, Table 5).
"""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from annotation.models import Instance, Release
from annotation.reading.sentences import sentences
from core.languages import say
from core.models import User
from core.refusals import Forbidden
from review.models import Item
from review.models.subjects import INSTANCE
from review.rounds.dealing.choosing import LeftOut
from review.rounds.dealing.order import stratified_sample
from review.rounds.questionnaires import Answers, Field, Merged, Needs, Option, Questionnaire, Subject, Wanted
from review.rounds.rounds import hidden_from

from ..items import CODE, KIND, LABEL, LABELS, SIDES, TEXT
from .documents import ShownDocument
from .knowing import FINDING as QUESTIONNAIRE
from .knowing import know_document, ruled_out_by_finding, sources_of

JUDGMENT, EVIDENCE = "judgment", "evidence"
# The paper lets people give two sentences (section 4.1.3).
MOST_SENTENCES = 2


def sentence_count(item: Item) -> int:
    return len(sentences(item.instance.content[TEXT]))


def sentence_text(item: Item, number: int) -> str:
    text = item.instance.content[TEXT]
    return f"“{sentences(text)[number].of(text)}”"


FIELDS = (
    Field(
        JUDGMENT,
        say("Does the document contain any self-contradictions?"),
        (Option("yes", say("Yes"), "1"), Option("no", say("No"), "2")),
    ),
    Field(
        EVIDENCE,
        say("The sentences that contradict each other, at most two"),
        most=MOST_SENTENCES,
        spots=sentence_count,
        where=sentence_text,
        only_if=(JUDGMENT, "yes"),
    ),
)


def decide(answers: Answers) -> Merged:
    return Merged(answers[JUDGMENT], answers)


def merge(answers: Sequence[Answers]) -> Merged:
    """The outcome of one person's judgment: their answer counts."""
    return decide(answers[0])


def choose(wanted: Wanted) -> tuple[list[Subject], dict[str, int]]:
    """As many positive as negative documents of the release, drawn in proportion to their types; half of the sample
    each. The maximum per source is the number of people, as each of them may read one of these.
    """
    round = wanted.round
    instances = Instance.objects.filter(benchmark=CODE, releases=round.release_id).order_by("pk")
    sources = sources_of(instances)
    rows = list(instances.values_list("pk", f"content__{LABEL}", f"content__{KIND}"))
    random.Random(round.seed).shuffle(rows)  # noqa: S311 - a sample, not a secret
    people, of_source = len(wanted.people), Counter[str]()
    sides: dict[str, list[tuple[Subject, str]]] = {label: [] for label in LABELS}
    for pk, label, kind in rows:
        of_source[source := min(sources[pk])] += 1
        if of_source[source] <= people:
            sides[label].append((Subject(pk, like=pk, instance=pk, source=source), kind))
    each = min(map(len, sides.values()))
    if round.sample_size is not None:
        each = min(each, round.sample_size // 2)
    drawn: list[Subject] = []
    for side in sides.values():
        drawn += [side[at][0] for at in stratified_sample([kind for _, kind in side], each, seed=round.seed)]
    return drawn, {str(LeftOut.NOT_DRAWN): len(rows) - len(drawn)}


def nothing_waits(wanted: Wanted) -> str:
    """Half of the documents are negative: a release without any, or without a positive one, gives no sample."""
    if choose(wanted)[0]:
        return ""
    labels = Instance.objects.filter(benchmark=CODE, releases=wanted.round.release_id)
    there = set(labels.values_list(f"content__{LABEL}", flat=True).distinct())
    lacking = [SIDES[label] for label in LABELS if label not in there]
    why = (
        f"Half of the documents are positive and half negative, and this release has no {' and no '.join(lacking)} "
        "documents. Choose another release, or make one with both: `release_candidates --with-clean` adds documents "
        "without a contradiction. "
        if lacking
        else ""
    )
    return f"{why}There are no documents"


def show(items: Sequence[Item]) -> list[ShownDocument]:
    return [ShownDocument(item.instance) for item in items]


def describe(item: Item) -> dict[str, Any]:
    """A document for programs: a sentence is named by its number."""
    text = item.instance.content[TEXT]
    return {"document": text, "sentences": [span.of(text) for span in sentences(text)]}


FINDING = Questionnaire(
    code=QUESTIONNAIRE,
    name=say("People judge and find"),
    about=say(
        "Whether a document contradicts itself, and in which sentences. Nothing is marked; one person per document."
    ),
    judges=INSTANCE,
    singular=say("document"),
    plural=say("documents"),
    fields=FIELDS,
    subject="contradoc/judge/_document.html",
    related=("item__instance",),
    show=show,
    merge=merge,
    decide=decide,
    outcomes={"yes": say("Contradicts itself"), "no": say("Does not")},
    judgments_each=1,
    most_each=1,
    needs=Needs.RELEASE,
    sampled=say("half of it positive and half negative documents, in proportion to their kinds"),
    choose=choose,
    nothing_waits=nothing_waits,
    knowing=know_document,
    rules_out=ruled_out_by_finding,
    describe=describe,
)


def refuse_who_finds(reader: User, release: Release) -> None:
    """Raises Forbidden for people who search for contradictions in an unfinished round: a release of the benchmark
    shows them.
    """
    if release.benchmark == CODE and hidden_from(reader).filter(questionnaire=QUESTIONNAIRE).exists():
        raise Forbidden(
            say(
                "Releases of ContraDoc say where the contradictions are, and you look for these in an unfinished "
                "round. They are available again when it is finished."
            )
        )
