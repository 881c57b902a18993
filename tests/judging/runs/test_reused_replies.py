"""Replies that a run takes over from earlier runs: the same request at temperature 0, only if asked for, never
silently, at no cost."""

import io
import json
import uuid
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.urls import reverse

from judging.files.imports import import_responses
from judging.models import Attempt, AttemptOutcome, CallState, LanguageModel, Response, Run, RunState
from judging.runs.calls import reuse
from judging.runs.progress.progress import progress_of
from judging.runs.runs import create_judge_run, create_run, go_on_starting, plan_unsaved, start_run
from tests.factories.judging import make_model, make_run, spent, states, templates, work
from tests.interleaving.pieces import Killed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]
PRICED = {"price_in": Decimal(1), "price_out": Decimal(2)}


@pytest.fixture
def model(server) -> LanguageModel:
    return make_model(server.base_url, **PRICED)


@pytest.fixture
def first(model) -> Run:
    run = make_run(model, instances=3)
    work(run)
    return run


def again(first: Run, **values) -> Run:
    """A run over the same release, worked off."""
    model = values.pop("model", None) or first.language_models.get()
    run = make_run(model, release=first.release, **{"reuses_replies": True} | values)
    work(run)
    return run


def test_the_same_request_is_not_paid_twice_where_a_run_takes_replies_over(server, first):
    run = again(first)
    assert len(server.calls) == 3
    assert (run.state, states(run)) == (RunState.FINISHED, {CallState.DONE: 3})
    assert spent(run) == run.committed == 0
    for response in run.responses.all():
        source = first.responses.get(instance=response.instance)
        assert response.reused
        assert (response.text, response.provider_id) == (source.text, source.provider_id)
        attempt = response.attempt
        assert attempt
        assert attempt.reused_from == source.attempt
        assert (attempt.outcome, attempt.request) == (AttemptOutcome.REUSED, source.attempt.request)
        assert (response.cost, response.seconds) == (0, None)
    progress = progress_of(run)
    assert (progress.reused, progress.tokens_in, progress.spent) == (3, 0, 0)


def test_nothing_is_taken_over_unless_the_run_says_so(server, first):
    again(first, reuses_replies=False)
    assert len(server.calls) == 6
    assert not Response.objects.filter(reused=True).exists()


def test_what_was_taken_over_is_no_source_itself(first):
    again(first)
    third = again(first)
    sources = set(Attempt.objects.filter(call__run=third).values_list("reused_from__call__run", flat=True))
    assert sources == {first.pk}


@pytest.mark.parametrize(
    "change",
    [
        {"decoding": {"temperature": 0.7, "max_tokens": 250, "seed": 5}},
        {"decoding": {"max_tokens": 250, "seed": 5}},
        {"decoding": {"temperature": 0, "max_tokens": 251, "seed": 5}},
        {"endpoint_name": "another-model"},
        {"empty_system_message": False},
        {"query": {"api-version": "2"}},
    ],
)
def test_another_request_is_asked(server, first, change):
    other = make_model(server.base_url, **PRICED, **change)
    if not other.is_at_zero_temperature:
        again(first, model=other)  # made the same request, which need not get the same answer
    run = again(first, model=other)
    assert not run.responses.filter(reused=True).exists()
    assert run.responses.count() == 3


def test_two_models_with_the_same_address_name_and_decoding_are_one(server, first):
    other = make_model(server.base_url, keeps_completions=True)
    assert again(first, model=other).responses.filter(reused=True).count() == 3
    assert len(server.calls) == 3


@pytest.mark.parametrize("fault", ["length", "empty", "refusal", "filter"])
def test_only_whole_answers_are_taken_over(server, model, fault):
    server.levers.faults = [fault]
    first = make_run(model, instances=2)
    work(first)
    server.levers.faults = []
    run = again(first)
    assert len(server.calls) == 4
    assert {response.text for response in run.responses.all()} == {"The answer."}


def test_each_repetition_takes_over_one_of_its_own(server, first):
    run = again(first, repetitions=2)
    assert len(server.calls) == 6
    assert run.responses.filter(reused=True, repetition=1).count() == 3
    assert run.responses.filter(reused=False, repetition=2).count() == 3


def test_of_judges_only_readable_verdicts_are_taken_over(server, model, first):
    server.levers.verdict = "I cannot say."
    for verdict, calls, reused in (("evaluation: correct", 6, 0), ("evaluation: incorrect", 9, 0), ("none", 9, 3)):
        run = create_judge_run(language_models=[model], source_runs=[first], reuses_replies=True)
        work(start_run(run=run))
        assert len(server.calls) == calls
        assert run.judgments.filter(reused=True).count() == reused
        server.levers.verdict = verdict
    assert set(run.judgments.values_list("verdict", flat=True)) == {"correct"}


def test_the_plan_says_what_is_taken_over_and_does_not_reckon_with_its_price(server, first, model):
    hot = make_model(server.base_url, name="Hot", decoding={"temperature": 1, "max_tokens": 9}, **PRICED)
    wanted = {"release": first.release, "language_models": [model, hot], "templates": templates("1", "5")}
    plan = plan_unsaved(**wanted, reuses_replies=True)
    assert [(each.model, each.calls, each.reused) for each in plan.models] == [(model, 3, 3), (hot, 6, 0)]
    assert plan.always_asked == [hot]
    without = plan_unsaved(**wanted)
    assert without.reused == 0
    assert (plan.money or 0) < (without.money or 0)


def test_a_start_that_dies_midway_takes_over_the_rest_once(server, first, monkeypatch):
    run = create_run(
        release=first.release,
        language_models=first.language_models.all(),
        templates=templates("5"),
        reuses_replies=True,
    )
    true, pieces = reuse.write_reused, []

    def dies(*arguments):
        if pieces:
            raise Killed
        pieces.append(true(*arguments))

    with monkeypatch.context() as patch:
        patch.setattr(reuse, "AT_A_TIME", 1)
        patch.setattr(reuse, "write_reused", dies)
        with pytest.raises(Killed):
            start_run(run=run)
    run.refresh_from_db()
    assert run.state == RunState.STARTING
    Run.objects.filter(pk=run.pk).update(starting_until=run.started_at)
    go_on_starting()
    work(run)
    assert (run.state, run.responses.filter(reused=True).count()) == (RunState.FINISHED, 3)
    assert len(server.calls) == 3


def test_pages_say_what_was_taken_over_and_from_where(first, sign_in, admin):
    client = sign_in(admin)
    hot = make_model(name="Hot", decoding={"temperature": 1, "max_tokens": 9}, concurrent_calls=1)
    form = {
        "release": first.release.pk,
        "language_models": [*first.language_models.values_list("pk", flat=True), hot.pk],
        "templates": [template.pk for template in templates("5")],
        "repetitions": 1,
        "reuses_replies": "on",
    }
    page = text_of(client.post(reverse("run_new"), form, follow=True))
    assert "It reuses <strong>3 replies</strong> from earlier runs, at no cost." in page
    assert "No reply of Hot is reused: its temperature is not 0." in page
    run = Run.objects.exclude(pk=first.pk).get()
    client.post(reverse("run_start", args=[run.pk]))
    assert "<strong>3</strong><span>reused from earlier runs, at no cost</span>" in text_of(
        client.get(reverse("run", args=[run.pk]))
    )
    response = run.responses.first()
    page = text_of(client.get(reverse("response", args=[response.key])))
    source = first.responses.get(instance=response.instance)
    assert reverse("response", args=[source.key]) in page
    assert f"Reused from run {first.pk}" in page


def text_of(page) -> str:
    return " ".join(page.content.decode().split())


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_files_say_what_was_taken_over_and_bring_it_in_again(first, sign_in, admin, format):
    run = again(first)
    client = sign_in(admin)
    address = reverse("responses_export", args=[format])
    whole = b"".join(client.get(address, {"run": run.pk}).streaming_content)
    if format == "jsonl":
        assert {json.loads(line)["reused"] for line in whole.splitlines()} == {True}
    Response.objects.filter(run=run).delete()
    Run.objects.filter(pk=run.pk).update(key=uuid.uuid4())
    import_responses(io.BytesIO(whole), name="again")
    assert Response.objects.filter(reused=True, run__kind="import").count() == 3


def test_the_command_takes_replies_over_too(server, first):
    out = io.StringIO()
    names = [model.name for model in first.language_models.all()]
    call_command(
        "start_run", "--models", *names, "--templates", "5", "--reuse-replies", "--yes", "--here", stdout=out
    )
    assert "3 replies are reused from earlier runs, at no cost." in out.getvalue()
    assert "3 of 3 done" in out.getvalue()
    assert len(server.calls) == 3
