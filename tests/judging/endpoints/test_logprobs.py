"""Log-probabilities of replies: requested where a task needs them, stored with the response, given to its reader."""

import json
import math
from decimal import Decimal
from io import BytesIO

import pytest
from django.urls import reverse

from annotation.models import Release
from core.refusals import Refusal
from judging.catalogue.language_models import try_model
from judging.endpoints.replies import read_reply
from judging.files.exports import RESPONSE_FORMATS
from judging.files.imports import import_responses
from judging.models import LanguageModel, Mark, Reading, Response, Run
from judging.protocol.replies import ReplySpec, Token, tokens_from
from judging.runs.plan import plan_run
from judging.runs.runs import create_run, start_run
from tests.factories.judging import make_model, work
from tests.judging.call_batches.batches import turn
from tests.servers.llm_server import PROBABILITIES

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]
STORED = [{"token": " A", "logprob": -0.25, "top": PROBABILITIES}]


def planned(template, model, **values):
    return create_run(release=Release.objects.get(), language_models=[model], templates=[template], **values)


def finished(template, model, **values):
    run = start_run(run=planned(template, model, **values))
    work(run)
    return run


@pytest.mark.parametrize("way", ["chat", "completions"])
def test_they_are_requested_stored_and_read(options, server, way):
    model = make_model(server.base_url, token_probabilities=way)
    run = finished(options, model)
    for request in server.requests:
        body = request["json"]
        assert body["max_tokens"] == 1
        if way == "chat":
            assert (body["logprobs"], body["top_logprobs"]) == (True, 4)
        else:
            assert body["prompt"].startswith("Which one?")
            assert body["logprobs"] == 4
            assert "messages" not in body
    assert [response.logprobs for response in run.responses.all()] == [STORED] * 3
    assert set(Reading.objects.values_list("scores__answer", "problem")) == {("right", "")}
    assert set(run.responses.values_list("mark", flat=True)) == {Mark.COMPLETE}


def test_other_tasks_request_and_keep_none(server):
    from tests.factories.judging import make_run

    run = make_run(make_model(server.base_url, token_probabilities="chat"))
    work(run)
    assert not any("logprobs" in request["json"] for request in server.requests)
    assert not run.responses.exclude(logprobs=None).exists()


def test_a_model_whose_endpoint_gives_none_is_refused_in_the_plan(options, server):
    with pytest.raises(Refusal, match="gives no log-probabilities"):
        planned(options, make_model(server.base_url))
    model = make_model(server.base_url, token_probabilities="chat")
    run = planned(options, model)
    LanguageModel.objects.filter(pk=model.pk).update(token_probabilities="")
    with pytest.raises(Refusal, match="gives no log-probabilities"):
        start_run(run=run)
    completions = make_model(server.base_url, token_probabilities="completions", offers_batches=True)
    with pytest.raises(Refusal, match="batches"):
        planned(options, completions, in_batches=True)
    assert not server.calls


def test_a_reply_without_them_cannot_be_read(options, server):
    server.probabilities = lambda request: {}
    run = finished(options, make_model(server.base_url, token_probabilities="chat"))
    assert set(Reading.objects.values_list("problem", flat=True)) == {"the endpoint gave no log-probabilities"}
    assert set(run.responses.values_list("logprobs", flat=True)) == {None}


def test_a_reply_longer_than_the_limit_of_the_task_is_complete(options, server):
    server.levers.finish = "length"
    run = finished(options, make_model(server.base_url, token_probabilities="chat"))
    assert set(run.responses.values_list("mark", "finish_reason")) == {(Mark.COMPLETE, "length")}


def test_the_plan_counts_with_the_limit_of_the_task(options, server):
    model = make_model(server.base_url, token_probabilities="chat", price_in=Decimal(0), price_out=Decimal(1_000_000))
    plan = plan_run(planned(options, model))
    assert plan.most_money == 3
    assert plan.money == 3


def test_a_baseline_gives_made_up_ones(options):
    run = finished(options, LanguageModel.objects.get(endpoint_name="always B"))
    assert run.responses.first().logprobs == [{"token": "B", "logprob": -0.5, "top": {"B": -0.5, "A": -1.0}}]
    assert set(Reading.objects.values_list("scores__answer", flat=True)) == {"wrong"}


def test_they_survive_batches(options, server, settings):
    settings.CALL_BACKOFF_SECONDS, settings.BATCH_POLL_SECONDS, settings.BATCH_GRACE_SECONDS = 1000.0, 0.0, 60.0
    model = make_model(server.base_url, token_probabilities="chat", offers_batches=True)
    run = turn(start_run(run=planned(options, model, in_batches=True)), 4)
    assert [response.logprobs for response in run.responses.all()] == [STORED] * 3


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_exported_they_come_in_again(options, server, form):
    run = finished(options, make_model(server.base_url, token_probabilities="chat"))
    exported = "".join(RESPONSE_FORMATS[form](run.responses.all()))
    Response.objects.all().delete()
    Run.objects.filter(pk=run.pk).update(key="00000000-0000-4000-8000-000000000000")
    import_responses(BytesIO(exported.encode()), name="Again")
    assert [response.logprobs for response in Response.objects.all()] == [STORED] * 3
    assert set(Response.objects.values_list("mark", flat=True)) == {Mark.COMPLETE}
    assert set(Reading.objects.values_list("scores__answer", flat=True)) == {"right"}
    assert import_responses(BytesIO(exported.encode()), name="Again").there == 3
    other = exported.replace("-0.25", "-0.75", 2)
    with pytest.raises(Refusal, match="logprobs"):
        import_responses(BytesIO(other.encode()), name="Again")


def test_the_api_gives_them(options, server, admin_client):
    finished(options, make_model(server.base_url, token_probabilities="chat"))
    key = Response.objects.first().key
    assert admin_client.get(reverse("api:response", args=[key])).json()["logprobs"] == STORED


RECORD = {"model": "Theirs", "template": "options", "release": 1, "question_ID": 1, "text": "A"}
OF_CHAT = {"content": [{"token": " A", "logprob": -0.25, "top_logprobs": [{"token": " A", "logprob": -0.25}]}]}


def test_they_are_imported_as_endpoints_give_them(options):
    import_responses(BytesIO(json.dumps(RECORD | {"logprobs": OF_CHAT}).encode()))
    assert Response.objects.get().logprobs == [{"token": " A", "logprob": -0.25, "top": {" A": -0.25}}]


@pytest.mark.parametrize(
    "value",
    [
        "x",
        {"content": []},
        {"content": [{"token": "A", "logprob": "-0.1"}]},
        {"tokens": ["A"], "token_logprobs": [0.5]},
        [{"token": "A", "logprob": 0.1}],
        [{"token": "A", "logprob": True}],
        [{"token": "A", "logprob": -1, "top": {"B": "-1"}}],
        [{"token": 1, "logprob": -1}],
        [{"token": "A", "logprob": -1, "more": 1}],
    ],
)
def test_invalid_ones_are_refused_by_name(options, value):
    with pytest.raises(Refusal, match="logprobs"):
        import_responses(BytesIO(json.dumps(RECORD | {"logprobs": value}).encode()))
    assert not Response.objects.exists()


def body(logprobs):
    choice = {"message": {"content": "A"}, "finish_reason": "stop", "logprobs": logprobs}
    return json.dumps({"choices": [choice]}).encode()


@pytest.mark.parametrize(
    "value", ["-0.1", None, True, math.nan, math.inf, -math.inf, 0.1, 10**400, {"content": "x"}, [1]]
)
def test_a_distribution_with_an_invalid_value_is_none(value):
    assert read_reply(body({"content": [{"token": "A", "logprob": value, "top_logprobs": []}]})).tokens is None
    assert read_reply(body({"tokens": ["A"], "token_logprobs": [value]})).tokens is None
    assert read_reply(body(value)).tokens is None


def test_an_impossible_alternative_is_left_out_and_rounding_is_forgiven():
    top = [{"token": "B", "logprob": -math.inf}, {"token": "C", "logprob": -2}, {"token": "A", "logprob": 1e-9}]
    reply = read_reply(body({"content": [{"token": "A\0", "logprob": 1e-9, "top_logprobs": top}]}))
    assert reply.tokens == (Token("A\ufffd", 0.0, {"A": 0.0, "C": -2.0}),)
    assert list(reply.tokens[0].top) == ["A", "C"]


@pytest.mark.parametrize(("token", "counted", "are_given"), [(" D", 2, True), ("� D", 1, True), ("� D", 2, False)])
def test_a_later_token_is_not_taken_for_the_first(token, counted, are_given):
    """As llama.cpp answers where the first token is a part of a character: that token is missing, and its text is
    with the next one.
    """
    top = [{"token": " D", "logprob": -0.35}, {"token": " C", "logprob": -2.3}]
    logprobs = {"content": [{"token": token, "logprob": -0.35, "top_logprobs": top}]}
    choice = {"message": {"content": "� D"}, "finish_reason": "length", "logprobs": logprobs}
    usage = {"prompt_tokens": 85, "completion_tokens": counted}
    reply = read_reply(json.dumps({"choices": [choice], "usage": usage}).encode())
    assert (reply.tokens is not None) == are_given


def test_the_stored_order_does_not_matter():
    stored = [{"token": "A", "logprob": -1, "top": {"B": -2, "A": -1}}]
    assert list(tokens_from(stored)[0].top) == ["A", "B"]


def test_a_limit_is_the_lower_one():
    assert ReplySpec(most_tokens=5).limit(None) == 5
    assert ReplySpec(most_tokens=5).limit(3) == 3
    assert not ReplySpec(most_tokens=5).ends_at_limit(3)
    assert ReplySpec().limit(None) is None


def test_a_test_call_says_if_they_are_missing(server):
    model = make_model(server.base_url, token_probabilities="chat")
    assert try_model(model=model, actor=None).title == "It answered"
    assert server.requests[-1]["json"]["top_logprobs"] == 20  # as many as tasks ask for: some endpoints refuse that
    server.probabilities = lambda request: {}
    assert try_model(model=model, actor=None).title == "It answered without log-probabilities"
