"""A new model starts from a provider's settings and prices; the page says what the operator has to set."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.forms import Form
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging import tasks
from judging.catalogue import needs
from judging.catalogue.needs import find_needs
from judging.catalogue.presets import PRESETS, TO_REPLACE
from judging.models import LanguageModel, WorkerSettings
from tests.factories.judging import make_model

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


@pytest.fixture
def client(sign_in, admin) -> Client:
    return sign_in(admin)


@pytest.fixture
def everything_set(settings, monkeypatch):
    variables = {p.key_name for p in PRESETS} | {v for p in PRESETS for v in p.values.get("headers", {}).values()}
    settings.LLM_KEY_NAMES = sorted(variables - {""})
    settings.LLM_ALLOWED_HOSTS = ["localhost", "*"]
    for name in settings.LLM_KEY_NAMES:
        monkeypatch.setenv(name, "a-key-of-some-length")


def shown(form: Form) -> dict[str, str]:
    """The data that a browser sends of an unchanged form."""
    values = {name: form[name].value() for name in form.fields}
    return {
        name: "on" if value is True else str(value)
        for name, value in values.items()
        if value is not None and value is not False
    }


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.code)
@pytest.mark.usefixtures("everything_set")
def test_a_preset_is_saved_as_it_stands_once_it_is_named(client, preset):
    where = f"{reverse('model_new')}?preset={preset.code}"
    values = shown(client.get(where).context["form"]) | {"name": "New", "endpoint_name": "new-1"}
    values["base_url"] = values["base_url"].replace(TO_REPLACE, "my-").lower()
    response = client.post(where, values)
    assert response.status_code == 302, response.context["form"].errors
    model = LanguageModel.objects.get(name="New")
    for name, value in preset.values.items():
        assert getattr(model, name) == value
    assert model.key_name == preset.key_name
    assert model.decoding == {"temperature": 0, "max_tokens": 250, "seed": 5}
    assert model.unbilled == ["429 (too many calls)"], "no preset promises anything for a provider"


@pytest.mark.usefixtures("everything_set")
def test_an_address_with_a_part_to_replace_is_refused(client):
    where = f"{reverse('model_new')}?preset=azure"
    values = shown(client.get(where).context["form"]) | {"name": "New", "endpoint_name": "new-1"}
    response = client.post(where, values)
    assert response.status_code == 400
    assert "Replace YOUR-… by the names in your own address." in response.content.decode()


@pytest.mark.usefixtures("everything_set")
def test_prices_are_filled_in_with_date_and_source_and_stay_editable(client):
    where = f"{reverse('model_new')}?preset=openai&price=gpt-4.1"
    page = client.get(where)
    values = shown(page.context["form"])
    assert (values["name"], values["endpoint_name"], values["price_in"], values["price_out"]) == (
        "gpt-4.1",
        "gpt-4.1",
        "2",
        "8",
    )
    assert "as of 2026-06: OpenAI’s price page" in page.content.decode()
    assert client.post(where, values).status_code == 302
    model = LanguageModel.objects.get(name="gpt-4.1")
    assert (model.price_cached, model.context_window) == (Decimal("0.5"), 1047576)
    assert "developers.openai.com" in model.price_source
    assert client.post(where, values | {"name": "Mine", "price_in": "3"}).status_code == 302
    assert LanguageModel.objects.get(name="Mine").price_source == ""


def test_every_price_has_a_month_a_source_and_an_order():
    for price in [price for preset in PRESETS for price in preset.prices]:
        assert "as of 202" in price.source
        assert len(price.source) <= 200
        assert 0 < (price.price_cached or price.price_in) <= price.price_in < price.price_out


@pytest.mark.parametrize("query", ["preset=nobody", "preset=openai&price=nothing", "price=gpt-4.1"])
def test_an_unknown_preset_or_price_fills_in_nothing(client, query):
    response = client.get(f"{reverse('model_new')}?{query}")
    assert response.status_code == 200
    assert response.context["form"]["price_in"].value() is None


def test_the_page_says_exactly_what_the_operator_has_to_set(client, settings, monkeypatch):
    settings.LLM_ALLOWED_HOSTS = ["localhost"]
    settings.LLM_KEY_NAMES = ["OTHER_KEY"]
    page = client.get(f"{reverse('model_new')}?preset=openai").content.decode()
    assert (
        "LLM_ALLOWED_HOSTS=localhost,api.openai.com\nLLM_KEY_NAMES=OTHER_KEY,OPENAI_API_KEY\nOPENAI_API_KEY=" in page
    )
    settings.LLM_ALLOWED_HOSTS = ["localhost", "api.openai.com"]
    settings.LLM_KEY_NAMES = ["OTHER_KEY", "OPENAI_API_KEY"]
    assert (
        '<pre tabindex="0">OPENAI_API_KEY=\n</pre>'
        in client.get(f"{reverse('model_new')}?preset=openai").content.decode()
    )
    monkeypatch.setenv("OPENAI_API_KEY", "sk-verysecret123")
    page = client.get(f"{reverse('model_new')}?preset=openai").content.decode()
    assert "set in the web server" in page
    assert "sk-verysecret123" not in page


def test_a_key_that_was_typed_by_mistake_is_in_no_line_to_copy(client):
    values = {
        "base_url": "https://api.openai.com/v1",
        "key_name": "sk-verysecret123",
        "headers": "a: sk-verysecret123",
    }
    page = client.post(reverse("model_new"), values)
    assert page.status_code == 400
    assert "sk-verysecret123" not in page.content.decode()
    assert "LLM_ALLOWED_HOSTS=" in page.content.decode()


def test_the_page_tells_what_the_worker_has(client, settings, monkeypatch):
    settings.LLM_KEY_NAMES = ["SOME_API_KEY", "OTHER_KEY"]
    monkeypatch.setenv("SOME_API_KEY", "sk-verysecret123")
    monkeypatch.setattr(needs, "reported_at", -1000.0)
    model = make_model(key_name="SOME_API_KEY", headers={"X-Title": "OTHER_KEY"})
    where = reverse("model", args=[model.pk])
    assert "No worker has reported" in client.get(where).content.decode()
    tasks.call_models()
    row = WorkerSettings.objects.get()
    assert row.key_names == ["SOME_API_KEY"]
    assert "lacks OTHER_KEY" in " ".join(client.get(where).content.decode().split())
    reported = row.reported_at
    tasks.call_models()
    assert WorkerSettings.objects.get().reported_at == reported, "once a minute is enough"
    WorkerSettings.objects.update(key_names=["SOME_API_KEY", "OTHER_KEY"])
    assert "set in the worker on" in client.get(where).content.decode()
    WorkerSettings.objects.update(reported_at=timezone.now() - timedelta(minutes=10))
    assert "No worker has reported" in client.get(where).content.decode()


@pytest.mark.parametrize("base_url", ["", "x", "http://[::1/v1", "http://a\0b/v1", "https://ä…", "\ud800"])
def test_any_text_as_an_address_gets_an_answer(base_url):
    assert not find_needs(base_url, ["A_KEY"]).is_met
