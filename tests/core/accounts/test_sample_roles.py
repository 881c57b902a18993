"""One click signs in as a sample person: on the machine of a first start, and nowhere else."""

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import reverse

from core.accounts.sample_people import DEMO_PEOPLE, make_demo_people
from core.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def samples(settings):
    settings.SITE_IS_LOCAL = True
    return {user.username: user for user in make_demo_people()}


def signed_in(client: Client) -> str:
    number = client.session.get("_auth_user_id")
    return User.objects.get(pk=number).username if number else ""


@pytest.mark.parametrize("name", DEMO_PEOPLE)
def test_a_click_signs_in_as_each_role_and_another_click_changes_it(name, samples, client):
    page = client.get(reverse("sample_roles")).text
    assert f"Sign in as {name}<" in page
    client.post(reverse("sample_sign_in", args=["admin"]))
    answer = client.post(reverse("sample_sign_in", args=[name]), follow=True)
    assert signed_in(client) == name
    assert "This is a sample" in answer.text
    assert reverse("sample_roles") in client.get(reverse("account")).text


@pytest.mark.parametrize(
    "how",
    [
        {"REMOTE_ADDR": "192.0.2.7"},
        {"REMOTE_ADDR": "::ffff:192.0.2.7"},
        {"HTTP_X_FORWARDED_FOR": "192.0.2.7"},
        {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"HTTP_FORWARDED": "for=127.0.0.1"},
        {"HTTP_VIA": "1.1 proxy"},
    ],
)
def test_no_request_from_elsewhere_or_through_a_proxy_finds_it(how, samples, client):
    assert client.get(reverse("sample_roles"), **how).status_code == 404
    assert client.post(reverse("sample_sign_in", args=["admin"]), **how).status_code == 404
    assert signed_in(client) == ""


def test_a_server_has_no_such_page(samples, settings, client):
    settings.SITE_IS_LOCAL = False
    assert client.get(reverse("sample_roles")).status_code == 404
    assert client.post(reverse("sample_sign_in", args=["admin"])).status_code == 404
    assert signed_in(client) == ""


def test_an_account_with_a_password_of_its_own_is_not_offered(samples, client):
    admin = samples["admin"]
    admin.set_password("another-one-of-my-own")
    admin.save()
    assert "Sign in as admin<" not in client.get(reverse("sample_roles")).text
    assert client.post(reverse("sample_sign_in", args=["admin"])).status_code == 404
    assert signed_in(client) == ""


def test_an_account_with_a_second_factor_is_not_offered(samples, client):
    Authenticator.objects.create(user=samples["admin"], type=Authenticator.Type.TOTP, data={})
    assert client.post(reverse("sample_sign_in", args=["admin"])).status_code == 404
    assert signed_in(client) == ""


def test_other_accounts_and_closed_ones_are_never_offered(samples, client):
    User.objects.create_user("other", password="two-passages")
    User.objects.filter(username="admin").update(is_active=False)
    for name in ("other", "admin", "nobody"):
        assert client.post(reverse("sample_sign_in", args=[name])).status_code == 404
    assert signed_in(client) == ""


def test_a_project_without_sample_people_has_no_such_page(admin, client, settings):
    settings.SITE_IS_LOCAL = True
    assert client.get(reverse("sample_roles")).status_code == 404


def test_a_link_from_another_site_signs_nobody_in(samples):
    strict = Client(enforce_csrf_checks=True)
    assert strict.get(reverse("sample_sign_in", args=["admin"])).status_code == 405
    assert strict.post(reverse("sample_sign_in", args=["admin"])).status_code == 403
    assert signed_in(strict) == ""


def test_a_sample_person_who_has_to_confirm_reads_the_password(samples, client, admin, sign_in):
    """One click signed them in, so they may never have seen it."""
    client.post(reverse("sample_sign_in", args=["admin"]))
    confirm = reverse("account_reauthenticate")
    assert "<code>two-passages</code>" in client.get(confirm).text
    assert "two-passages" not in sign_in(admin).get(confirm).text
