"""A person leaves: open work is handed on, their data is theirs, and their names go."""

import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from annotation.desk.assignments.assignment import claim_next_tag
from annotation.models import Annotation, Assignment, Comment, Skip
from core.accounts import people
from core.accounts.tokens import make_token
from core.clearing.expired import forget_old_rows
from core.models import AccessToken, CoreAction, Event, Invitation, Role, User
from review.models import Adjudication, Judgment
from tests.conftest import make_person, signed_in
from tests.factories import AnnotationFactory, TagFactory
from tests.factories.review import give_all, make_imported_run, make_round


@pytest.fixture
def claimed(annotator) -> Assignment:
    TagFactory()
    claim_next_tag(annotator=annotator)
    return Assignment.objects.get(annotator=annotator)


# --- Handing on ---------------------------------------------------------------------------------------------------


def by_page(admin: User, person: User) -> None:
    signed_in(admin).post("/people/change/", {"person": [person.pk], "action": "hand_on", "sure": "1"})


def by_api(admin: User, person: User) -> None:
    token = make_token(person=admin, name="x", may_administer=True)[1]
    sent = {"ids": [person.pk], "action": "hand_on"}
    headers = {"Authorization": f"Bearer {token}"}
    answer = Client().post("/api/v1/people/change/", sent, content_type="application/json", headers=headers)
    assert answer.status_code == 200


def by_command(admin: User, person: User) -> None:
    call_command("hand_on_work", person.username)


@pytest.mark.parametrize("door", [by_page, by_api, by_command])
def test_open_work_goes_on_and_the_account_stays_open(door, claimed, annotator, admin):
    door(admin, annotator)
    assert not Assignment.objects.filter(annotator=annotator).exists()
    annotator.refresh_from_db()
    assert annotator.is_active
    assert Event.objects.about(annotator).last().action == "handed_on_work"


def test_open_judgments_go_to_others(admin, reviewer, other_reviewer):
    third = make_person("rosa", Role.REVIEWER)
    round = make_round(
        admin, [reviewer, other_reviewer, third], make_imported_run(2, models=("Mist",)), training_required=False
    )
    people.hand_on_work(person=reviewer, admin=admin)
    assert not round.judgments.filter(reviewer=reviewer).exists()


# --- A person's data ----------------------------------------------------------------------------------------------


@pytest.fixture
def judged(admin, reviewer, other_reviewer):
    round = make_round(
        admin, [reviewer, other_reviewer], make_imported_run(1, models=("Mist",)), training_required=False
    )
    give_all(round.items.get(), "correct", "incorrect")
    return round


def test_a_person_downloads_their_own_data_with_their_work(judged, reviewer, other_reviewer):
    response = signed_in(reviewer).get("/account/data/")
    data = json.loads(response.content)
    assert response["Content-Disposition"] == 'attachment; filename="my-data.json"'
    assert data["account"]["username"] == "rita"
    assert len(data["judgments"]) == 1
    text = response.content.decode()
    assert reviewer.password not in text
    assert "Mist" not in text
    assert "ralph" not in text
    assert Event.objects.about(reviewer).last().action == "exported_person"


def test_an_admin_gets_no_judgments_of_the_person(judged, admin, reviewer):
    text = signed_in(admin).get(f"/people/{reviewer.pk}/data/").content.decode()
    assert json.loads(text)["account"]["username"] == "rita"
    assert "judgments" not in json.loads(text)
    assert '"correct"' not in text
    assert '"judged"' not in text


def test_an_admin_who_judges_beside_the_person_gets_nothing(admin, reviewer, other_reviewer):
    people.set_roles(person=reviewer, roles=[Role.REVIEWER, Role.ADMIN], admin=admin)
    make_round(admin, [reviewer, other_reviewer], make_imported_run(1, models=("Mist",)), training_required=False)
    assert signed_in(reviewer).get(f"/people/{other_reviewer.pk}/data/").status_code == 403
    assert not Event.objects.filter(action="exported_person").exists()


def test_data_is_read_only_after_confirming(annotator, settings):
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = -1
    assert signed_in(annotator).get("/account/data/")["Location"].startswith("/account/confirm/")


def test_the_command_writes_a_file_closed_to_others(annotator, tmp_path):
    AnnotationFactory(annotator=annotator)
    file = tmp_path / "anna.json"
    call_command("export_person", "anna", "--output", str(file))
    assert len(json.loads(file.read_text())["annotations"]) == 1
    assert file.stat().st_mode & 0o077 == 0


# --- Names --------------------------------------------------------------------------------------------------------


@pytest.fixture
def gone(admin, annotator) -> User:
    """Anna Berg, who renamed herself, was invited and mentioned, and whose account is closed."""
    people.set_name(person=annotator, first_name="Anneliese", last_name="Bergmann")
    Invitation.objects.create(
        email="anna@example.org", note="Anneliese", invited_by=admin, token_hash="x", expires_at=timezone.now()
    )
    Event.record(CoreAction.RENAMED, annotator, actor=admin, message="Asked Anneliese (anna@example.org) about it.")
    annotation = AnnotationFactory()
    Comment.objects.create(annotation=annotation, author=admin, text="@anna, is this Anneliese's? An anna-like case.")
    make_token(person=annotator, name="Anneliese's laptop")
    people.deactivate_person(person=annotator, admin=admin)
    return annotator


def shown_texts(admin: User, person: User) -> str:
    client = signed_in(admin)
    pages = ["/activity/", "/people/", f"/people/{person.pk}/", f"/people/{person.pk}/data/", "/api/v1/activity/"]
    return "".join(client.get(page).content.decode() for page in pages)


def test_no_page_has_the_names_afterwards(gone, admin):
    assert "Bergmann" in shown_texts(admin, gone)
    before = list(Event.objects.order_by("pk").values())
    signed_in(admin).post(f"/people/{gone.pk}/names/")
    text = shown_texts(admin, gone)
    for name in ("Anneliese", "Bergmann", "Anna", "Berg", "anna@example.org", ">anna<"):
        assert name not in text, name
    assert f"person-{gone.pk}" in text
    assert list(Event.objects.order_by("pk").values())[: len(before)] == before


def test_the_rows_have_no_names_and_nobody_signs_in(gone, admin):
    call_command("pseudonymise", "anna", "--yes")
    gone.refresh_from_db()
    assert (gone.username, gone.email, str(gone)) == (f"person-{gone.pk}", "", f"person-{gone.pk}")
    assert not gone.has_usable_password()
    assert list(Invitation.objects.values_list("email", "note")) == [("", "")]
    assert AccessToken.objects.get().name == "a token"
    name = f"person-{gone.pk}"
    assert Comment.objects.get().text == f"@{name}, is this {name}'s? An anna-like case."


def test_no_text_to_colleagues_has_the_names(judged, gone, admin):
    people.set_name(person=gone, first_name="Anna Lena", last_name="von Bergmann")
    text = "As @anna and Anna Lena von Bergmann (once Anneliese) said: Lena is right."
    expected = text.replace("@anna", "@{0}").replace("Anna Lena", "{0} {0}").replace("Bergmann", "{0}")
    expected = expected.replace("Anneliese", "{0}").replace("Lena", "{0}").format(f"person-{gone.pk}")
    rows = [(Judgment, "comment"), (Adjudication, "reason"), (Annotation, "review_message"), (Skip, "reason")]
    Skip.objects.create(tag=TagFactory(), annotator=admin)
    for model, field in rows:
        assert model.objects.update(**{field: text}), model
    call_command("pseudonymise", "anna", "--yes")
    for model, field in rows:
        assert set(model.objects.values_list(field, flat=True)) == {expected}, model


def test_an_open_account_keeps_its_names(annotator, admin):
    assert signed_in(admin).post(f"/people/{annotator.pk}/names/").status_code == 409
    annotator.refresh_from_db()
    assert annotator.username == "anna"


def test_it_is_done_once_and_only_with_yes(gone):
    with pytest.raises(CommandError, match="for good"):
        call_command("pseudonymise", "anna")
    call_command("pseudonymise", "anna", "--yes")
    with pytest.raises(CommandError, match="no names left"):
        call_command("pseudonymise", f"person-{gone.pk}", "--yes")


# --- Retention ----------------------------------------------------------------------------------------------------


def test_old_links_lose_their_address_and_old_tokens_go(admin, annotator, settings):
    settings.FORGET_AFTER_DAYS = 30
    invitation, _ = people.invite(admin=admin, roles=[Role.ANNOTATOR], email="bo@example.org")
    make_token(person=annotator, name="new")
    assert forget_old_rows() == 0
    Invitation.objects.update(expires_at=timezone.now() - timedelta(days=31))
    make_token(person=annotator, name="old", days=1, at=timezone.now() - timedelta(days=33))
    settings.FORGET_AFTER_DAYS = 0
    assert forget_old_rows() == 0
    settings.FORGET_AFTER_DAYS = 30
    assert forget_old_rows() == 2
    invitation.refresh_from_db()
    assert (invitation.email, AccessToken.objects.get().name) == ("", "new")
