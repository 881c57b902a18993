"""Headers whose values are in environment variables, and parameters of the address: sent, and told to nobody."""

import json
import string

import pytest
from django.urls import reverse
from hypothesis import assume, given
from hypothesis import strategies as st

from core.models import Event
from judging.endpoints.addresses import Endpoint, EndpointRefused
from judging.endpoints.client import complete_chat
from judging.endpoints.extras import OURS, check_headers, check_query
from judging.endpoints.failures import Rejected
from judging.endpoints.requests import chat_request
from judging.models import Attempt, LanguageModel
from tests.factories.judging import make_model, make_run, work
from tests.judging.catalogue.test_model_pages import save

# RFC 9110, 5.6.2: what the name of a header consists of.
TOKEN = string.ascii_letters + string.digits + "!#$%&'*+-.^_`|~"
TOKENS = st.text(TOKEN, max_size=12)

MESSAGES = [{"role": "user", "content": "Who?"}]
SECRET = "azure-verysecret-123"


@pytest.fixture(autouse=True)
def variables(settings, monkeypatch):
    settings.LLM_KEY_NAMES = ["SOME_API_KEY", "AZURE_KEY", "SITE_NAME", "EVIL"]
    monkeypatch.setenv("AZURE_KEY", SECRET)
    monkeypatch.setenv("SITE_NAME", "Bridges")
    monkeypatch.setenv("SOME_API_KEY", "sk-1234567890")
    monkeypatch.setenv("EVIL", "a\r\nHost: evil.example")


def ask(base_url: str, **values):
    return complete_chat(Endpoint(base_url, **values), chat_request("tiny", MESSAGES, {}))


def test_headers_and_parameters_go_along(server):
    ask(
        server.base_url, headers={"api-key": "AZURE_KEY", "X-Title": "SITE_NAME"}, query={"api-version": "2024-10-21"}
    )
    headers = server.requests[0]["headers"]
    assert (headers["api-key"], headers["x-title"]) == (SECRET, "Bridges")
    assert "authorization" not in headers
    assert server.targets == ["/v1/chat/completions?api-version=2024-10-21"]


def test_a_header_may_be_the_authorization_where_there_is_no_key(server):
    ask(server.base_url, headers={"authorization": "AZURE_KEY"})
    assert server.requests[0]["headers"]["authorization"] == SECRET
    with pytest.raises(Rejected, match="Authorization already"):
        ask(server.base_url, key_name="SOME_API_KEY", headers={"Authorization": "AZURE_KEY"})
    assert len(server.calls) == 1


@pytest.mark.parametrize(
    ("variable", "said"),
    [("HOME", "not among the variables"), ("EVIL", "characters that no key has"), ("", "needs the name")],
)
def test_only_listed_variables_with_harmless_values_are_sent(server, variable, said):
    with pytest.raises(Rejected, match=said):
        ask(server.base_url, headers={"X-Title": variable})
    assert server.calls == []


def test_a_listed_variable_that_is_not_set_is_named(server, monkeypatch):
    monkeypatch.delenv("AZURE_KEY")
    with pytest.raises(Rejected, match="AZURE_KEY is not set"):
        ask(server.base_url, headers={"api-key": "AZURE_KEY"})


@pytest.mark.parametrize(
    "name", ["Host", "content-length", "Proxy-Authorization", "a b", "a:b", "a\r\nHost", "", "ä", "X-Request-Key"]
)
def test_headers_that_frame_the_message_or_break_it_are_refused(name):
    with pytest.raises(EndpointRefused):
        check_headers({name: "AZURE_KEY"}, has_key=False)


@given(TOKENS, st.characters(exclude_characters=TOKEN), TOKENS)
def test_one_character_that_no_token_has_is_enough_to_refuse_a_header(before, other, after):
    with pytest.raises(EndpointRefused):
        check_headers({before + other + after: "AZURE_KEY"}, has_key=False)


@given(TOKENS.filter(bool), st.booleans())
def test_a_header_passes_unless_it_is_one_of_ours(name, has_key):
    ours = name.lower() in OURS or name.lower().startswith(("proxy-", "x-stainless-"))
    assume(not ours and name.lower() != "authorization")
    check_headers({name: "AZURE_KEY"}, has_key=has_key)


@pytest.mark.parametrize(
    ("name", "value"), [("api-key", "x"), ("access_token", "x"), ("sig", "x"), ("a&b", "x"), ("v", ""), ("v", "a\nb")]
)
def test_parameters_with_keys_or_breaks_are_refused(name, value):
    with pytest.raises(EndpointRefused):
        check_query({name: value})


@pytest.mark.django_db
@pytest.mark.usefixtures("engine")
def test_the_value_of_a_header_is_stored_and_shown_nowhere(server, sign_in, admin):
    server.answer = lambda request: f"You sent {SECRET}."
    client = sign_in(admin)
    values = {"base_url": server.base_url, "headers": "api-key: AZURE_KEY", "query": "api-version=2024-10-21"}
    assert save(client, **values).status_code == 302
    model = LanguageModel.objects.get(name="Tiny")
    assert (model.headers, model.query) == ({"api-key": "AZURE_KEY"}, {"api-version": "2024-10-21"})
    run = make_run(model, instances=1)
    work(run)
    assert server.requests[0]["headers"]["api-key"] == SECRET
    attempt = Attempt.objects.get()
    rows = [attempt.raw_text, attempt.request, run.responses.get().text, Event.objects.about(model).get().after]
    pages = [client.get(reverse(name, args=[model.pk])).content.decode() for name in ("model", "model_edit")]
    pages.append(client.post(reverse("model_test", args=[model.pk])).content.decode())
    pages.append(client.get(reverse("response", args=[run.responses.get().key])).content.decode())
    for shown in [*map(str, rows), *pages]:
        assert SECRET not in shown
    assert "You sent [key]." in rows[2]
    assert "AZURE_KEY" in pages[0]
    copied = client.get(reverse("model_new"), {"copy": model.pk}).context["form"]
    assert copied["headers"].value() == "api-key: AZURE_KEY"
    assert copied["query"].value() == "api-version=2024-10-21"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("headers", f"api-key: {SECRET}", "name no variable that the operator has listed"),
        ("headers", f"api-key {SECRET}", "Line 1 is not a name"),
        ("headers", "Host: AZURE_KEY", "the program sends its own"),
        ("headers", "a: AZURE_KEY\na: AZURE_KEY", "Line 2 repeats a name"),
        ("query", f"api-key={SECRET}", "looks like a key"),
        ("query", SECRET, "Line 1 is not a name"),
    ],
)
def test_what_is_typed_wrong_is_refused_and_not_shown_again(sign_in, admin, field, text, said):
    page = save(sign_in(admin), **{field: text})
    assert page.status_code == 400
    assert said in page.content.decode()
    assert SECRET not in page.content.decode()
    assert not LanguageModel.objects.filter(name="Tiny").exists()


@pytest.mark.django_db
def test_the_page_tells_which_header_cannot_be_sent(sign_in, admin, monkeypatch):
    model = make_model(headers={"api-key": "AZURE_KEY"})
    where = reverse("model", args=[model.pk])
    client = sign_in(admin)
    assert "AZURE_KEY is not set" not in client.get(where).content.decode()
    monkeypatch.delenv("AZURE_KEY")
    assert "AZURE_KEY is not set" in client.get(where).content.decode()


@pytest.mark.django_db
def test_a_price_keeps_its_source_only_as_long_as_it_stays(sign_in, admin):
    client = sign_in(admin)
    save(client, price_in="2", price_out="8", price_source="USD, price page, 2026-11-05")
    model = LanguageModel.objects.get(name="Tiny")
    assert model.price_source == "USD, price page, 2026-11-05"
    assert model.price_source in client.get(reverse("model", args=[model.pk])).content.decode()
    save(client, pk=model.pk, price_in="3", price_out="8", price_source=model.price_source)
    model.refresh_from_db()
    assert model.price_source == ""


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({}, 201),
        ({"headers": "api-key: AZURE_KEY"}, 201),
        ({"headers": '{"api-key": "AZURE_KEY"}'}, 201),
        ({"headers": f"api-key: {SECRET}"}, 400),
        ({"headers": {"api-key": SECRET}}, 400),
        ({"headers": {"api-key": ["AZURE_KEY"]}}, 400),
        ({"headers": [1]}, 400),
        ({"query": '{"v": 5}'}, 400),
        ({"query": "{"}, 400),
        ({"query": "v=\x00"}, 400),
    ],
)
def test_the_api_takes_headers_and_parameters_as_the_page_does(sign_in, admin, sent, status):
    body = {"name": "Tiny", "endpoint_name": "tiny-1", "base_url": "http://127.0.0.1:9000/v1"} | sent
    response = sign_in(admin).post("/api/v1/models/", json.dumps(body), content_type="application/json")
    assert response.status_code == status, response.content
    assert SECRET not in response.content.decode()
    if status == 201:
        model = LanguageModel.objects.get(name="Tiny")
        expected = {"api-key": "AZURE_KEY"} if sent.get("headers") else {}
        assert (model.headers, model.query) == (expected, {})
