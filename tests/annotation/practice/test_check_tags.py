"""Check tags: mixed into the queue by an admin, given to those who do not know the answer, counted nowhere."""

import pytest
from django.contrib.auth.models import Group
from django.db import DatabaseError, transaction
from django.urls import reverse

from annotation.desk.assignments.assigning import assign_tag, set_annotations_needed
from annotation.desk.assignments.assignment import claim_next_tag
from annotation.desk.assignments.queue import left_for
from annotation.desk.decisions import accept_annotation
from annotation.models import (
    Annotation,
    Assignment,
    CheckTag,
    Evidence,
    EvidenceKind,
    EvidencePage,
    EvidenceRequest,
    Instance,
    ReleasedRecord,
    Rendering,
    RequestState,
    Tag,
)
from annotation.practice.check_results import results_of_people
from annotation.practice.checks import positions
from annotation.releases.datasheets.statistics import table_1
from annotation.releases.files.exports import current_records, work_lines
from annotation.releases.freezing import create_release
from annotation.reviewing.first_submissions import annotated_twice
from core.models import Event, Role, User
from core.refusals import Refusal
from tests.annotation.desk_helpers import claim, complete_content, submit
from tests.conftest import make_person
from tests.factories import TagFactory

CHECKS = "/annotation/check-tags/"


def accepted_by(person: User, reviewer: User, title: str = "Known Bridge") -> Annotation:
    """An accepted annotation whose answer is known."""
    TagFactory(article__title=title)
    annotation = claim(person)
    submit(annotation)
    annotation.refresh_from_db()
    accept_annotation(annotation=annotation, reviewer=reviewer)
    annotation.refresh_from_db()
    return annotation


@pytest.fixture
def known(other_annotator, reviewer) -> Annotation:
    found = accepted_by(other_annotator, reviewer)
    for number in range(10):
        TagFactory(article__title=f"Waiting {number}")
    return found


def mix_in(client, *sources: Annotation, percent: object = 10, seed: str = "7"):
    return client.post(CHECKS, {"annotation": [each.pk for each in sources], "percent": percent, "seed": seed})


def queue_of(person: User) -> list[str]:
    """The titles that this person would get, in order."""
    titles = []
    while (annotation := claim_next_tag(annotator=person)) is not None:
        titles.append(annotation.tag.article.title)
        submit(annotation)
    return titles


def test_a_check_takes_a_position_in_the_queue_and_the_tag_goes_to_the_end(amir, known, annotator):
    before = list(Tag.objects.order_by("pk").values_list("pk", flat=True))
    assert mix_in(amir, known).status_code == 302
    check = CheckTag.objects.get()
    assert check.tag_id in before
    assert check.tag.article.title == "Known Bridge"
    assert (check.tag.paragraph, check.original_id) == (known.tag.paragraph, known.tag_id)
    assert check.reference["question1"] == complete_content()["question1"]
    assert Tag.objects.count() == len(before) + 1
    assert Assignment.objects.filter(tag=check.tag).count() == 1
    event = Event.objects.get(action="mixed_in")
    assert event.after["tag"] == check.tag_id
    titles = queue_of(annotator)
    assert len(titles) == 11
    assert set(titles) == {"Known Bridge", *(f"Waiting {number}" for number in range(10))}
    assert titles.index("Known Bridge") < 10


def test_the_same_seed_draws_the_same_positions(amir, known, annotator):
    make_person("third", Role.ANNOTATOR)
    make_person("fourth", Role.ANNOTATOR)
    found = []
    for seed in ("7", "7", "8", "9"):
        with transaction.atomic():
            mix_in(amir, known, percent=30, seed=seed)
            found.append(list(CheckTag.objects.values_list("tag", "person")))
            transaction.set_rollback(True)
    assert found[0] == found[1]
    assert len({tuple(each) for each in found}) > 1
    assert all(len(each) == 3 for each in found)


def test_who_wrote_the_answer_does_not_get_it(amir, known, annotator, other_annotator):
    mix_in(amir, known, percent=30)
    assert list(CheckTag.objects.values_list("person", flat=True)) == [annotator.pk]
    assert "Known Bridge" not in queue_of(other_annotator)


def test_each_person_gets_each_source_once_and_nobody_anothers(amir, known, annotator):
    third = make_person("third", Role.ANNOTATOR)
    mix_in(amir, known, percent=50)
    assert set(CheckTag.objects.values_list("person", flat=True)) == {annotator.pk, third.pk}
    assert left_for(annotator) == left_for(third) == 11, "ten, and their own check"
    mix_in(amir, known, percent=50)
    assert CheckTag.objects.count() == 2, "all have had it"
    assert queue_of(annotator).count("Known Bridge") == 1
    assert queue_of(third) == ["Known Bridge"]


def test_admins_who_annotate_get_none(amir, known):
    make_person("both", Role.ADMIN, Role.ANNOTATOR)
    assert mix_in(amir, known).status_code == 409
    assert not CheckTag.objects.exists()


def test_what_remains_goes_down_by_one_with_each_tag(amir, known, annotator):
    make_person("third", Role.ANNOTATOR)
    mix_in(amir, known, percent=50)
    left = [left_for(annotator)]
    while (annotation := claim_next_tag(annotator=annotator)) is not None:
        submit(annotation)
        left.append(left_for(annotator))
    assert left == list(range(11, -1, -1))


def test_a_source_whose_tag_is_opened_again_goes_to_nobody_who_has_its_check(amir, known, annotator, admin):
    mix_in(amir, known)
    set_annotations_needed(tag=known.tag, needed=2, admin=admin)
    assert queue_of(annotator).count("Known Bridge") == 1


def test_who_reads_the_source_afterwards_does_not_get_it_from_queue_or_admin(amir, rita, known, reviewer, admin):
    reviewer.groups.add(Group.objects.get_or_create(name=Role.ANNOTATOR)[0])
    both = User.objects.get(pk=reviewer.pk)
    mix_in(amir, known, percent=30)
    assert CheckTag.objects.get().person_id == both.pk
    rita.get(reverse("reviews_annotation", args=[known.pk]))
    with pytest.raises(Refusal, match="has seen another annotation"):
        assign_tag(tag=CheckTag.objects.all()[0].tag, annotator=both, admin=admin)
    assert "Known Bridge" not in queue_of(both)


def test_nothing_counts_it(amir, known, annotator, reviewer, admin):
    mix_in(amir, known)
    before = (table_1(), len(list(current_records())), len(list(work_lines())))
    check = CheckTag.objects.get()
    while (annotation := claim(annotator)).tag_id != check.tag_id:
        submit(annotation)
        Annotation.objects.filter(pk=annotation.pk).update(state="excluded", review_message="Not needed")
    submit(annotation)
    annotation.refresh_from_db()
    accept_annotation(annotation=annotation, reviewer=reviewer)
    assert annotation.tag.annotations.get().pk == annotation.pk
    assert (table_1(), len(list(current_records()))) == before[:2]
    assert not any(f'"annotation": {annotation.pk},' in line for line in work_lines())
    Assignment.objects.create(
        tag=check.tag, number=2, annotator=admin, claimed_at="2026-01-01T00:00Z", done_at="2026-01-01T00:00Z"
    )
    assert not annotated_twice(None).filter(tag=check.tag).exists()
    release = create_release(name="first", admin=admin)
    assert [record.annotation_id for record in release.records.all()] == [known.pk]


def test_the_page_shows_each_persons_results_by_field(amir, known, annotator):
    mix_in(amir, known)
    assert "Results appear here" in amir.get(CHECKS).content.decode()
    check = CheckTag.objects.get()
    while (annotation := claim(annotator)).tag_id != check.tag_id:
        submit(annotation)
    submit(annotation, complete_content(**{"Contradict type I": ["NUM"]}))
    page = " ".join(amir.get(CHECKS).content.decode().split())
    assert f"{annotator}</a>" in page
    assert "Semantic Type</th>" in page
    assert "0 of 1" in page
    assert "1 of 1" in page
    assert "7 of 8" in page, page[page.index("<tbody>") : page.index("</tbody>")]


@pytest.mark.parametrize(
    "sent",
    [{"percent": 0}, {"percent": 51}, {"percent": "x"}, {"seed": " "}, {"annotation": []}, {"annotation": [99]}],
)
def test_wrong_forms_are_refused_and_shown_again(amir, known, sent):
    answer = amir.post(CHECKS, {"annotation": [known.pk], "percent": 10, "seed": "mine"} | sent)
    assert answer.status_code == 400
    assert "Nothing was changed" in answer.content.decode()
    assert not CheckTag.objects.exists()


def test_an_empty_queue_hides_nothing(amir, other_annotator, reviewer):
    only = accepted_by(other_annotator, reviewer)
    assert mix_in(amir, only).status_code == 409
    TagFactory()
    assert mix_in(amir, only).status_code == 409


def test_only_admins_who_do_not_annotate_may_look(amir, anna, rita, ada, known, sign_in, annotator):
    mix_in(amir, known)
    for client in (anna, rita, ada):
        assert client.get(CHECKS).status_code == 403
        assert mix_in(client, known).status_code == 403
    both = sign_in(make_person("both", Role.ADMIN, Role.ANNOTATOR))
    assert both.get(CHECKS).status_code == 403
    assert mix_in(both, known).status_code == 403
    assert "mixed into the queue" not in both.get("/activity/").content.decode()
    assert "mixed into the queue" in amir.get("/activity/").content.decode()
    assert CheckTag.objects.count() == 1


def test_evidence_keeps_its_numbers_and_moves_with_its_tag(amir, known, annotator):
    def fetch(tag: Tag, html: str) -> Evidence:
        kept = {"tag": tag, "kind": EvidenceKind.ARTICLE, "title": tag.article.title}
        made = Evidence.objects.create(page=EvidencePage.of(html), rendering=Rendering.WIKITEXT, **kept)
        asked = {"tag": tag, "article": tag.article, "kind": EvidenceKind.ARTICLE, "state": RequestState.DONE}
        EvidenceRequest.objects.create(evidence=made, **asked)
        return made

    fetch(known.tag, "<p>Known</p>")
    waiting = {tag.pk: fetch(tag, f"<p>{tag.article.title}</p>") for tag in positions()}
    mix_in(amir, known)
    check = CheckTag.objects.get()
    (here,) = Evidence.objects.filter(tag=check.tag)
    assert here.pk == waiting[check.tag_id].pk
    assert (here.html, here.title) == ("<p>Known</p>", "Known Bridge")
    assert EvidenceRequest.objects.get(tag=check.tag).article_id == known.tag.article_id
    moved = Tag.objects.latest("pk")
    assert Evidence.objects.get(tag=moved).html == waiting[check.tag_id].html
    assert EvidenceRequest.objects.get(tag=moved).evidence.tag_id == moved.pk


def test_a_tag_that_someone_began_is_no_position(known, annotator):
    begun = claim(annotator)
    assert begun.tag_id not in positions().values_list("pk", flat=True)
    assert positions().count() == 9


@pytest.mark.postgresql
def test_the_database_keeps_checks_as_they_are_and_out_of_releases(amir, known, annotator, admin):
    release = create_release(name="first", admin=admin)
    mix_in(amir, known)
    check = CheckTag.objects.get()
    free = positions().first()
    while (annotation := claim(annotator)).tag_id != check.tag_id:
        submit(annotation)
    again = {"original": known.tag, "reference": {}, "seed": "1", "made_by": admin, "person": admin}
    wrong = [
        lambda: CheckTag.objects.update(seed="other"),
        lambda: CheckTag.objects.all().delete(),
        lambda: ReleasedRecord.objects.create(release=release, position=9, annotation=annotation, content="{}"),
        lambda: (
            Instance.objects.filter(tag=known.tag).update(tag=known.tag)
            and Instance.objects.create(key="x" * 64, tag=check.tag, content={}, question="?")
        ),
        lambda: CheckTag.objects.create(tag=annotation.tag, source=known, **again),
        lambda: CheckTag.objects.create(tag=free, source=annotation, **again),
        lambda: CheckTag.objects.create(tag=known.tag, source=known, **again),
    ]
    for change in wrong:
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


def take_out(client, *checks: CheckTag):
    return client.post(CHECKS, {"action": "take_out", "check": [check.pk for check in checks]})


def test_a_check_that_nobody_has_begun_is_taken_out(amir, known, annotator):
    mix_in(amir, known)
    check = CheckTag.objects.get()
    assert take_out(amir, check).status_code == 302
    assert "taken out" in amir.get(CHECKS).content.decode()
    assert "Known Bridge" not in queue_of(annotator)
    assert not Annotation.objects.filter(tag=check.tag).exists()


def test_a_check_that_was_begun_stays_and_its_result_counts(amir, known, annotator):
    mix_in(amir, known)
    check = CheckTag.objects.get()
    while (annotation := claim(annotator)).tag_id != check.tag_id:
        submit(annotation)
    assert take_out(amir, check).status_code == 409
    submit(annotation)
    assert take_out(amir, check).status_code == 409
    check.tag.refresh_from_db()
    assert check.tag.gone_at is None
    assert [len(each.results) for each in results_of_people()] == [1]


def test_admins_who_annotate_take_out_none(amir, known, annotator, sign_in):
    mix_in(amir, known)
    both = sign_in(make_person("both", Role.ADMIN, Role.ANNOTATOR))
    assert take_out(both, CheckTag.objects.get()).status_code == 403
