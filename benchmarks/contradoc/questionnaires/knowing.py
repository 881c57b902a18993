"""Finds who knows a document already, so that people who judge and find know nothing about theirs.

Verification and free-format replies show where the contradiction is, and finding asks for it. Two documents of one
source differ only in the inserted text: a person who has read one sees it in the other. So nobody does both with
documents of one source, in either order, nor finds in two of them. Each relation is read in two directions: the
people who know subjects to be dealt, and the items that a person may no longer judge after having judged one.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Q, QuerySet

from annotation.models import Instance
from core.models import User
from review.models import Adjudication, Item, Judgment, TakenBack
from review.rounds.questionnaires import Answers, Subject
from review.rounds.turns.seen import rule_out

from ..models import Candidate, ReadSource
from .sources import documents_of, names_of

VERIFICATION, FINDING, FREE_FORMAT = "contradoc-verification", "contradoc-find", "contradoc-free-format"
GAP = "gap"
# The kind of subjects that are verified.
CANDIDATE = "candidate"
# (person, what they know), by primary keys or, for sources, names.
Known = set[tuple[int, Any]]


def people_who_judged(questionnaire: str, known_by: str, values: Iterable[object]) -> Known:
    """(person, value) for everybody who judged or decided on an item of this questionnaire whose field `known_by` has
    the value, including judgments taken back.
    """
    found: Known = set()
    its = {"item__round__questionnaire": questionnaire, f"item__{known_by}__in": set(values)}
    for rows, person in (
        (Judgment.objects.given().filter(reviewer__isnull=False), "reviewer"),
        (Adjudication.objects.filter(adjudicator__isnull=False), "adjudicator"),
        (TakenBack.objects.all(), "reviewer"),
    ):
        found |= set(rows.filter(**its).order_by().values_list(person, f"item__{known_by}"))
    return found


def sources_of(instances: QuerySet[Instance]) -> dict[int, set[str]]:
    """The names of the source of each instance, by primary keys."""
    groups = dict(instances.order_by().values_list("pk", "group"))
    names: dict[str, set[str]] = defaultdict(set)
    for of_document in documents_of(set(groups.values())).values():
        for name in of_document:
            names[name] |= of_document
    return {pk: {group} | names[group] for pk, group in groups.items()}


def _items_about(candidates: QuerySet[Candidate]) -> Q:
    """The items for verifying these candidates."""
    return Q(subject_kind=CANDIDATE, subject_number__in=candidates.order_by().values("pk"))


def _spread(known: Known, subjects: dict[int, set[Any]]) -> set[tuple[int, int]]:
    """(person, subject), where the person knows something related to the subject."""
    people: dict[Any, set[int]] = defaultdict(set)
    for person, value in known:
        people[value].add(person)
    return {(person, pk) for pk, values in subjects.items() for value in values for person in people[value]}


# --- To judge and find ----------------------------------------------------------------------------------------------


def know_document(subjects: Sequence[Subject]) -> set[tuple[int, int]]:
    """People who verified a candidate of a document of the same source, judged a free-format reply about one,
    searched for the contradiction in one in another round, or read a released one.
    """
    sources = sources_of(Instance.objects.filter(pk__in=[each.instance for each in subjects]))
    names = set().union(*sources.values())
    documents = documents_of(names)
    of_candidate = dict(Candidate.objects.filter(document__in=documents).order_by().values_list("pk", "document"))
    known = {
        (person, name)
        for person, candidate in people_who_judged(VERIFICATION, "subject_number", of_candidate)
        for name in documents[of_candidate[candidate]]
    }
    for questionnaire in (FREE_FORMAT, FINDING):
        known |= people_who_judged(questionnaire, "instance__group", names)
    known |= set(ReadSource.objects.filter(source__in=names).values_list("person", "source"))
    return _spread(known, sources)


def note_sources_read(reader: User, sources: set[str]) -> None:
    """Record that this person has read released documents of these sources: they search for the contradiction in none
    of them, in no round.
    """
    new = sources - set(ReadSource.objects.filter(person=reader).values_list("source", flat=True))
    if not new:
        return
    rows = [ReadSource(person=reader, source=source) for source in sorted(new)]
    ReadSource.objects.bulk_create(rows, ignore_conflicts=True)
    names = new.union(*documents_of(new).values())
    rule_out(person=reader, items=Item.objects.filter(round__questionnaire=FINDING, instance__group__in=names))


def ruled_out_by_finding(item: Item, answers: Answers | None) -> QuerySet[Item]:
    """Candidates of documents of the same source, free-format replies about them, and the documents themselves, in
    this round and others."""
    documents = documents_of({item.instance.group})
    names = {item.instance.group}.union(*documents.values())
    candidates = _items_about(Candidate.objects.filter(document__in=documents))
    of_source = Q(round__questionnaire__in=[FREE_FORMAT, FINDING], instance__group__in=names)
    return Item.objects.filter(candidates | of_source).exclude(pk=item.pk)


# --- To verify ------------------------------------------------------------------------------------------------------


def know_candidate(subjects: Sequence[Subject]) -> set[tuple[int, int]]:
    """People who proposed the gap of a candidate, or judged and found in a document of its source."""
    candidates = list(Candidate.objects.filter(pk__in=[each.number for each in subjects]).select_related("document"))
    sources = {each.pk: names_of(each.document_id, each.document.code) for each in candidates}
    first_of = {candidate.pk: {candidate.moved_from_id} for candidate in candidates if candidate.moved_from_id}
    firsts = set().union(*first_of.values())
    about_firsts: dict[str, object] = {"item__subject_kind": CANDIDATE, "item__subject_number__in": firsts}
    proposed = {
        *Judgment.objects.filter(answers__has_key=GAP, reviewer__isnull=False, **about_firsts).values_list(
            "reviewer", "item__subject_number"
        ),
        *Adjudication.objects.filter(answers__has_key=GAP, adjudicator__isnull=False, **about_firsts).values_list(
            "adjudicator", "item__subject_number"
        ),
    }
    found = people_who_judged(FINDING, "instance__group", set().union(*sources.values()))
    return _spread(proposed, first_of) | _spread(found, sources)


def ruled_out_by_verifying(item: Item, answers: Answers | None) -> QuerySet[Item]:
    """Documents of the same source, for people to find; and the further candidate of a gap that was proposed."""
    document = item.subject.document
    found = Q(round__questionnaire=FINDING, instance__group__in=names_of(document.pk, document.code))
    if answers and GAP in answers:
        found |= _items_about(Candidate.objects.filter(moved_from=item.subject_number))
    return Item.objects.filter(found)


# --- To judge free-format replies -----------------------------------------------------------------------------------


def know_source(subjects: Sequence[Subject]) -> set[tuple[int, int]]:
    """People who searched for the contradiction in a document of the same source."""
    of_instance = sources_of(Instance.objects.filter(pk__in={each.instance for each in subjects}))
    sources = {each.number: of_instance[each.instance] for each in subjects if each.instance}
    return _spread(people_who_judged(FINDING, "instance__group", set().union(*sources.values())), sources)


def ruled_out_by_reading(item: Item, answers: Answers | None) -> QuerySet[Item]:
    """Items of judge-and-find rounds whose documents are of the same source."""
    names = {item.instance.group}.union(*documents_of({item.instance.group}).values())
    return Item.objects.filter(round__questionnaire=FINDING, instance__group__in=names)
