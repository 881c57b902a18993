"""For admins: the practice tags, the reasons for their references, and people's results."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet

from core.languages import say
from core.models import Event, User
from core.outside import refuse_unstorable
from core.refusals import Refusal
from core.writing.locking import lock

from ..content.fields import STEPS
from ..content.rows import content_of
from ..desk.visibility import known_to, note_seen, refuse_blind
from ..models import Annotation, AnnotationAction, Assignment, PracticeAttempt, PracticeTag
from .copying import copied_pages, copied_tag

MOST_CHARACTERS = 2_000
MOST_PEOPLE = 200
MOVES = {"earlier": -1, "later": 1}


@transaction.atomic
def choose_for_practice(*, annotation: Annotation, admin: User) -> PracticeTag:
    """Copy an accepted annotation as a reference, and offer its tag for practice.

    Raises Refusal if it is not accepted, if others may still annotate the tag (they would see its content), if its
    article is not stored, or if it was chosen before.
    """
    refuse_blind(annotation.tag, admin)
    if annotation.state != "accepted":
        raise Refusal(say("Only an accepted annotation can be a reference. Nothing was changed."))
    if Assignment.objects.unfinished().filter(tag=annotation.tag).exists():
        raise Refusal(
            say(
                "This tag still waits for another annotation, whose annotator must not see this one. "
                "Nothing was changed."
            )
        )
    pages = copied_pages(annotation.tag)
    if not pages:
        raise Refusal(say("The article of this tag is not kept here, so nobody could read it. Nothing was changed."))
    last = PracticeTag.objects.aggregate(last=Max("position"))["last"] or 0
    try:
        with transaction.atomic():
            chosen = PracticeTag.objects.create(
                annotation=annotation,
                title=annotation.tag.article.title,
                tag=copied_tag(annotation.tag),
                pages=pages,
                reference={name: value for name, value in content_of(annotation).items() if value},
                position=last + 1,
                chosen_by=admin,
            )
    except IntegrityError:
        raise Refusal(say("This annotation has already been chosen for practice. Nothing was changed.")) from None
    note_seen([annotation.pk], reader=admin)
    Event.record(AnnotationAction.CHOSE_FOR_PRACTICE, chosen, actor=admin, after={"annotation": annotation.pk})
    return chosen


@transaction.atomic
def explain_practice(*, practice_tag: PracticeTag, admin: User, why: Mapping[str, str]) -> None:
    """Write the reasons for the reference of each step. Raises Refusal if a text is too long or cannot be stored."""
    before, after = practice_tag.why, {}
    for step in STEPS:
        text = why.get(str(step), "").strip()
        refuse_unstorable(text)
        if len(text) > MOST_CHARACTERS:
            raise Refusal(
                say(
                    "Not saved: the reason for step {step} is longer than {most} characters.",
                    step=step,
                    most=MOST_CHARACTERS,
                ),
                status=400,
            )
        if text:
            after[str(step)] = text
    if before == after:
        return
    practice_tag.why = after
    practice_tag.save(update_fields=["why"])
    Event.record(AnnotationAction.EXPLAINED_PRACTICE, practice_tag, actor=admin, before=before, after=after)


@transaction.atomic
def offer_practice(*, practice_tag: PracticeTag, admin: User, is_offered: bool) -> None:
    """Offer the tag for practice, or withdraw it. Open attempts can be finished in any case."""
    changed = PracticeTag.objects.filter(pk=practice_tag.pk).exclude(is_offered=is_offered)
    if changed.update(is_offered=is_offered):
        before, after = {"offered": not is_offered}, {"offered": is_offered}
        Event.record(AnnotationAction.OFFERED_PRACTICE, practice_tag, actor=admin, before=before, after=after)


@transaction.atomic
def move_practice(*, practice_tag: PracticeTag, admin: User, to: str) -> None:
    """Move the tag before the one before it, or after the one after it (`to`), in the order in which people practise;
    the first does not move earlier, nor the last later. Raises Refusal if `to` is anything else."""
    if to not in MOVES:
        raise Refusal(say("A practice tag moves “earlier” or “later”. Nothing was changed."), status=400)
    lock(PracticeTag.objects.all())
    before = list(PracticeTag.objects.values_list("pk", flat=True))
    after = [pk for pk in before if pk != practice_tag.pk]
    after.insert(max(0, before.index(practice_tag.pk) + MOVES[to]), practice_tag.pk)
    if before == after:
        return
    for position, pk in enumerate(after, start=1):
        PracticeTag.objects.filter(pk=pk).exclude(position=position).update(position=position)
    old, new = ({"position": each.index(practice_tag.pk) + 1} for each in (before, after))
    Event.record(AnnotationAction.MOVED_PRACTICE, practice_tag, actor=admin, before=old, after=new)


def to_choose_from(admin: User) -> QuerySet[Annotation]:
    """Accepted annotations that can be chosen, the newest first."""
    accepted = Annotation.objects.accepted().without_checks().filter(known_to(admin), tag__gone_at=None)
    chosen = PracticeTag.objects.exclude(annotation=None).order_by().values("annotation")
    waiting = Assignment.objects.unfinished().order_by().values("tag")
    found = accepted.exclude(pk__in=chosen).exclude(tag__in=waiting).select_related("tag__article", "annotator")
    return found.defer("tag__article__wikitext").order_by("-reviewed_at", "-pk")


@dataclass
class PersonScore:
    """A person's result: their attempts by practice tag, the first of each counting as the score."""

    person: User
    attempts: dict[int, list[PracticeAttempt]] = field(default_factory=dict)

    @property
    def firsts(self) -> list[PracticeAttempt]:
        return [attempts[0] for attempts in self.attempts.values() if attempts[0].finished_at]

    @property
    def matched(self) -> int:
        return sum(attempt.matched for attempt in self.firsts)

    @property
    def of(self) -> int:
        return sum(attempt.of for attempt in self.firsts)

    @property
    def seconds(self) -> int:
        return sum(attempt.seconds for attempt in self.firsts)


def scores_of_people() -> list[PersonScore]:
    """People who have practised, by user name, with their results at each tag."""
    scores: dict[int, PersonScore] = {}
    people = User.objects.filter(practice_attempts__isnull=False).distinct().order_by("username")[:MOST_PEOPLE]
    for person in people:
        scores[person.pk] = PersonScore(person)
    columns = ["person_id", "practice_tag_id", "number", "first", "times", "finished_at", "begun_at"]
    for attempt in PracticeAttempt.objects.filter(person__in=scores).only(*columns).order_by("number"):
        scores[attempt.person_id].attempts.setdefault(attempt.practice_tag_id, []).append(attempt)
    return list(scores.values())


def cells_of(score: PersonScore, tags: list[PracticeTag]) -> list[dict[str, object]]:
    """One cell for each practice tag: the person's first attempt, and the number of their attempts."""
    found = [score.attempts.get(tag.pk, []) for tag in tags]
    return [{"first": attempts[0] if attempts else None, "count": len(attempts)} for attempts in found]
