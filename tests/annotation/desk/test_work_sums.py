"""Numbers about people's work in lists and on the overview are those counted row by row, as far as one may know."""

import os
import random
from collections import Counter
from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from annotation.content.parts import Choice
from annotation.desk.assignments.assignment import hand_back
from annotation.desk.decisions import (
    accept_annotation,
    exclude_annotation,
    reconsider_annotation,
    reopen_annotation,
    return_annotation,
)
from annotation.desk.drafts.time import note_time
from annotation.desk.visibility import known_to
from annotation.desk.work.work import STATES, SUMS, done_by
from annotation.first_page import (
    DAYS_PLOTTED,
    DECIDED,
    by_day,
    left_to_write,
    work_of_all,
)
from annotation.models import (
    Annotation,
    AnnotationState,
    Assignment,
    Release,
    ReleasedRecord,
    StepTime,
    SubmissionCounts,
    Tag,
)
from annotation.releases.freezing import create_release
from annotation.tasks import clear_dead_batches
from core.models import Batch, User
from core.navigation.pipeline import pipeline_for
from core.refusals import Refusal
from tests.annotation.assignments.test_claims_at_once import at_once
from tests.annotation.desk_helpers import claim, complete_content, save, submit
from tests.annotation.label_studio.test_label_studio import annotation as their_annotation
from tests.annotation.label_studio.test_label_studio import bring, task
from tests.annotation.merging_helpers import annotated_by, merge
from tests.conftest import make_person
from tests.factories import AnnotationFactory, TagFactory
from tests.interleaving.pieces import Killed

pytestmark = pytest.mark.django_db


def counted(person: User, reader: User | None) -> tuple[int, ...]:
    known = Annotation.objects.filter(known_to(reader))
    states = known.filter(annotator=person).aggregate(
        drafts=Count("pk", filter=Q(state="draft", version__gt=0)),
        **{state: Count("pk", filter=Q(state=state)) for state in STATES},
    )
    own, reviewed = known.filter(annotator=person), known.filter(reviewed_by=person).count()
    return states["drafts"], *(states[state] for state in STATES), reviewed, *counted_times(own)


def counted_times(own: QuerySet[Annotation]) -> tuple[int, int, int]:
    seconds = Counter[tuple[int, bool]]()
    for each in StepTime.objects.filter(annotation__in=own).select_related("annotation"):
        seconds[each.annotation_id, each.annotation.submitted_at is not None] += each.seconds
    submitted = [number for (_, was_submitted), number in seconds.items() if was_submitted]
    return seconds.total(), sum(submitted), len(submitted)


def check() -> None:
    """For every reader, and for commands, which may know of all."""
    people = list(User.objects.all())
    for reader in (None, *people):
        done = done_by(people, reader=reader)
        kept = {pk: (each.drafts, *(getattr(each, name) for name in SUMS)) for pk, each in done.items()}
        assert kept == {person.pk: counted(person, reader) for person in people}, reader
    for reader in people:
        assert overview(reader) == counted_for_overview(reader), reader


def overview(reader: User) -> dict:
    stages = {
        now.stage.label: (now.done, now.waiting, {need.key: count for need, count in now.needs})
        for now in pipeline_for(reader)[:4]
    }
    by_day = {bar.day: bar.count for bar in work_of_all(reader)["plot"] if bar.count}
    return stages | {"by day": by_day, "left": left_to_write(reader)}


def counted_for_overview(reader: User) -> dict:
    """The same, row by row."""
    known, tags = Annotation.objects.filter(known_to(reader)), Tag.objects.present()
    unfinished = Assignment.objects.unfinished().filter(known_to(reader))
    records = ReleasedRecord.objects.filter(release=Release.objects.order_by("-number").first())
    accepted = known.filter(state="accepted").exclude(pk__in=records.values("annotation"))
    flagged, lapsed = tags.exclude(flagged_at=None), unfinished.filter(annotator__is_active=False)
    needs = {name: count for name, count in (("flagged", flagged.count()), ("lapsed", lapsed.count())) if count}
    return {
        "Harvested": (tags.count(), 0, {}),
        "Annotated": (known.filter(state__in=AnnotationState.submitted()).count(), unfinished.count(), needs),
        "Reviewed": (known.filter(state__in=DECIDED).count(), known.filter(state="submitted").count(), {}),
        "Released": (records.count(), accepted.count(), {}),
        "by day": by_day(known, since=timezone.localdate() - timedelta(days=DAYS_PLOTTED - 1)),
        "left": unfinished.filter(tag__gone_at=None).count(),
    }


def test_tags_that_are_flagged_or_gone_and_what_was_released_count_as_such(annotator, other_annotator, reviewer):
    tags = TagFactory.create_batch(4)
    for tag in tags[:2]:
        AnnotationFactory(tag=tag, annotator=annotator, state="accepted", reviewed_by=reviewer)
    check()
    create_release(name="First", notes="", admin=reviewer)
    Tag.objects.filter(pk=tags[1].pk).update(gone_at=timezone.now())
    Tag.objects.filter(pk=tags[2].pk).update(
        flagged_at=timezone.now(), flagged_by=annotator, flag_reason="No such line"
    )
    AnnotationFactory(tag=tags[3], annotator=other_annotator, state="accepted", reviewed_by=reviewer)
    other_annotator.is_active = False
    other_annotator.save()
    check()
    Annotation.objects.filter(tag=tags[0]).update(state="submitted", reviewed_by=None)
    Annotation.objects.filter(tag=tags[3]).update(submitted_at=timezone.now() - timedelta(days=DAYS_PLOTTED - 2))
    check()


def test_each_act_on_an_annotation_keeps_the_sums(annotator, other_annotator, reviewer, admin):
    TagFactory.create_batch(2)
    draft = claim(annotator)
    check()
    note_time(annotation=draft, annotator=annotator, page="a", seconds={1: 20, 2: 5})
    check()
    save(draft, complete_content(confidence="2"))
    check()
    note_time(annotation=draft, annotator=annotator, page="a", seconds={1: 15, 2: 9})  # the first has come already
    note_time(annotation=draft, annotator=annotator, page="b", seconds={1: 0, 3: 4})
    check()
    assert done_by([annotator], reader=None)[annotator.pk].seconds == 33
    submit(draft)
    check()
    assert done_by([annotator], reader=None)[annotator.pk].minutes_each == 0.6
    reopen_annotation(annotation=draft, annotator=annotator)
    check()
    submit(draft)
    return_annotation(annotation=draft, reviewer=reviewer, message="Which year?")
    check()
    submit(draft)
    accept_annotation(annotation=draft, reviewer=reviewer)
    check()
    assert done_by([annotator], reader=None)[annotator.pk].accepted == 1
    reconsider_annotation(annotation=draft, reviewer=admin, reason="A third source.")
    check()
    exclude_annotation(annotation=draft, reviewer=admin, reason="Ambiguous.")
    check()
    assert done_by([admin, reviewer], reader=None)[admin.pk].reviewed == 1
    given_up = claim(other_annotator)
    note_time(annotation=given_up, annotator=other_annotator, page="a", seconds={6: 2})
    check()
    hand_back(annotation=given_up, annotator=other_annotator)
    check()


def test_who_annotates_a_tag_is_told_nothing_of_the_others_until_theirs_is_decided(
    annotator, other_annotator, reviewer
):
    annotator.groups.add(*reviewer.groups.all())
    both = annotated_by(annotator, other_annotator)
    for each in both:
        StepTime.objects.create(annotation=each, page="a", step=1, seconds=30)
    check()
    hidden, shown = (done_by([other_annotator], reader=each)[other_annotator.pk] for each in (annotator, reviewer))
    assert (hidden.submitted, hidden.seconds, hidden.timed) == (0, 0, 0)
    assert (shown.submitted, shown.seconds, shown.timed) == (1, 30, 1)
    merge(both, reviewer, but={"confidence": Choice(taken=1)})
    check()
    assert done_by([other_annotator], reader=annotator)[other_annotator.pk].submitted == 1


def test_an_import_counts_once_it_is_whole_and_one_that_was_killed_never(pauses, annotator, other_annotator, admin):
    """Others look while it is written."""
    truth = their_annotation(ground_truth=True)
    tasks = [task(truth, their_annotation("ansel@example.org"), title=f"Bridge {n}", id=n) for n in range(8)]
    pauses.look = check
    pauses.kill_at = 4
    with pytest.raises(Killed):
        bring(tasks, admin=admin, accept_ground_truth=True)
    pauses.kill_at = None
    assert SubmissionCounts.objects.exclude(batch=0).exists()
    assert done_by([annotator], reader=None)[annotator.pk].accepted == 0
    Batch.objects.filter(is_open=True).update(alive_until=timezone.now() - timedelta(seconds=1))
    clear_dead_batches()
    check()
    bring(tasks, admin=admin, accept_ground_truth=True)
    check()
    done = done_by([annotator, other_annotator, admin], reader=None)
    assert (done[annotator.pk].accepted, done[other_annotator.pk].submitted, done[admin.pk].reviewed) == (8, 8, 8)


def test_many_rows_at_once_count_as_each(annotator, other_annotator, reviewer):
    made = AnnotationFactory.create_batch(3, annotator=annotator, state="submitted")
    check()
    times = [StepTime(annotation=each, page="a", step=step, seconds=7) for each in made for step in (1, 2)]
    StepTime.objects.bulk_create(times)
    check()
    StepTime.objects.update(seconds=11)
    StepTime.objects.filter(annotation=made[0]).update(annotation=made[1], page="b")
    check()
    Annotation.objects.update(state="accepted", reviewed_by=reviewer)
    check()
    Annotation.objects.update(annotator=other_annotator)
    check()
    Annotation.objects.bulk_create(
        [Annotation(tag=TagFactory(), annotator=annotator, state="draft", version=1) for _ in range(2)],
        ignore_conflicts=True,
    )
    check()
    StepTime.objects.filter(annotation=made[2]).delete()
    check()
    Annotation.objects.all().delete()
    check()


def test_assignments_that_come_and_go_and_change_hands_are_counted(annotator, other_annotator):
    tags = TagFactory.create_batch(3)
    Assignment.objects.bulk_create(Assignment.of(tag, number) for tag in tags for number in (2, 3))
    check()
    first, second = Assignment.objects.filter(number=1), Assignment.objects.filter(number=2)
    first.update(annotator=annotator, claimed_at=timezone.now())
    check()
    first.update(done_at=timezone.now())
    second.update(done_at=timezone.now())  # as by an import: nobody's
    check()
    first.update(annotator=other_annotator)
    check()
    first.update(done_at=None, annotator=None, claimed_at=None)
    check()
    Assignment.objects.filter(tag=tags[0]).delete()
    tags[0].delete()
    check()
    assert left_to_write(annotator) == 4


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "America/St_Johns", "Australia/Lord_Howe"])
def test_what_was_submitted_around_midnight_counts_for_its_own_day(zone, annotator, other_annotator):
    with timezone.override(zone):
        today = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
        for back in range(DAYS_PLOTTED + 1):
            for off in (-1, 0, 1):
                at = today - timedelta(days=back) + timedelta(microseconds=off)
                AnnotationFactory(annotator=(annotator, other_annotator)[off], state="submitted", submitted_at=at)
        check()
        Annotation.objects.filter(annotator=annotator).update(state="accepted")
        check()
        Annotation.objects.filter(annotator=other_annotator).update(submitted_at=today)
        check()


def test_flags_and_submits_count_whatever_is_done_in_whatever_order(annotator, other_annotator):
    chance, now = random.Random(os.environ.get("SEED")), timezone.now()
    tags = TagFactory.create_batch(6)
    made = [AnnotationFactory(tag=tag, annotator=annotator, state="submitted", submitted_at=now) for tag in tags]
    flag = {"flagged_at": now, "flag_reason": "No such line"}
    acts = [
        (Tag, lambda: {**flag, "flagged_by": chance.choice([annotator, other_annotator])}),
        (Tag, lambda: {"flagged_at": None, "flagged_by": None, "flag_reason": ""}),
        (Tag, lambda: {"gone_at": chance.choice([now, None])}),
        (Annotation, lambda: {"state": chance.choice(["draft", "returned", "submitted", "accepted", "excluded"])}),
        (Annotation, lambda: {"annotator": chance.choice([annotator, other_annotator])}),
        (Annotation, lambda: {"submitted_at": now - timedelta(minutes=chance.randrange(60 * 24 * DAYS_PLOTTED))}),
    ]
    for _ in range(40):
        model, values = chance.choice(acts)
        rows = tags if model is Tag else made
        with suppress(IntegrityError), transaction.atomic():
            model.objects.filter(pk__in=[each.pk for each in chance.sample(rows, 3)]).update(**values())
        check()


@pytest.mark.django_db(transaction=True)
def test_two_who_review_each_other_and_write_at_once_lose_no_count():
    people = [make_person(f"person{n}", "annotator", "reviewer") for n in range(6)]
    for person in people:
        AnnotationFactory.create_batch(4, annotator=person, state="submitted")

    def decide(person: User) -> None:
        number = people.index(person)
        for other in (people[number - 1], people[number - 2]):
            for annotation in Annotation.objects.filter(annotator=other)[number % 2 * 2 :][:2]:
                with suppress(Refusal):
                    accept_annotation(annotation=annotation, reviewer=person)

    at_once(people, decide)
    check()
    assert (
        sum(done.reviewed for done in done_by(people, reader=None).values()) == Annotation.objects.accepted().count()
    )


def test_a_lease_that_lapses_meanwhile_is_no_tag_in_hand(annotator, admin, sign_in, monkeypatch):
    """A process asks the same query for hours: the time in it is that of each question."""
    TagFactory()
    claim(annotator)
    site = sign_in(admin)
    assert [row.held for row in site.get("/annotation/progress/").context["rows"]] == [1]
    later = timezone.now() + timedelta(hours=1)
    with monkeypatch.context() as patched:
        patched.setattr(timezone, "now", lambda: later)
        assert [row.held for row in site.get("/annotation/progress/").context["rows"]] == [0]
