"""Table 1: a set of annotations in numbers (WikiContradict, NeurIPS 2024, section 3.3)."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from django.db.models import OuterRef, Subquery

from core.languages import say
from core.models import User

from ...content.checks import is_empty, is_yes_no
from ...content.paper_record import RESULT, Record, content_of_result
from ...desk.visibility import known_to
from ...kinds.registry import annotated
from ...models import Annotation, ContradictionType, Question, Release, Validity
from ..canonical import released_records


@dataclass(frozen=True, slots=True)
class Table1:
    """Tags are those with an accepted annotation; explicit and implicit are numbers of instances."""

    tags: int
    verified_valid_tags: int
    annotated_instances: int
    yes_no_questions: int
    wh_questions: int
    explicit: int
    implicit: int
    reasoning_type_unset: int

    def as_dict(self) -> dict[str, int]:
        return asdict(self)


LABELS: dict[str, str] = {
    "tags": say("Tags annotated"),
    "verified_valid_tags": say("Verified valid tags"),
    "annotated_instances": say("Annotated instances"),
    "yes_no_questions": say("Yes/no questions"),
    "wh_questions": say("Wh-questions"),
    "explicit": say("Explicit contradictions"),
    "implicit": say("Implicit contradictions"),
    "reasoning_type_unset": say("Reasoning type not set"),
}


def table_1(release: Release | None = None, *, reader: User | None = None) -> Table1:
    """Table 1 of a release; without one, of the accepted annotations in their current state that `reader` may know
    of.
    """
    if release:
        valid = sum(_is_valid(record) for record in released_records(release))
        instances = release.instances.filter(benchmark=annotated().code).values_list("question", "category")
        return _counted(release.records.count(), valid, instances.iterator())
    accepted = Annotation.objects.accepted().without_checks().filter(known_to(reader))
    valid_tags = accepted.filter(validity=Validity.VALID)
    last_type = ContradictionType.objects.filter(annotation=OuterRef("annotation"), dimension="reasoning_type")
    questions = Question.objects.filter(annotation__in=valid_tags).values_list(
        "text", Subquery(last_type.exclude(code="").order_by("-position").values("code")[:1])
    )
    return _counted(accepted.count(), valid_tags.count(), questions.iterator())


def _is_valid(record: Record) -> bool:
    return content_of_result(record[RESULT])["wikitag_label_valid"] == Validity.VALID


def _counted(tags: int, valid_tags: int, questions: Iterable[tuple[str, str | None]]) -> Table1:
    """The table, from each question with its reasoning type. Rows without a question are not instances."""
    kinds: Counter[bool] = Counter()
    types: Counter[str] = Counter()
    for text, reasoning_type in questions:
        if not is_empty(text):
            kinds[is_yes_no(text)] += 1
            types[reasoning_type or ""] += 1
    return Table1(
        tags=tags,
        verified_valid_tags=valid_tags,
        annotated_instances=kinds.total(),
        yes_no_questions=kinds[True],
        wh_questions=kinds[False],
        explicit=types["EXP"],
        implicit=types["IMP"],
        reasoning_type_unset=types[""],
    )
