"""Two people decide about the annotations of one tag in the same instant: one of them is done whole, and the other is
refused whole or follows it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event as Signal

import pytest
from django.db import connection, transaction
from django.db.models import F

from annotation.content.parts import Choice
from annotation.desk.decisions import accept_annotation, exclude_annotation, reopen_annotation, return_annotation
from annotation.models import Annotation, Assignment, Contribution, Tag
from annotation.releases.files.writing import content_hash_of
from annotation.releases.freezing import create_release
from annotation.reviewing.merging import merge_annotations
from core.accounts.people import deactivate_person
from core.models import User
from core.refusals import Refusal
from tests.annotation.merging_helpers import annotated_by, take
from tests.conftest import make_person

pytestmark = pytest.mark.django_db(transaction=True)
Act = Callable[[], object]


def said_of(act: Act) -> str:
    try:
        act()
    except Refusal as refusal:
        return refusal.message
    return "done"


def overlapping(first: Act, second: Act, at: str = "annotation_annotation") -> tuple[str, str]:
    """The outcome of each, where `second` has done all that it does before it locks or changes the table `at` when
    `first` is committed."""
    begun = Signal()

    def notice(execute, sql, params, many, context):
        if f'"{at}"' in sql and (" FOR NO KEY UPDATE" in sql or sql.startswith(("UPDATE", "INSERT"))):
            begun.set()
        return execute(sql, params, many, context)

    def run() -> str:
        # SQLite has one writer at a time: the second waits before it has read anything.
        if connection.vendor == "sqlite":
            begun.set()
        try:
            with connection.execute_wrapper(notice):
                return said_of(second)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            done = said_of(first)
            later = pool.submit(run)
            assert begun.wait(60)
        return done, later.result(60)


class Desk:
    """A tag that two people annotated, and what reviewers and annotators may do with it."""

    def __init__(self, people: dict[str, User]):
        # Annotators of their own: whoever got an annotation back would go on with it first.
        new = {name: make_person(f"{name}{User.objects.count()}", "annotator") for name in ("anna", "ansel")}
        self.people = people = people | new
        self.one, self.two = annotated_by(people["anna"], people["ansel"])
        self.tag: Tag = self.one.tag
        self.versions = {each.pk: each.version for each in (self.one, self.two)}
        choices = take(self.one, people["rita"], but={"confidence": Choice(taken=1)})
        self.acts: dict[str, Act] = {
            "merge": partial(self.merge, "rita", choices),
            "merge too": partial(self.merge, "remy", choices),
            "take back": lambda: reopen_annotation(annotation=self.now(self.one), annotator=people["anna"]),
            "return": lambda: return_annotation(annotation=self.now(self.one), reviewer=people["remy"], message="?"),
            "accept": lambda: accept_annotation(annotation=self.now(self.two), reviewer=people["remy"]),
            "exclude": lambda: exclude_annotation(annotation=self.now(self.two), reviewer=people["remy"], reason="?"),
            "close": lambda: deactivate_person(person=people["anna"], admin=people["amir"]),
        }

    def merge(self, reviewer: str, choices: dict[str, Choice]) -> Annotation:
        return merge_annotations(
            tag=self.tag, reviewer=self.people[reviewer], choices=choices, seen_versions=self.versions
        )

    def now(self, annotation: Annotation) -> Annotation:
        return Annotation.objects.get(pk=annotation.pk)

    def check(self) -> None:
        """The invariants: one is accepted at most, a merge is made of what is submitted, and nobody has
        an annotation to write without the tag."""
        accepted = Annotation.objects.accepted().filter(tag=self.tag)
        assert len(accepted) <= 1
        made_of = Contribution.objects.filter(annotation__in=accepted, original__isnull=False)
        unchanged = made_of.filter(original__version=F("version"), original__state__in=("submitted", "excluded"))
        assert made_of.count() == unchanged.count()
        writing = Annotation.objects.filter(tag=self.tag, state__in=("draft", "returned"))
        theirs = Assignment.objects.unfinished().filter(tag=self.tag, annotator__in=writing.values("annotator"))
        assert writing.filter(annotator__is_active=True).count() == theirs.filter(annotator__is_active=True).count()
        assert not theirs.filter(annotator__is_active=False).exists()


@pytest.fixture
def people() -> dict[str, User]:
    roles = {"rita": "reviewer", "remy": "reviewer", "amir": "admin"}
    return {name: make_person(name, role) for name, role in roles.items()}


MERGED, ACCEPTED = "merged them", "Another annotation of this tag, or a merge, is accepted"
NOT_TWO, GONE = "No two annotations of this tag", "Nothing was changed: this annotation is now"


def test_whoever_comes_second_is_refused_whole(people):
    refused = {
        ("merge", "merge too"): NOT_TWO,
        ("merge", "take back"): MERGED,
        ("merge", "return"): ACCEPTED,
        ("merge", "accept"): "another annotation of this tag is accepted",
        ("take back", "merge"): NOT_TWO,
        ("take back", "return"): GONE,
        ("return", "merge"): NOT_TWO,
        ("return", "take back"): GONE,
        ("accept", "merge"): NOT_TWO,
        ("accept", "take back"): MERGED,
        ("accept", "return"): ACCEPTED,
        ("exclude", "merge"): NOT_TWO,
    }
    for (first, second), why in refused.items():
        desk = Desk(people)
        # Where both are about what its writer may do, the writer is locked first.
        at = "core_user" if {first, second} == {"return", "take back"} else "annotation_annotation"
        done, said = overlapping(desk.acts[first], desk.acts[second], at=at)
        assert (done, why in said) == ("done", True), (first, second, said)
        assert "othing was changed" in said or said.startswith("Not accepted")
        desk.check()


def test_what_is_of_another_annotation_follows(people):
    """A tag that is already accepted may lose one that was not chosen; others may be decided on in any order."""
    for first, second in [("merge", "exclude"), ("take back", "accept"), ("return", "accept"), ("exclude", "return")]:
        desk = Desk(people)
        assert overlapping(desk.acts[first], desk.acts[second]) == ("done", "done"), (first, second)
        desk.check()


def test_a_release_made_while_two_are_merged_has_the_merge_or_not(people):
    earlier, desk = Desk(people), Desk(people)
    earlier.acts["merge"]()
    freeze = partial(create_release, name="First", notes="", admin=people["amir"])
    made = []
    done = overlapping(desk.acts["merge"], lambda: made.append(freeze()), at="core_batch")
    assert done == ("done", "done")
    frozen = set(made[0].records.values_list("annotation__tag", flat=True))
    assert frozen in ({earlier.tag.pk}, {earlier.tag.pk, desk.tag.pk})
    assert content_hash_of(made[0]) == made[0].content_hash


@pytest.mark.parametrize(("act", "why"), [("return", "could not change it"), ("take back", "closed")])
def test_nothing_is_given_to_an_account_that_is_being_closed(people, act, why):
    desk = Desk(people)
    done, said = overlapping(desk.acts["close"], desk.acts[act], at="core_user")
    assert (done, why in said) == ("done", True), said
    desk.check()
    assert desk.now(desk.one).state == "submitted"


def test_what_was_returned_just_before_an_account_is_closed_goes_to_others(people):
    desk = Desk(people)
    assert overlapping(desk.acts["return"], desk.acts["close"], at="core_user") == ("done", "done")
    desk.check()
    assert Assignment.objects.free().filter(tag=desk.tag).exists()
