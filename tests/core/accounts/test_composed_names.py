"""A name with an accent is one name, however the keyboard wrote it: é in one character or in two."""

import unicodedata

import pytest
from django.db import IntegrityError, transaction
from django.test import Client, RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from annotation.models import Notice
from core.accounts import people
from core.accounts.adapter import _limit_keys
from core.activity import LogFilters
from core.models import Role, User
from core.models.names import composed, name_key
from core.refusals import Refusal
from tests.annotation.desk_helpers import claim
from tests.factories import TagFactory

pytestmark = pytest.mark.django_db

PASSWORD = "five green bridges"
IN_ONE, IN_TWO, WIDE = "jos\u00e9", "jose\u0301", "\uff4aos\u00e9"
FORMS = [IN_ONE, IN_TWO, WIDE, IN_TWO.title()]


@pytest.fixture
def jose() -> User:
    """An account whose name was typed in two characters by whoever made it."""
    return User.objects.create_user(IN_TWO, email="jose@example.org", password=PASSWORD, first_name="Jose\u0301")


@pytest.mark.parametrize("typed", FORMS)
def test_each_form_signs_in(jose, typed):
    answer = Client().post("/account/login/", {"login": typed, "password": PASSWORD})
    assert answer.status_code == 302


@pytest.mark.parametrize("typed", FORMS)
def test_an_address_with_an_accent_signs_in(jose, typed):
    User.objects.filter(pk=jose.pk).update(email=f"{IN_ONE}@b\u00fccher.example")
    login = f"{typed}@bu\u0308cher.example"
    assert User.objects.filter(email__iexact=login).exists()


def test_however_an_account_is_made_its_name_is_stored_in_one_form():
    one = User.objects.create(username=IN_TWO)
    User.objects.bulk_create([User(username="ame\u0301lie", last_name="Que\u0301")])
    assert one.username == IN_ONE
    assert set(User.objects.values_list("username", flat=True)) == {IN_ONE, "am\u00e9lie"}
    User.objects.filter(pk=one.pk).update(username="Ange\u0301")
    assert User.objects.get(username="Ang\u00e9").pk == one.pk


@pytest.mark.parametrize("typed", [IN_ONE, IN_TWO, WIDE])
def test_two_forms_are_no_two_accounts(jose, admin, typed):
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create(username=typed)
    invitation, token = people.invite(admin=admin, roles=[Role.ANNOTATOR])
    answer = Client().post(f"/account/join/{token}/", {"username": typed, "password": PASSWORD})
    assert "is taken" in answer.content.decode()
    with pytest.raises(Refusal):
        people.accept_invitation(invitation=invitation, username=typed, password=PASSWORD)


def test_an_invitation_to_an_address_that_has_an_account_is_refused(admin):
    User.objects.create(username="bo", email=f"{IN_TWO}@example.org")
    with pytest.raises(Refusal):
        people.invite(admin=admin, roles=[Role.ANNOTATOR], email=f"{IN_ONE}@example.org")


def test_wrong_passwords_are_counted_for_one_name():
    request = RequestFactory().get("/")
    keys = [_limit_keys(request, {"username": typed}, None) for typed in FORMS]
    assert keys == [keys[0]] * len(keys)


@pytest.mark.parametrize("typed", FORMS)
def test_a_mention_finds_the_person(annotator, reviewer, sign_in, typed):
    User.objects.filter(pk=reviewer.pk).update(username=IN_TWO)
    TagFactory()
    address = f"/annotation/comments/about/{claim(annotator).pk}/write/"
    answer = sign_in(annotator).post(address, {"text": f"Dear @{typed}. Is this a date?", "field": ""})
    assert answer.status_code < 400, answer.content.decode()[:500]
    assert Notice.objects.get().person == reviewer


@pytest.mark.parametrize("typed", [IN_ONE, IN_TWO])
def test_lists_and_the_log_find_the_person(jose, admin, sign_in, typed):
    client = sign_in(admin)
    assert f">{IN_ONE}" in client.get("/people/", {"q": typed}).content.decode()
    assert client.get("/api/v1/people/", {"q": typed}).json()["results"][0]["username"] == IN_ONE
    assert LogFilters({"actor": typed}).person == jose.pk


@given(st.text())
def test_the_key_of_a_name_does_not_change_with_its_form(name):
    forms = [unicodedata.normalize(form, name) for form in ("NFC", "NFD", "NFKC", "NFKD")]
    assert {name_key(form) for form in forms} == {name_key(name)}
    assert composed(composed(name)) == composed(name)
