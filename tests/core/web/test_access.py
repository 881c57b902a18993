"""Every address of the project, tried as every role and as a stranger. One that `MAY_OPEN` does not list fails."""

from collections.abc import Callable
from http.cookies import SimpleCookie

import pytest
from django.test import Client

from core.models import Event, Role, User
from tests.conftest import make_person, signed_in
from tests.core.addresses import ADMIN, EVERYBODY, LISTED, MAY_OPEN, PATTERNS, SIGNED_IN, TALKERS, let_in, patterns
from tests.core.asking import UNKNOWN, address, parameters, post
from tests.core.world import NAMES
from tests.doors.test_content_security import against_the_policy

# One's own page cannot be missing, and what is not a row of ours answers in its own way.
OF_OTHERS = {"account_reset_password_from_key", "join"}


def test_every_address_is_listed():
    unnamed = [str(pattern.pattern) for _, pattern in patterns() if not pattern.name]
    assert unnamed == []
    assert set(PATTERNS) - set(MAY_OPEN) == set(), "say in MAY_OPEN who may open these"
    assert set(MAY_OPEN) - set(PATTERNS) == set(), "these are gone"


def test_each_view_asks_for_the_roles_that_are_listed():
    asked = {name: set(getattr(PATTERNS[name].callback, "roles", ())) for name in LISTED}
    listed = {name: set() if MAY_OPEN[name] in (EVERYBODY, SIGNED_IN) else set(MAY_OPEN[name]) for name in LISTED}
    assert asked == listed


def shut_out(name: str) -> tuple[str, ...]:
    """The roles to which this address is closed."""
    return tuple(role for role in Role.values if not let_in(name, role))


@pytest.fixture(scope="module")
def sessions(world) -> dict[str | tuple[str, ...], SimpleCookie]:
    """The cookies of one person of each role, and of one with all roles to which an address is closed."""
    people = {role: User.objects.get(username=name) for role, name in NAMES.items()}
    closed = sorted({shut_out(name) for name in LISTED})
    olgas = {roles: make_person(f"olga{number}", *roles) for number, roles in enumerate(closed)}
    return {who: signed_in(person).cookies for who, person in (people | olgas).items()}


@pytest.fixture
def enter(sessions, rows) -> Callable[[str | tuple[str, ...]], Client]:
    """`enter(who)` gives a client that is signed in as one of them, and that nobody has used."""

    def client_of(who: str | tuple[str, ...]) -> Client:
        client = Client()
        client.cookies = SimpleCookie(sessions[who].output(header="", sep=";"))
        return client

    return client_of


def statuses(client: Client, where: str) -> set[int]:
    return {client.get(where).status_code, post(client, where).status_code}


def leads_to_sign_in(response) -> bool:
    if response.status_code == 401 and response["Content-Type"] == "application/problem+json":
        return True  # a program is told to, and is led nowhere
    return response.status_code == 302 and response["Location"].startswith("/account/login/?next=")


# The roles that may open this row, if other roles of the address may open other rows: a comment on
# an annotation, and a response that nobody adjudicates.
ROWS_OPEN_TO = {
    **dict.fromkeys(("comment", "comment_resolve", "comment_reopen"), TALKERS),
    **dict.fromkeys(("api:comment_resolve", "api:comment_reopen"), TALKERS),
    **dict.fromkeys(("response_comments", "response_comment", "api:response_comments"), ADMIN),
}
# Says with 503 that no worker is running here; `tests/core/health/` tries it.
NOT_READY = {"ready"}
# Not found without a provider, sample people or a token; `test_oidc.py`, `test_sample_roles.py` and `test_metrics.py`
# have them.
NOT_HERE = {"metrics", "oidc_sign_in", "openid_connect_callback", "sample_roles", "sample_sign_in"}
# Each person's own; `test_api.py` and `test_second_factor.py` try them.
OF_ONE_PERSON = {
    "account_token_revoke",
    "saved_view",
    "account_session_end",
    "oidc_connect",
    "mfa_deactivate_totp",
    "mfa_view_recovery_codes",
    "mfa_remove_webauthn",
    "mfa_edit_webauthn",
}


@pytest.mark.parametrize("name", [name for name in LISTED if name not in OF_ONE_PERSON | NOT_HERE])
def test_who_has_the_role_gets_in(name, rows, enter):
    where = address(name, rows)
    for role in (role for role in NAMES if let_in(name, role) and role in ROWS_OPEN_TO.get(name, (role,))):
        for method in (Client.get, post):
            response = method(enter(role), where)
            refused = response.status_code in (401, 403, 404) or leads_to_sign_in(response)
            assert not refused, f"{role} got {response.status_code} from {method.__name__} {where}"
            assert response.status_code < 500 or name in NOT_READY
            assert not against_the_policy(response), where


@pytest.mark.parametrize("name", [name for name in LISTED if MAY_OPEN[name] not in (EVERYBODY, SIGNED_IN)])
def test_who_has_every_other_role_or_none_gets_a_plain_403_and_changes_nothing(name, rows, enter):
    where = address(name, rows)
    before = Event.objects.count()
    for who in (shut_out(name), "no role"):
        client = enter(who)
        page = client.get(where)
        assert not against_the_policy(page), where
        assert 403 in {page.status_code, post(client, where).status_code} <= {403, 405}, f"{who} at {where}"
        if page.status_code == 403:
            assert "An admin can give you that role" in page.content.decode()
    if missing := unknown(name):
        assert 403 in statuses(client, address(name, rows, **missing)) <= {403, 405}
    assert Event.objects.count() == before


def unknown(name: str) -> dict[str, object]:
    return {parameter: value for parameter, value in UNKNOWN.items() if parameter in parameters(name)}


@pytest.mark.parametrize("name", [name for name in LISTED if MAY_OPEN[name] != EVERYBODY])
def test_a_stranger_gets_the_sign_in_page_and_changes_nothing(name, rows):
    where, client = address(name, rows), Client()
    before = Event.objects.count()
    assert leads_to_sign_in(client.get(where)) or client.get(where).status_code == 405
    posted = post(client, where)
    assert posted.status_code in (401, 405) or leads_to_sign_in(posted)
    assert not against_the_policy(posted), where
    if not name.startswith("account_change_password"):
        fragment = {client.get(where, headers={"HX-Request": "true"}).status_code}
        fragment.add(post(client, where, headers={"HX-Request": "true"}).status_code)
        assert 401 in fragment <= {401, 405}
    assert Event.objects.count() == before


FOR_EVERYBODY = [name for name in LISTED if MAY_OPEN[name] == EVERYBODY and name not in NOT_HERE | {"csp_report"}]


@pytest.mark.parametrize("name", FOR_EVERYBODY)
def test_a_stranger_can_open_what_is_for_everybody(name, rows):
    response = Client().get(address(name, rows))
    assert response.status_code in (200, 302) or name in NOT_READY
    assert not leads_to_sign_in(response)
    assert not against_the_policy(response)


@pytest.mark.parametrize("name", [name for name in LISTED if name not in OF_OTHERS and unknown(name)])
def test_a_row_that_is_not_there_is_not_found(name, rows, enter):
    where = address(name, rows, **unknown(name))
    for role in (role for role in NAMES if let_in(name, role)):
        assert 404 in statuses(enter(role), where) <= {404, 405}, f"{role} at {where}"


OF_ONE_ANNOTATION = (
    *(
        "desk_",
        "practice_attempt",
        "practice_save",
        "practice_compare",
        "practice_page",
        "comment_resolve",
        "comment_reopen",
        "conversation",
    ),
    *("api:annotation", "api:comment_resolve", "api:comment_reopen", "api:comments"),
)


@pytest.mark.parametrize(
    "name", [name for name in LISTED if name.startswith(OF_ONE_ANNOTATION) and "pk" in parameters(name)]
)
def test_the_work_of_another_annotator_is_not_found(name, rows, sign_in):
    where, before = address(name, rows), Event.objects.count()
    assert 404 in statuses(sign_in(User.objects.get(username="ansel")), where) <= {404, 405}
    assert Event.objects.count() == before
