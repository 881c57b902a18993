"""Whoever annotates a tag learns nothing of the other annotation of it before their own is decided, whatever other
roles they hold: every address and every file that is brought, before and after each act of others, byte for byte.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

import pytest
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotation.content.fields import Content
from annotation.content.paper_record import RESULT, result_of_content
from annotation.desk.assignment import (
    assign_tag,
    claim_next_tag,
    flag_tag,
    hand_back,
    set_annotations_needed,
    skip_tag,
)
from annotation.desk.comments import (
    answer_question,
    ask_question,
    reopen_comment,
    resolve_comment,
    write_comment,
)
from annotation.desk.decisions import accept_annotation, exclude_annotation, reopen_annotation, return_annotation
from annotation.desk.time import note_time
from annotation.evidence import ask_for_article
from annotation.label_studio.results import items_of
from annotation.models import (
    Annotation,
    Evidence,
    EvidenceKind,
    EvidencePage,
    EvidenceRequest,
    ModelSuggestion,
    Rendering,
    RequestState,
    SeenAnnotation,
    Tag,
)
from annotation.reviewing.edits import suggest_edit
from annotation.tags.changes import TagAction
from annotation.tags.listing import TagState, Work
from core.models import Role, User
from core.refusals import Refusal
from judging.models import Attempt, AttemptOutcome, Call, CallState, LanguageModel, Run, RunKind
from judging.runs.model_suggestions import run_of_suggestions
from review.models import Judgment
from tests.annotation.desk_helpers import complete_content, invalid_content, save, submit
from tests.conftest import make_person
from tests.core.addresses import EVERYBODY, LISTED, MAY_OPEN, SIGNED_IN, address, post
from tests.core.world import example
from tests.factories import TagFactory
from tests.judging.making import make_instance, make_model
from tests.review.making import make_response, make_round, make_run
from tests.review.test_blindness import clock
from tests.walking import Door, told_by

pytestmark = pytest.mark.django_db
__all__ = ["clock", "example"]

# Beside that of an annotator.
OTHER_ROLES = [(), (Role.REVIEWER,), (Role.ADMIN,)]
PRICED = {"price_in": 1, "price_out": 2}
OTHERS_QUESTION = "What did the other one ask?"


@dataclass(frozen=True)
class Desk:
    """A tag that two annotate: Rita, who holds other roles as well, and Ansel. Both have begun."""

    tag: Tag
    rita: User
    ansel: User
    ralph: User
    mine: Annotation
    theirs: Annotation
    comment: int


@pytest.fixture
def desk(example, admin, reviewer, other_reviewer, other_annotator) -> Desk:
    reviewer = with_roles(reviewer, Role.REVIEWER, Role.ANNOTATOR)
    tag = TagFactory(annotations_needed=2)
    for person in (reviewer, other_annotator):
        assign_tag(tag=tag, annotator=person, admin=admin)
        save(Annotation.objects.get(tag=tag, annotator=person), complete_content(confidence="3"))
    mine, theirs = (Annotation.objects.get(tag=tag, annotator=person) for person in (reviewer, other_annotator))
    said = write_comment(annotation=theirs, person=other_annotator, text="Which year is it?")
    call_for(mine, "A", CallState.FAILED)
    return Desk(tag, reviewer, other_annotator, other_reviewer, mine, theirs, said.pk)


def with_roles(person: User, *roles: str) -> User:
    """The person with just these roles, which are looked up once."""
    person.groups.set([Group.objects.get_or_create(name=role)[0] for role in roles])
    return User.objects.get(pk=person.pk)


def call_for(annotation: Annotation, target: str, state: CallState) -> Call:
    """A call for a suggestion at the desk of this annotation's writer, with what came of it."""
    model = LanguageModel.objects.filter(name="Small").first() or make_model(name="Small", **PRICED)
    suggestion = ModelSuggestion.objects.create(
        annotation=annotation, target=target, model="Small", prompt="…", state="failed", error="It broke off."
    )
    call = Call.objects.create(
        run=run_of_suggestions(model), model=model, purpose="suggestion", model_suggestion=suggestion
    )
    outcome = AttemptOutcome.IN_DOUBT if state == CallState.IN_DOUBT else AttemptOutcome.REJECTED
    cost = {"request": {}, "possible_cost": Decimal("0.25"), "cost": 0}
    Attempt.objects.create(call=call, model=model, number=1, outcome=outcome, ended_at=timezone.now(), **cost)
    ended = {"attempts_made": 1, "ended_at": timezone.now(), "reason": "broken off", "error": "It broke off."}
    Call.objects.filter(pk=call.pk).update(state=state, failure_group="0123456789ab", **ended)
    return call


# Where programs do what is done at the desk, in reviews and in comments.
WORKED_AT = tuple(f"/api/v1/{each}/" for each in ("annotations", "assignments", "comments", "reviews"))


# How far Rita is; then what others do.
def writes(desk: Desk) -> None:
    pass


def has_submitted(desk: Desk) -> None:
    submit(desk.mine)


def was_returned(desk: Desk) -> None:
    submit(desk.mine)
    return_annotation(annotation=desk.mine, reviewer=desk.ralph, message="Which bridge?")


def submits(desk: Desk) -> None:
    note_time(annotation=desk.theirs, annotator=desk.ansel, page="a", seconds={1: 40, 5: 20})
    submit(desk.theirs, complete_content(question1=OTHERS_QUESTION))


def takes_back(desk: Desk) -> None:
    submits(desk)
    reopen_annotation(annotation=desk.theirs, annotator=desk.ansel)


def to_rita(desk: Desk) -> str:
    """Her name with an @ if it may be written so."""
    may_be_named = desk.rita.groups.exclude(name=Role.ANNOTATOR).exists()
    return "@rita" if may_be_named else "Rita"


def asks(desk: Desk) -> None:
    text = f"{to_rita(desk)} and @ralph, look here."
    write_comment(annotation=desk.theirs, person=desk.ansel, text=text, field="question1")
    ask_question(annotation=desk.theirs, annotator=desk.ansel, text=f"Is it {to_rita(desk)} who knows?")


def is_answered(desk: Desk) -> None:
    asks(desk)
    text = f"It is 1903, {to_rita(desk)}."
    answer_question(ask=desk.theirs.comments.get(is_ask=True), person=desk.ralph, text=text)


def hands_it_back(desk: Desk) -> None:
    hand_back(annotation=desk.theirs, annotator=desk.ansel)


def suggested(desk: Desk) -> None:
    submits(desk)
    desk.theirs.refresh_from_db()
    values = {"field": "question1", "text": "Was it open in 1900?", "seen_version": desk.theirs.version}
    suggest_edit(annotation=desk.theirs, reviewer=desk.ralph, **values)
    write_comment(annotation=desk.theirs, person=desk.ralph, text=f"{to_rita(desk)} agrees?")


def asks_a_model(desk: Desk) -> None:
    for target, state in (("B", CallState.IN_DOUBT), ("question1", CallState.FAILED)):
        call_for(desk.theirs, target, state)


def accepted(desk: Desk) -> None:
    submits(desk)
    accept_annotation(annotation=desk.theirs, reviewer=desk.ralph)


def returned(desk: Desk) -> None:
    suggested(desk)
    return_annotation(annotation=desk.theirs, reviewer=desk.ralph, message="Which bridge?")


def excluded(desk: Desk) -> None:
    submits(desk)
    exclude_annotation(annotation=desk.theirs, reviewer=desk.ralph, reason="ambiguous")


def finds_it_invalid(desk: Desk) -> None:
    submit(desk.theirs, invalid_content())


def skips_it(desk: Desk) -> None:
    skip_tag(annotation=desk.theirs, annotator=desk.ansel, reason="I know the bridge.")


# Each a world of its own; what leaves as much behind as another is not tried beside it.
WHILE_RITA_WRITES = [finds_it_invalid, takes_back, asks, is_answered, hands_it_back, skips_it, asks_a_model, accepted]
# Choosing the other one decides hers as well.
ONCE_RITA_HAS_SUBMITTED = [asks, suggested, returned, excluded, hands_it_back]


def opens(name: str, roles: tuple[str, ...]) -> bool:
    return MAY_OPEN[name] in (EVERYBODY, SIGNED_IN) or bool(set(MAY_OPEN[name]) & set(roles))


def doors(desk: Desk, rows: dict, roles: tuple[str, ...]) -> Iterator[tuple[str, Door]]:
    own = {"own_annotation": desk.mine.pk, "comment": desk.comment, "tag": desk.tag.pk, "submitted": desk.mine.pk}
    others = own | {"own_annotation": desk.theirs.pk, "submitted": desk.theirs.pk, "person": desk.ralph.pk}
    names = [name for name in LISTED if name == "account" or (not name.startswith("account_") and opens(name, roles))]
    found = {address(name, rows | each) for name in names for each in (own, others)}
    found |= {f"{reverse('reviews')}?state={state}" for state in ("incomplete", "returned", "accepted", "excluded")}
    found |= {f"{reverse('reviews')}?mine=no", f"{reverse('reviews_next')}?after={desk.mine.pk}"}
    found |= {f"{reverse('reviews_next')}?after={desk.theirs.pk}"}
    if Role.ADMIN in roles:
        found |= set(asked_by_admins(desk))
        yield from changed_by_admins(desk)
        yield from brought_by_admins(desk)
        yield from ordered_by_admins(desk)
    for where in sorted(found):
        yield f"GET {where}", lambda client, where=where: client.get(where)
        if where.startswith(("/annotation/desk/", "/annotation/reviews/", "/annotation/comments/")):
            yield f"POST {where}", lambda client, where=where: client.post(where, {"text": "x", "reason": "x"})
        elif where.startswith(WORKED_AT):
            yield f"POST {where}", lambda client, where=where: post(client, where)


def asked_by_admins(desk: Desk) -> Iterator[str]:
    """Addresses that say more with what stands behind the question mark, and every file."""
    tags, log = reverse("tags"), reverse("activity")
    yield from (f"{tags}?state={state}" for state in TagState.values)
    yield from (f"{tags}?person={person.pk}" for person in (desk.ansel, desk.rita))
    yield from (f"{tags}?work={work}" for work in Work.values)
    yield from (f"{tags}?person={desk.ansel.pk}&work={work}" for work in Work.values)
    yield from (f"{log}?actor={person.pk}" for person in (desk.ansel, desk.ralph, desk.rita))
    yield from (f"{log}?kind=annotation&subject={each.pk}" for each in (desk.mine, desk.theirs))
    yield from (f"{log}?kind=tag&subject={desk.tag.pk}", f"{log}?kind=comment&subject={desk.comment}")
    yield from (reverse("export_now", args=[kind]) for kind in ("json", "csv", "work"))
    yield reverse("export_label_studio")
    yield from (reverse("report", args=[name]) for name in ("table1", "annotators", "annotator-agreement"))
    files = [(name, kind) for name in ("annotators", "annotator-agreement") for kind in ("csv", "json")]
    yield from (reverse("report_download", args=file) for file in files)
    run, model = Run.objects.get(kind=RunKind.SUGGESTION), LanguageModel.objects.get(name="Small")
    yield from (reverse("run", args=[run.pk]), reverse("run_calls", args=[run.pk]), reverse("model", args=[model.pk]))
    yield from (reverse("runs"), reverse("report", args=["cost"]), reverse("report_download", args=["cost", "json"]))


def changed_by_admins(desk: Desk) -> Iterator[tuple[str, Door]]:
    """What an admin does to the tag, with the page that then says what came of it."""
    for action in TagAction.values:
        for person in (desk.ansel, desk.rita, None):
            for number in ("1", "3") if action == TagAction.NEEDED else ("2",):
                sent = {"tag": desk.tag.pk, "action": action, "number": number, "next": reverse("account")}
                sent |= {"annotator": person.pk} if person else {}
                name = f"POST {action} {person} {number}"
                yield name, lambda client, sent=sent: client.post(reverse("tags_change"), sent, follow=True)


def ordered_by_admins(desk: Desk) -> Iterator[tuple[str, Door]]:
    """What is done to all calls of the desk, or to a person, with what the next page then says of it."""
    run = Run.objects.get(kind=RunKind.SUGGESTION)
    ordered = [reverse(name, args=[run.pk]) for name in ("run_retry", "run_repeat", "run_give_up")]
    for where in (*ordered, reverse("person_deactivate", args=[desk.ansel.pk])):
        yield f"POST {where}", lambda client, where=where: (client.post(where), client.get("/account/"))[1]


def brought_by_admins(desk: Desk) -> Iterator[tuple[str, Door]]:
    """Files with a guess at what the other annotation says, and without an annotation, checked and imported."""
    guesses: dict[str, Content | None] = {
        "right": complete_content(question1=OTHERS_QUESTION),
        "wrong": complete_content(question1="Is it red?"),
        "invalid": invalid_content(),
        "empty": None,
    }
    tag = desk.tag
    task = {"title": tag.article.title, "url": tag.article.url, "tag": tag.raw, "paragraph_A": tag.paragraph}
    task |= {"paragraph_A_clean": tag.paragraph_clean, "tagDate": tag.date, "tagReason": tag.reason}
    for name, guess in guesses.items():
        record = task | ({} if guess is None else {RESULT: result_of_content(guess)})
        for action in ("check", "import"):
            yield f"{action} of a file that is {name}", partial(bring, text=json.dumps([record]), action=action)
        by = {"completed_by": {"email": desk.rita.email}, "result": items_of(record.get(RESULT, {}))}
        tasks = json.dumps([{"data": task, "annotations": [by]}])
        there = partial(bring, text=tasks, action="import", name="import_label_studio")
        yield f"import of tasks that are {name}", there


def bring(client, *, text: str, action: str, name: str = "import_annotations"):
    file = SimpleUploadedFile("file.json", text.encode())
    return client.post(reverse(name), {"file": file, "action": action})


def status_and_text(name: str, shown: tuple) -> tuple:
    return shown[:3]


@pytest.mark.parametrize("roles", OTHER_ROLES, ids=lambda roles: "+".join(roles))
@pytest.mark.parametrize(
    ("stage", "acts"),
    [(writes, WHILE_RITA_WRITES), (has_submitted, ONCE_RITA_HAS_SUBMITTED), (was_returned, [submits, hands_it_back])],
)
def test_nothing_of_the_other_annotation_shows_anywhere(stage, acts, roles, desk, example, sign_in):
    stage(desk)
    roles = (Role.ANNOTATOR, *roles)
    client = sign_in(with_roles(desk.rita, *roles))
    client.get("/account/")  # makes the session's own rows
    done = {act.__name__: partial(act, desk) for act in acts}
    assert told_by(dict(doors(desk, example, roles)), done, client.cookies, compared=status_and_text) == {}


def test_a_flag_says_that_it_is_there_and_to_others_not_why(desk, sign_in):
    flag_tag(tag=desk.tag, annotator=desk.ansel, reason="The years agree once one reads on.")
    page = sign_in(desk.rita).get(reverse("desk_annotation", args=[desk.mine.pk])).content.decode()
    assert "This tag is flagged" in page
    assert "The years agree" not in page
    page = sign_in(desk.ansel).get(reverse("desk_annotation", args=[desk.theirs.pk])).content.decode()
    assert "The years agree" in page


def test_a_further_article_of_the_other_one_is_not_there(desk, sign_in):
    """Neither by its number, which can be guessed, nor by asking for the same one."""
    theirs = ask_for_article(tag=desk.tag, text="Velm Bridge", by=desk.ansel)
    kept = {"tag": desk.tag, "kind": EvidenceKind.FURTHER, "title": "Velm Bridge", "rendering": Rendering.WIKITEXT}
    page = Evidence.objects.create(page=EvidencePage.of("<p>It opened in 1899.</p>"), **kept)
    EvidenceRequest.objects.filter(pk=theirs.pk).update(state=RequestState.DONE, evidence=page)

    def select(person, annotation, evidence):
        sent = {"evidence": evidence, "start": 0, "end": 18, "position": 1, "is_first": True}
        address = reverse("desk_select", args=[annotation.pk])
        return sign_in(person).post(address, json.dumps(sent), content_type="application/json")

    def again(person, annotation, request):
        return sign_in(person).post(reverse("desk_evidence_again", args=[annotation.pk, request])).status_code

    refused = select(desk.rita, desk.mine, page.pk)
    assert refused.status_code == 409
    assert refused.content == select(desk.rita, desk.mine, page.pk + 1000).content
    assert select(desk.ansel, desk.theirs, page.pk).json()["title"] == "Velm Bridge"
    assert again(desk.rita, desk.mine, theirs.pk) == again(desk.rita, desk.mine, theirs.pk + 1000) == 404
    mine = ask_for_article(tag=desk.tag, text="Velm Bridge", by=desk.rita)
    assert (mine.requested_by, mine.state) == (desk.rita, RequestState.WAITING)
    tab = sign_in(desk.rita).get(reverse("desk_evidence", args=[desk.mine.pk, "further"])).text
    assert "Velm Bridge" in tab


def test_who_has_read_another_annotation_is_not_handed_the_tag(desk, admin, sign_in):
    """Ralph annotates, too, but read Ansel's in a review; neither the queue nor an admin gives him the tag."""
    submit(desk.theirs)
    submit(desk.mine)
    page = sign_in(desk.ralph).get(reverse("reviews_annotation", args=[desk.theirs.pk]))
    assert page.status_code == 200
    assert SeenAnnotation.objects.filter(person=desk.ralph, annotation=desk.theirs).exists()
    desk.ralph.groups.add(Group.objects.get(name=Role.ANNOTATOR))
    ralph = User.objects.get(pk=desk.ralph.pk)
    set_annotations_needed(tag=desk.tag, needed=3, admin=admin)
    with pytest.raises(Refusal, match="has seen another annotation"):
        assign_tag(tag=desk.tag, annotator=ralph, admin=admin)
    sign_in(ralph).post(reverse("desk_next"))
    assert not desk.tag.annotations.filter(annotator=ralph).exists()


def test_an_admin_who_has_read_the_page_of_a_tag_is_not_handed_it(desk, admin, sign_in):
    """It says whether others hold the tag valid."""
    page = sign_in(admin).get(reverse("tag", args=[desk.tag.pk])).text
    assert "<td>Valid</td>" in page
    admin = with_roles(admin, Role.ANNOTATOR, Role.ADMIN)
    set_annotations_needed(tag=desk.tag, needed=3, admin=admin)
    with pytest.raises(Refusal, match="has seen another annotation"):
        assign_tag(tag=desk.tag, annotator=admin, admin=admin)
    assert claim_next_tag(annotator=admin).tag != desk.tag


def test_an_admin_who_annotates_a_tag_leaves_it_to_others_who_else_has_it(desk, sign_in):
    """What would tell of the other annotation is refused; what does not is done."""
    rita = with_roles(desk.rita, Role.ANNOTATOR, Role.ADMIN)

    def change(**sent):
        page = sign_in(rita).post(reverse("tags_change"), {"tag": desk.tag.pk} | sent, follow=True)
        return "Another admin can do this" in page.text

    assert change(action="assign", annotator=desk.ralph.pk)
    assert change(action="unassign", annotator=desk.ansel.pk)
    assert change(action="unassign")
    assert change(action="needed", number=1)
    assert not change(action="needed", number=3)
    assert not change(action="priority", number=3)
    assert not change(action="assign", annotator=rita.pk)
    assert desk.tag.assignments.filter(annotator__in=[rita, desk.ansel], asked_at=None).count() == 2
    assert desk.tag.assignments.count() == 3
    assert not change(action="unassign", annotator=rita.pk)


def test_a_flag_that_an_admin_who_annotates_the_tag_takes_off_does_not_tell_its_reason(desk, sign_in):
    flag_tag(tag=desk.tag, annotator=desk.ansel, reason="The years agree once one reads on.")
    client = sign_in(with_roles(desk.rita, Role.ANNOTATOR, Role.ADMIN))
    pages = [client.get(reverse("tag", args=[desk.tag.pk])).text]
    assert "Flagged" in pages[0]
    client.post(reverse("tags_change"), {"tag": desk.tag.pk, "action": "unflag"})
    desk.tag.refresh_from_db()
    assert desk.tag.flagged_at is None
    pages += [client.get(where).text for where in (reverse("tag", args=[desk.tag.pk]), reverse("activity"))]
    assert not [page for page in pages if "The years agree" in page]


def test_an_admin_who_annotates_a_tag_finds_their_own_acts_in_the_log(desk, sign_in):
    skip_tag(annotation=desk.theirs, annotator=desk.ansel, reason="I know the bridge.")
    skip_tag(annotation=desk.mine, annotator=desk.rita, reason="I know the river.")
    client = sign_in(with_roles(desk.rita, Role.ANNOTATOR, Role.ADMIN))
    pages = [client.get(where).text for where in (reverse("activity"), reverse("tag", args=[desk.tag.pk]))]
    assert all("I know the river." in page for page in pages)
    assert not any("I know the bridge." in page for page in pages)


def test_who_annotated_a_tag_may_judge_responses_to_its_instances(desk, admin):
    """Annotating tells nothing of what a model answers, nor of what others say of the answer."""
    submit(desk.mine)
    run = make_run(0)
    make_response(run, make_instance(1, tag=desk.tag))
    round = make_round(admin, [desk.rita, desk.ralph], run)
    assert Judgment.objects.filter(round=round, reviewer=desk.rita).count() == 1


def test_that_a_former_annotator_has_work_on_the_tag_is_hidden(desk, admin, sign_in):
    carl = make_person("carl", Role.ANNOTATOR)
    set_annotations_needed(tag=desk.tag, needed=3, admin=admin)
    assign_tag(tag=desk.tag, annotator=carl, admin=admin)
    with_roles(carl)
    rita = with_roles(desk.rita, Role.ANNOTATOR, Role.ADMIN)
    assert "carl" in sign_in(admin).get(reverse("progress")).text
    assert "carl" not in sign_in(rita).get(reverse("progress")).text


def test_how_many_questions_another_waits_for_is_hidden(desk, admin, sign_in):
    def row(person: User) -> str:
        page = sign_in(person).get(reverse("progress")).text
        return page[page.index("ansel") :].split("</tr>")[0]

    rita = with_roles(desk.rita, Role.ANNOTATOR, Role.ADMIN)
    before = row(rita), row(admin)
    ask_question(annotation=desk.theirs, annotator=desk.ansel, text="Which year is it?")
    assert row(rita) == before[0]
    assert row(admin) != before[1]


def test_no_rule_lets_anyone_say_something_of_what_is_hidden_from_them(desk):
    """The pages do not even find it."""
    said = desk.theirs.comments.get(pk=desk.comment)
    for act in (
        lambda: write_comment(annotation=desk.theirs, person=desk.rita, text="Which year?"),
        lambda: resolve_comment(comment=said, person=desk.rita),
        lambda: reopen_comment(comment=said, person=desk.rita),
    ):
        with pytest.raises(Refusal, match="not open to you"):
            act()
