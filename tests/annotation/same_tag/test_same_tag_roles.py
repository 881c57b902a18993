"""Whoever annotates a tag learns nothing of the other annotation of it before their own is decided, whatever other
roles they hold: every address and every file that is brought, before and after each act of others, byte for byte.
"""

import json
from collections.abc import Iterator
from functools import partial

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.urls import reverse

from annotation.content.fields import Content
from annotation.content.paper_record import RESULT, result_of_content
from annotation.desk.assignments.assignment import hand_back, skip_tag
from annotation.desk.comments.about_annotations import AboutAnnotation
from annotation.desk.comments.comments import answer_question, ask_question, write_comment
from annotation.desk.decisions import accept_annotation, exclude_annotation, reopen_annotation, return_annotation
from annotation.desk.drafts.time import note_time
from annotation.label_studio.results import items_of
from annotation.reviewing.edits import suggest_edit
from annotation.tags.changes import TagAction
from annotation.tags.listing import TagState, Work
from core.models import Role
from judging.models import CallState, LanguageModel, Run, RunKind
from tests.annotation.desk_helpers import complete_content, invalid_content, submit
from tests.annotation.same_tag.desk import Desk, call_for, read_anew, with_roles
from tests.core.addresses import EVERYBODY, LISTED, MAY_OPEN, SIGNED_IN
from tests.core.asking import address, post
from tests.doors.walking import Door, told_by, walk_all

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

# Beside that of an annotator.
OTHER_ROLES = [(), (Role.REVIEWER,), pytest.param((Role.ADMIN,), marks=pytest.mark.thorough)]
OTHERS_QUESTION = "What did the other one ask?"

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
    write_comment(topic=AboutAnnotation(desk.theirs), person=desk.ansel, text=text, field="question1")
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
    write_comment(topic=AboutAnnotation(desk.theirs), person=desk.ralph, text=f"{to_rita(desk)} agrees?")


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
STAGES = {writes: WHILE_RITA_WRITES, has_submitted: ONCE_RITA_HAS_SUBMITTED, was_returned: [submits, hands_it_back]}


def opens(name: str, roles: tuple[str, ...]) -> bool:
    return MAY_OPEN[name] in (EVERYBODY, SIGNED_IN) or bool(set(MAY_OPEN[name]) & set(roles))


def doors(desk: Desk, rows: dict, roles: tuple[str, ...]) -> Iterator[tuple[str, Door]]:
    own = {"own_annotation": desk.mine.pk, "comment": desk.comment, "tag": desk.tag.pk, "submitted": desk.mine.pk}
    others = own | {"own_annotation": desk.theirs.pk, "submitted": desk.theirs.pk, "person": desk.ralph.pk}
    names = [
        name
        for name in LISTED
        if name == "account" or (not name.startswith(("account_", "mfa_", "sample_", "ready")) and opens(name, roles))
    ]
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
    yield from (reverse(name) for name in ("export_label_studio", "export_waiting_to_label_studio"))
    yield from (reverse("report", args=[name]) for name in ("table1", "annotators", "annotator-agreement"))
    files = [(name, kind) for name in ("annotators", "annotator-agreement") for kind in ("csv", "json")]
    yield from (reverse("report_download", args=file) for file in files)
    run, model = Run.objects.get(kind=RunKind.SUGGESTION), LanguageModel.objects.get(name="Small")
    yield from (reverse("run", args=[run.pk]), reverse("run_calls", args=[run.pk]), reverse("model", args=[model.pk]))
    yield from (reverse("runs"), reverse("report", args=["cost"]), reverse("report_download", args=["cost", "json"]))


def changed_by_admins(desk: Desk) -> Iterator[tuple[str, Door]]:
    """Acts of an admin on the tag, each with the page that shows its result."""
    for action in TagAction.values:
        for person in (desk.ansel, desk.rita, None):
            for number in ("1", "3") if action == TagAction.NEEDED else ("2",):
                sent = {"tag": desk.tag.pk, "action": action, "number": number, "next": reverse("account")}
                sent |= {"annotator": person.pk} if person else {}
                name = f"POST {action} {person} {number}"
                yield name, lambda client, sent=sent: client.post(reverse("tags_change"), sent, follow=True)


def ordered_by_admins(desk: Desk) -> Iterator[tuple[str, Door]]:
    """Acts on all calls of the desk or on a person, each with the message of the next page."""
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
def test_nothing_of_the_other_annotation_shows_anywhere(roles, desk, rows, sign_in):
    roles = (Role.ANNOTATOR, *roles)
    client = sign_in(with_roles(desk.rita, *roles))
    client.get("/account/")  # makes the session's own rows
    listed = dict(doors(desk, rows, roles))
    nothing, told = {}, {}
    for stage, acts in STAGES.items():
        with transaction.atomic():
            stage(read_anew(desk))
            done = {act.__name__: lambda act=act: act(read_anew(desk)) for act in acts}
            nothing = walk_all(listed, client.cookies, nothing)
            cookies = client.cookies
            told[stage.__name__] = told_by(listed, done, cookies, compared=status_and_text, nothing=nothing)
            transaction.set_rollback(True)
    assert told == {key: {} for key in told}
