"""Who knows a document from elsewhere, so that people who judge and find know nothing of theirs.

Verification and free-format replies show where the contradiction is; finding asks for it. So nobody does the one and
the other with the same document, in whichever order. Each relation is read in two directions: who knows subjects that
are to be dealt, and which items a person may no longer judge who has just judged one.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.fields.json import KeyTextTransform

from annotation.kinds.contradoc.item import CODE, ID, group_of
from annotation.models import Instance
from judging.models import Candidate, Document

from ...models import Adjudication, Item, Judgment, ReleasedCandidate, TakenBack
from ...rounds.forms import Answers, Subject

VERIFICATION, FINDING, FREE_FORMAT = "contradoc-verification", "contradoc-find", "contradoc-free-format"
GAP = "gap"
# (person, what they know), by primary keys or, for sources, names.
Known = set[tuple[int, Any]]


def people_who_judged(form: str, known_by: str, values: Iterable[Any], **where: Any) -> Known:
    """(person, value) for everybody who judged or decided on an item of this form whose field `known_by` has the
    value, also where they took it back."""
    found: Known = set()
    its = {"item__round__form": form, f"item__{known_by}__in": set(values), **where}
    for rows, person in (
        (Judgment.objects.given().filter(reviewer__isnull=False), "reviewer"),
        (Adjudication.objects.filter(adjudicator__isnull=False), "adjudicator"),
        (TakenBack.objects.all(), "reviewer"),
    ):
        found |= set(rows.filter(**its).order_by().values_list(person, f"item__{known_by}"))
    return found


def documents_of(instances: Collection[Instance]) -> dict[int, set[int]]:
    """The documents that instances were made from here, by the instances' primary keys: a candidate's, or the clean
    one itself."""
    documents: dict[int, set[int]] = defaultdict(set)
    released = ReleasedCandidate.objects.filter(instance__in=instances)
    for instance, document in released.values_list("instance", "candidate__document"):
        documents[instance].add(document)
    codes = {instance.content[ID]: instance.pk for instance in instances}
    clean = Document.objects.filter(benchmark=CODE, code__in=codes)
    for code, document in clean.values_list("code", "pk"):
        documents[codes[code]].add(document)
    return documents


def instances_of(documents: Collection[Document]) -> dict[int, set[int]]:
    """The reverse: documents by the primary keys of the instances that were made from them."""
    instances: dict[int, set[int]] = defaultdict(set)
    released = ReleasedCandidate.objects.filter(candidate__document__in=documents)
    for instance, document in released.values_list("instance", "candidate__document"):
        instances[instance].add(document)
    by_code = {document.code: document.pk for document in documents}
    clean = Instance.objects.filter(benchmark=CODE, group__in={group_of(code) for code in by_code})
    for instance, code in clean.values_list("pk", KeyTextTransform(ID, "content")):
        if code in by_code:
            instances[instance].add(by_code[code])
    return instances


def _spread(known: Known, subjects: dict[int, set[Any]]) -> set[tuple[int, int]]:
    """(person, subject), where the person knows one of what the subject hangs together with."""
    people: dict[Any, set[int]] = defaultdict(set)
    for person, value in known:
        people[value].add(person)
    return {(person, pk) for pk, values in subjects.items() for value in values for person in people[value]}


def _groups(instances: Iterable[Instance]) -> dict[int, set[str]]:
    return {instance.pk: {instance.group} for instance in instances}


# --- To judge and find ----------------------------------------------------------------------------------------------


def know_document(subjects: Sequence[Subject]) -> set[tuple[int, int]]:
    """Whoever verified a candidate of the document, judged a free-format reply about its source, or judged the
    document itself in another round."""
    instances = list(Instance.objects.filter(pk__in=[each.instance for each in subjects]))
    documents, groups = documents_of(instances), _groups(instances)
    verified = people_who_judged(VERIFICATION, "candidate__document", set().union(*documents.values()))
    read = people_who_judged(FREE_FORMAT, "instance__group", set().union(*groups.values()))
    before = people_who_judged(FINDING, "instance", [instance.pk for instance in instances])
    return _spread(verified, documents) | _spread(read, groups) | before


def ruled_out_by_finding(item: Item, answers: Answers | None) -> QuerySet[Item]:
    """Candidates of the same document, free-format replies about its source, and the document in other rounds."""
    instance = item.instance
    candidates = Q(round__form=VERIFICATION, candidate__document__in=documents_of([instance])[instance.pk])
    replies = Q(round__form=FREE_FORMAT, instance__group=instance.group)
    again = Q(round__form=FINDING, instance=instance) & ~Q(pk=item.pk)
    return Item.objects.filter(candidates | replies | again)


# --- To verify ------------------------------------------------------------------------------------------------------


def know_candidate(subjects: Sequence[Subject]) -> set[tuple[int, int]]:
    """Whoever proposed the gap of a candidate, or judged and found in what was released of its document."""
    candidates = Candidate.objects.filter(pk__in=[each.candidate for each in subjects]).select_related("document")
    document_of = {candidate.pk: candidate.document for candidate in candidates}
    first_of = {candidate.pk: {candidate.moved_from_id} for candidate in candidates if candidate.moved_from_id}
    firsts = set().union(*first_of.values())
    proposed = {
        *Judgment.objects.filter(item__candidate__in=firsts, answers__has_key=GAP)
        .filter(reviewer__isnull=False)
        .values_list("reviewer", "item__candidate"),
        *Adjudication.objects.filter(item__candidate__in=firsts, answers__has_key=GAP)
        .filter(adjudicator__isnull=False)
        .values_list("adjudicator", "item__candidate"),
    }
    instances = instances_of(set(document_of.values()))
    known: Known = set()
    for person, instance in people_who_judged(FINDING, "instance", instances):
        known |= {(person, document) for document in instances[instance]}
    documents = {pk: {document.pk} for pk, document in document_of.items()}
    return _spread(proposed, first_of) | _spread(known, documents)


def ruled_out_by_verifying(item: Item, answers: Answers | None) -> QuerySet[Item]:
    """What was released of the document, for people to find; and the further candidate of a gap that was proposed."""
    instances = instances_of([item.candidate.document])
    found = Q(round__form=FINDING, instance__in=instances)
    if answers and GAP in answers:
        found |= Q(round__form=VERIFICATION, candidate__moved_from=item.candidate_id)
    return Item.objects.filter(found)


# --- To judge free-format replies -----------------------------------------------------------------------------------


def know_source(subjects: Sequence[Subject]) -> set[tuple[int, int]]:
    """Whoever looked for the contradiction in a document of the same source."""
    instances = list(Instance.objects.filter(pk__in={each.instance for each in subjects}))
    group_of_instance = {instance.pk: instance.group for instance in instances}
    groups = {each.number: {group_of_instance[each.instance]} for each in subjects if each.instance}
    return _spread(people_who_judged(FINDING, "instance__group", group_of_instance.values()), groups)


def ruled_out_by_reading(item: Item, answers: Answers | None) -> QuerySet[Item]:
    """Documents of the same source, for people to find."""
    return Item.objects.filter(round__form=FINDING, instance__group=item.instance.group)
