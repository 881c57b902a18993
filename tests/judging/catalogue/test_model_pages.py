"""Pages for models: add one, change the settings that may change, and test it with a call that names the problem."""

from decimal import Decimal

import pytest
from django.urls import reverse

from core.models import Event
from judging.models import JudgingAction, LanguageModel, ModelKind
from tests.factories.judging import make_model, make_run, work
from tests.servers.llm_server import LlmServer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]

FORM = {
    "name": "Tiny",
    "endpoint_name": "tiny-1",
    "base_url": "http://127.0.0.1:9000/v1",
    "temperature": "0",
    "max_tokens": "250",
    "seed": "5",
    "max_tokens_name": "max_tokens",
    "empty_system_message": "on",
    "concurrent_calls": "8",
    "timeout_seconds": "120",
}


@pytest.fixture
def client(sign_in, admin):
    return sign_in(admin)


def save(client, *, pk: int | None = None, **values: str):
    where = reverse("model_edit", args=[pk]) if pk else reverse("model_new")
    return client.post(where, {**FORM, **values})


def test_a_model_is_added_as_the_paper_asks(client, admin):
    assert save(client, price_in="2.5", price_out="10").status_code == 302
    model = LanguageModel.objects.get(name="Tiny")
    assert model.decoding == {"temperature": 0, "max_tokens": 250, "seed": 5}
    assert isinstance(model.decoding["temperature"], int)
    assert model.price_out == Decimal(10)
    assert model.created_by == admin
    assert Event.objects.about(model).filter(action="added", actor=admin).exists()


def test_parameters_beyond_the_usual_go_along_and_empty_ones_stay_away(client):
    assert (
        save(client, seed="", temperature="", more_decoding='{"top_p": 0.5}', reasoning_effort="low").status_code
        == 302
    )
    assert LanguageModel.objects.get(name="Tiny").decoding == {
        "max_tokens": 250,
        "reasoning_effort": "low",
        "top_p": 0.5,
    }


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"base_url": "http://evil.example/v1"}, "not among the hosts that this deployment allows"),
        ({"base_url": "ftp://127.0.0.1/v1"}, "begins with https:// or http://"),
        ({"base_url": "http://user:pass@127.0.0.1/v1"}, "cannot contain a user name"),
        ({"key_name": "SECRET_KEY"}, "Never enter a key itself here"),
        ({"more_decoding": '{"stream": true}'}, "Not a decoding parameter: stream"),
        ({"more_decoding": "[1]"}, "Write an object"),
        ({"more_decoding": '{"seed": 7}'}, "Use the field for seed"),
        ({"more_decoding": "{"}, "valid JSON"),
        ({"endpoint_name": " "}, "A model needs its name at the endpoint"),
        ({"price_in": "-1"}, "greater than or equal to 0"),
    ],
)
def test_what_could_not_work_is_refused_at_its_field(client, values, said):
    response = save(client, **values)
    assert response.status_code == 400
    assert said in response.content.decode()
    assert not LanguageModel.objects.filter(kind=ModelKind.ENDPOINT).exists()


def test_a_key_that_was_typed_in_by_mistake_is_not_shown_again(client):
    page = save(client, key_name="sk-verysecret123").content.decode()
    assert "sk-verysecret123" not in page
    assert 'value="Tiny"' in page


def test_a_name_is_given_once(client):
    save(client)
    assert "already exists" in save(client).content.decode()


def test_the_page_tells_whether_the_key_is_set_and_never_what_it_is(client, monkeypatch):
    model = make_model(key_name="SOME_API_KEY")
    monkeypatch.setenv("SOME_API_KEY", "sk-verysecret123")
    for where in (reverse("models"), reverse("model", args=[model.pk]), reverse("model_edit", args=[model.pk])):
        page = client.get(where).content.decode()
        assert "SOME_API_KEY" in page
        assert "sk-verysecret123" not in page
    assert "is set" in client.get(reverse("models")).content.decode()
    monkeypatch.delenv("SOME_API_KEY")
    assert "not usable" in client.get(reverse("models")).content.decode()
    assert "SOME_API_KEY is not set" in client.get(reverse("model", args=[model.pk])).content.decode()


def test_what_decides_the_answers_of_a_used_model_does_not_change(client, server):
    model = make_model(server.base_url, name="Tiny", endpoint_name="tiny-1")
    work(make_run(model, instances=1))
    form = client.get(reverse("model_edit", args=[model.pk])).content.decode()
    assert "make a copy" in form
    response = save(
        client, pk=model.pk, temperature="1", endpoint_name="other", price_in="3", base_url=server.base_url
    )
    assert response.status_code == 302
    model.refresh_from_db()
    assert model.decoding["temperature"] == 0
    assert model.endpoint_name == "tiny-1"
    assert model.price_in == Decimal(3)


def test_a_change_is_logged_with_before_and_after(client):
    save(client)
    model = LanguageModel.objects.get(name="Tiny")
    save(client, pk=model.pk, temperature="0.5", concurrent_calls="2")
    event = Event.objects.about(model).get(action="changed")
    assert event.before["concurrent_calls"] == 8
    assert event.after["concurrent_calls"] == 2
    assert "0.5" in event.after["decoding"]
    save(client, pk=model.pk, temperature="0.5", concurrent_calls="2")
    assert Event.objects.about(model).filter(action="changed").count() == 1


def test_a_copy_starts_with_the_values_of_the_other(client):
    model = make_model(key_name="SOME_API_KEY", decoding={"max_tokens": 9, "top_p": 0.5})
    form = client.get(reverse("model_new"), {"copy": model.pk}).context["form"]
    assert form["key_name"].value() == "SOME_API_KEY"
    assert form["max_tokens"].value() == 9
    assert form["more_decoding"].value() == '{"top_p": 0.5}'
    assert not form["name"].value()


def test_a_model_that_is_not_offered_is_in_no_new_run(client, server):
    model = make_model(server.base_url)

    def is_offered(page: str) -> bool:
        return model in client.get(reverse(page)).context["form"].fields["language_models"].queryset

    assert is_offered("run_new")
    assert is_offered("judge_run_new")
    client.post(reverse("model_offer", args=[model.pk]), {"offer": "no"})
    assert not is_offered("run_new")
    assert not is_offered("judge_run_new")
    client.post(reverse("model_offer", args=[model.pk]), {"offer": "yes"})
    assert is_offered("run_new")


def test_baselines_are_shown_as_such_and_have_nothing_to_change(client):
    baseline = LanguageModel.objects.filter(kind=ModelKind.BASELINE)[0]
    assert "Baselines that need no model" in client.get(reverse("models")).content.decode()
    assert client.get(reverse("model_edit", args=[baseline.pk])).status_code == 302
    assert client.post(reverse("model_test", args=[baseline.pk])).status_code == 400


# --- The test call ------------------------------------------------------------------------------------------------


def try_out(client, model: LanguageModel) -> str:
    response = client.post(reverse("model_test", args=[model.pk]), headers={"HX-Request": "true"})
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_a_test_call_shows_the_answer_with_tokens_and_cost(client, server):
    model = make_model(server.base_url, price_in=1000, price_out=1000)
    said = try_out(client, model)
    assert "It answered" in said
    assert "The answer." in said
    assert "cost US$0.0" in said
    assert len(server.calls) == 1
    assert Event.objects.about(model).get(action=JudgingAction.MADE_TEST_CALL).message == "It answered"
    assert not model.calls.exists()


def test_a_test_call_without_script_shows_the_same_on_the_page(client, server):
    page = client.post(reverse("model_test", args=[make_model(server.base_url).pk])).content.decode()
    assert "It answered" in page
    assert "Activity</h2>" in page


@pytest.mark.parametrize(
    ("levers", "model", "said"),
    [
        ({"api_key": "sk-right-key"}, {"key_name": "SOME_API_KEY"}, "The key is not accepted"),
        ({"models": ["other"]}, {}, "The model is not known there"),
        ({"faults": ["quota"]}, {}, "No money or quota is left"),
        ({"faults": ["429"]}, {}, "Too many calls at the moment"),
        ({"faults": ["500"]}, {}, "The server answered with the error 500"),
        ({"faults": ["hang"]}, {"timeout_seconds": 1}, "No answer in time"),
        ({"faults": ["drop"]}, {}, "The connection was interrupted"),
        ({"faults": ["garbage"]}, {}, "The address does not answer as a chat API"),
        ({"faults": ["400"]}, {}, "The request was refused"),
        ({"faults": ["length"]}, {}, "Cut at the token limit"),
    ],
)
def test_a_test_call_says_plainly_what_is_wrong(client, monkeypatch, levers, model, said):
    monkeypatch.setenv("SOME_API_KEY", "sk-wrong-key-1")
    with LlmServer(**levers) as server:
        shown = try_out(client, make_model(server.base_url, **model))
    assert said in shown
    assert "sk-wrong-key-1" not in shown


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ({"base_url": "http://127.0.0.1:1/v1"}, "The connection was refused"),
        ({"base_url": "http://evil.example/v1"}, "This address or key may not be used here"),
        ({"key_name": "UNSET_API_KEY"}, "UNSET_API_KEY is not set"),
        ({"decoding": {"stream": True}}, "The decoding cannot be sent"),
    ],
)
def test_a_test_call_that_cannot_go_out_says_why(client, model, said):
    assert said in try_out(client, make_model(**model))


def test_a_new_model_shows_five_fields_and_folds_the_rest_until_one_is_wrong(amir):
    page = amir.get(reverse("model_new")).content.decode()
    shown = page.split('<details class="card model-fold"')[0]
    for name in ("name", "base_url", "endpoint_name", "key_name", "price_in"):
        assert f'name="{name}"' in shown
    assert 'name="temperature"' not in shown
    assert '<details class="card model-fold" open>' not in page
    form = amir.get(reverse("model_new")).context["form"]
    folded = {name for fold in form.folds for name in fold.names.split()}
    first = {"name", "base_url", "endpoint_name", "key_name", "price_in", "price_out"}
    assert folded | first == set(form.fields)
    wrong = amir.post(reverse("model_new"), {"name": "Large", "temperature": "hot"}).content.decode()
    assert wrong.count('<details class="card model-fold" open>') >= 1
