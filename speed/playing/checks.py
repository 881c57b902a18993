"""Compares the server's acknowledgements with its database, and kept sums with counts."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import timedelta
from itertools import pairwise

from .people import Acknowledged, Saved, Submitted, content_with


def faults(kept: Acknowledged, *, size: int) -> list[str]:
    """A sentence with a number for each kind of difference; empty without any."""
    found = {
        "acknowledged saves are not stored": len(missing_saves(kept.saves, size)),
        "acknowledged submissions are not stored": len(missing_submissions(kept.submissions, size)),
        "acknowledged verdicts are not stored": len(missing_verdicts(kept.verdicts)),
        "saves are stored twice": saves_twice(kept.saves),
        "annotations were submitted twice": submitted_twice(kept),
        "annotations were handed out to two people": sum(len(people) > 1 for people in kept.handed_out.values()),
        "tags have two annotators": tags_with_two(kept),
        "people's sums are not what is counted": wrong_sums(),
    }
    return [f"{number} {words}" for words, number in found.items() if number]


def told(kept: Acknowledged) -> str:
    return (
        f"acknowledged: {len(kept.saves):,} saves, {len(kept.submissions):,} submissions, {len(kept.verdicts):,} "
        f"verdicts; {len(kept.handed_out):,} tags handed out"
    )


def missing_saves(saves: list[Saved], size: int) -> list[Saved]:
    """Saves whose content is not stored under their version. Only an annotation's latest saves are kept, and only
    those are checked.
    """
    from annotation.content.fields import empty_content
    from annotation.desk.drafts.drafts import KEPT_SAVES
    from annotation.models import DraftSave

    of_each: dict[int, list[Saved]] = defaultdict(list)
    for save in saves:
        of_each[save.annotation].append(save)
    missing = []
    for annotation, own in of_each.items():
        rows = DraftSave.objects.filter(annotation=annotation, version__isnull=False)
        stored = dict(rows.values_list("version", "content"))
        newest = max([save.version for save in own] + list(stored))
        for save in own:
            expected = content_with(save.mark, size)
            if save.version > newest - KEPT_SAVES and empty_content() | stored.get(save.version, {}) != expected:
                missing.append(save)
    return missing


def missing_submissions(submissions: list[Submitted], size: int) -> list[Submitted]:
    from annotation.content.rows import content_of
    from annotation.models import Annotation, AnnotationState

    missing = []
    for part in pieces(submissions):
        keys = [each.annotation for each in part]
        rows = {row.pk: row for row in Annotation.objects.with_parts().filter(pk__in=keys)}
        for each in part:
            row = rows.get(each.annotation)
            is_stored = row and row.state == AnnotationState.SUBMITTED and row.submit_operation == each.operation
            if not is_stored or content_of(row) != content_with(each.mark, size):
                missing.append(each)
    return missing


def missing_verdicts(verdicts: dict[str, str]) -> list[str]:
    from review.models import Judgment

    stored: dict[str, str] = {}
    for part in pieces(list(verdicts)):
        stored |= {
            str(key): verdict for key, verdict in Judgment.objects.filter(key__in=part).values_list("key", "verdict")
        }
    return [key for key, verdict in verdicts.items() if stored.get(key) != verdict]


def saves_twice(saves: list[Saved]) -> int:
    """Saves that count twice: the same text under two versions of an annotation."""
    from annotation.models import DraftSave

    twice = 0
    for part in pieces(sorted({save.annotation for save in saves})):
        rows = DraftSave.objects.filter(annotation__in=part, version__isnull=False)
        texts = rows.values_list("annotation", "content__contradict_comment")
        twice += sum(number - 1 for number in Counter(texts).values())
    return twice


def _events(kept: Acknowledged, action: str):
    from core.models import Event

    return Event.objects.filter(pk__gt=kept.begun_after, action=action)


def submitted_twice(kept: Acknowledged) -> int:
    events: Counter[int] = Counter()
    for part in pieces([each.annotation for each in kept.submissions]):
        rows = _events(kept, "submitted").filter(subject_kind="annotation", subject_id__in=part)
        events.update(rows.values_list("subject_id", flat=True))
    return sum(number > 1 for number in events.values())


def tags_with_two(kept: Acknowledged) -> int:
    """Tags that need one annotation and were submitted by two people, or claimed by a second one before the first
    one's lease could have expired.
    """
    from annotation.models import Annotation
    from core.models import Project

    lease, two = timedelta(seconds=Project.get().lease_seconds), 0
    for part in pieces(list(kept.handed_out)):
        tags = set(Annotation.objects.filter(pk__in=part).values_list("tag", flat=True))
        submitted = Annotation.objects.filter(tag__in=tags, submitted_at__isnull=False)
        two += sum(number > 1 for number in Counter(submitted.values_list("tag", flat=True)).values())
        rows = _events(kept, "claimed").filter(subject_kind="tag", subject_id__in=tags)
        claims = rows.order_by("subject_id", "pk").values_list("subject_id", "actor", "at")
        two += sum(
            # Not before it, by a clock that went back.
            tag == next_tag and actor != next_actor and timedelta(0) <= next_at - at < lease
            for (tag, actor, at), (next_tag, next_actor, next_at) in pairwise(claims)
        )
    return two


def wrong_sums() -> int:
    """People for whom the kept sums differ from the sums over their annotations."""
    from django.db.models import Sum

    from annotation.desk.work.work import STATES, done_by
    from annotation.models import Annotation, StepTime
    from core.models import User

    counted = Counter(Annotation.objects.order_by().values_list("annotator", "state"))
    reviewed = Counter(Annotation.objects.order_by().values_list("reviewed_by", flat=True))
    times = StepTime.objects.order_by().values_list("annotation__annotator").annotate(Sum("seconds"))
    seconds = Counter(dict(times))
    done = done_by(User.objects.all(), reader=None)
    return sum(
        [*(getattr(own, state) for state in STATES), own.reviewed, own.seconds]
        != [*(counted[pk, state] for state in STATES), reviewed[pk], seconds[pk]]
        for pk, own in done.items()
    )


def pieces(rows: Iterable, size: int = 500) -> Iterable[list]:
    listed = list(rows)
    return (listed[start : start + size] for start in range(0, len(listed), size))
