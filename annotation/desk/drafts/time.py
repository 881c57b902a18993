"""Active time, actions and typed characters at the desk: kept per step, and summed for the annotator, for admins, and
for exports.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from statistics import median

from django.db import IntegrityError, connection
from django.db.models import Count, F, QuerySet, Sum
from django.utils import timezone

from core.languages import say
from core.models import User
from core.refusals import Refusal

from ...content.fields import STEPS
from ...models import Annotation, StepTime
from ..visibility import known_to

MOST_PAGES = 500
# The step of time that another program counted.
NO_STEP = 0
# Clocks of browsers and servers differ a little.
LENIENCE = 60


# A total that is there is only raised; a further page is not counted where there are too many. Both databases name
# the columns of VALUES alike.
_NOTE = """
INSERT INTO annotation_steptime (annotation_id, page, step, seconds, actions, typed, last_at)
SELECT annotation.id, %s, counted.column1, counted.column2, CAST(counted.column3 AS integer),
    CAST(counted.column4 AS integer), %s
FROM annotation_annotation annotation, (VALUES {rows}) counted
WHERE annotation.id = %s AND (
    EXISTS (SELECT 1 FROM annotation_steptime WHERE annotation_id = %s AND page = %s)
    OR (SELECT COUNT(DISTINCT page) FROM annotation_steptime WHERE annotation_id = %s) < %s
)
ON CONFLICT (annotation_id, page, step) DO UPDATE
SET seconds = excluded.seconds, actions = excluded.actions, typed = excluded.typed, last_at = excluded.last_at
WHERE (excluded.seconds, COALESCE(excluded.actions, 0), COALESCE(excluded.typed, 0))
    > (annotation_steptime.seconds, COALESCE(annotation_steptime.actions, 0), COALESCE(annotation_steptime.typed, 0))
"""


def note_time(
    *,
    annotation: Annotation,
    annotator: User,
    page: str,
    seconds: Mapping[int, int],
    actions: Mapping[int, int] | None = None,
    typed: Mapping[int, int] | None = None,
) -> None:
    """Keep the active seconds per step that one opening of the desk has counted so far, in one statement, and the
    numbers of its actions and typed characters, None if it does not count them.

    A total never shrinks, and seconds never exceed the time since the annotation was begun. Raises Refusal if `page`
    or a step is not valid, or if the annotation was given up.
    """
    annotation.check_own(annotator)
    page = page[:64]
    if not page or any(step not in range(1, 7) for step in seconds):
        raise Refusal(
            say("The time was not recorded: the page did not say which annotation it belongs to."), status=400
        )
    now = timezone.now()
    longest = int((now - annotation.created_at).total_seconds()) + LENIENCE
    moves = [None if of is None else of.get for of in (actions, typed)]
    counted = [
        (step, min(count, longest), *(of and of(step, 0) for of in moves))
        for step, count in seconds.items()
        if min(count, longest) > 0
    ]
    if not counted:
        return
    at = connection.ops.adapt_datetimefield_value(now)
    statement = _NOTE.format(rows=", ".join(["(%s, %s, %s, %s)"] * len(counted)))
    given_up = Refusal(say("This draft was given up in another tab."), status=404)
    try:
        with connection.cursor() as cursor:
            of = annotation.pk
            cursor.execute(statement, [page, at, *chain(*counted), of, of, page, of, MOST_PAGES])
            noted = cursor.rowcount
    except IntegrityError as error:  # PostgreSQL: it was being given up
        raise given_up from error
    if not noted and not Annotation.objects.filter(pk=annotation.pk).exists():
        raise given_up


def seconds_per_step(annotation: Annotation) -> dict[int, int]:
    times = StepTime.objects.filter(annotation=annotation).values_list("step")
    return dict(times.annotate(sum=Sum("seconds")).order_by("step"))


@dataclass(frozen=True, slots=True)
class Moves:
    """The numbers of actions and of typed characters of an annotation."""

    actions: int
    typed: int


def moves_of(annotations: QuerySet[Annotation]) -> dict[int, Moves]:
    """The moves of each of these annotations, by primary key; left out are those not counted all the time."""
    spent = StepTime.objects.filter(annotation__in=annotations.order_by().values("pk")).order_by()
    sums = spent.values("annotation").annotate(
        openings=Count("pk"), known=Count("actions"), actions_sum=Sum("actions"), typed_sum=Sum("typed")
    )
    found = sums.filter(known=F("openings")).values_list("annotation", "actions_sum", "typed_sum")
    return {annotation: Moves(actions, typed) for annotation, actions, typed in found}


@dataclass(frozen=True, slots=True)
class Medians:
    """Median active seconds of submitted annotations, in total and for each step; `n` have any time counted.

    A step on which no time was spent counts as 0; time that was not counted by step is in the total only.
    """

    n: int
    whole: float
    by_step: dict[int, float]


def times_by_step(annotations: QuerySet[Annotation]) -> dict[int, dict[int, int]]:
    """The active seconds by step of each of these annotations with any time counted, by primary key."""
    spent = StepTime.objects.filter(annotation__in=annotations.order_by().values("pk")).order_by()
    times: dict[int, dict[int, int]] = defaultdict(dict)
    for annotation, step, seconds in spent.values_list("annotation", "step").annotate(sum=Sum("seconds")):
        times[annotation][step] = seconds
    return dict(times)


def medians_of_submitted(reader: User | None) -> dict[int | None, Medians]:
    """Each person's medians over submitted annotations with any time counted that `reader` may know of, by primary
    key; under None, those of everybody.
    """
    known = StepTime.objects.filter(known_to(reader, "annotation__")).order_by()
    rows = known.exclude(annotation__submitted_at=None)
    sums = rows.values_list("annotation__annotator", "annotation", "step").annotate(sum=Sum("seconds"))
    times: dict[int | None, dict[int, dict[int, int]]] = defaultdict(lambda: defaultdict(dict))
    for person, annotation, step, seconds in sums:
        times[person][annotation][step] = times[None][annotation][step] = seconds
    return {person: _medians(list(of.values())) for person, of in times.items()}


def _medians(annotations: list[dict[int, int]]) -> Medians:
    by_step = [each for each in annotations if NO_STEP not in each]
    return Medians(
        n=len(annotations),
        whole=median(sum(each.values()) for each in annotations),
        by_step={step: median(each.get(step, 0) for each in by_step or [{}]) for step in STEPS},
    )
