"""Pages for runs: plan, confirm, watch, decide what is in doubt, try again what failed."""

import re
from datetime import timedelta
from decimal import Decimal
from io import BytesIO

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Release
from core.models import Event
from judging.catalogue.standard import install_tasks
from judging.files.imports import import_responses
from judging.models import Attempt, Call, CallState, LanguageModel, PromptTemplate, Run, RunState, Throttle
from judging.runs.calls.calls import ReadAhead, take_calls
from judging.runs.runs import create_run, start_run
from tests.factories.judging import make_instance, make_model, make_release, make_run, states, templates, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


@pytest.fixture
def client(sign_in, admin):
    return sign_in(admin)


def page_of(client, run: Run, **kwargs) -> str:
    return " ".join(client.get(reverse("run", args=[run.pk]), **kwargs).content.decode().split())


def post(client, name: str, run: Run, **values):
    response = client.post(reverse(name, args=[run.pk]), values)
    run.refresh_from_db()
    return response


def plan(client, release, models: list[LanguageModel], codes: tuple[str, ...], **values) -> Run:
    form = {
        "release": release.pk,
        "language_models": [model.pk for model in models],
        "templates": [template.pk for template in templates(*codes)],
        "repetitions": 1,
    }
    response = client.post(reverse("run_new"), form | values)
    assert response.status_code == 302
    return Run.objects.get()


# --- Plan and start -----------------------------------------------------------------------------------------------


def test_the_plan_tells_calls_money_and_what_is_left_out_before_anything_is_asked(client, admin, server):
    model = make_model(server.base_url, price_in=1, price_out=1)
    release = make_release([make_instance(1), make_instance(2, same_passage=True)])
    run = plan(client, release, [model], ("2", "5", "5.3"), repetitions=2)
    page = page_of(client, run)
    assert "It will make <strong>6 calls</strong>" in page
    assert "the two passages are the same" in page
    assert "the conflict is not resolved yet" in page
    assert "and at most US$0.00" in page
    assert run.created_by == admin
    assert (server.calls, run.calls.count()) == ([], 0)


def test_starting_makes_the_calls_once_however_often_it_is_clicked(client, server):
    run = plan(client, make_release(2), [make_model(server.base_url)], ("1", "5"))
    assert "Start the run" in page_of(client, run)
    post(client, "run_start", run)
    post(client, "run_start", run)
    assert run.state == RunState.RUNNING
    assert run.calls.count() == 4
    work(run)
    assert len(server.calls) == 4
    page = page_of(client, run)
    assert "All calls are done" in page
    assert 'hx-trigger="every' not in page


def test_a_plan_can_be_discarded_and_another_made_like_it(client, server):
    model = make_model(server.base_url)
    run = plan(client, make_release(1), [model], ("1", "4"), name="First try", repetitions=3)
    post(client, "run_cancel", run)
    assert run.state == RunState.CANCELLED
    form = client.get(reverse("run_new"), {"like": run.pk}).context["form"]
    assert form["name"].value() == "First try"
    assert form["repetitions"].value() == 3
    assert list(form["templates"].value()) == [template.pk for template in templates("1", "4")]
    assert list(form["language_models"].value()) == [model.pk]
    assert post(client, "run_start", run).status_code == 409


def test_what_is_answered_already_can_be_left_out(client, server):
    model, release = make_model(server.base_url), make_release(2)
    work(make_run(model, release=release, codes=("5",)))
    again = create_run(release=release, language_models=[model], templates=templates("1", "5"), only_missing=True)
    page = client.get(reverse("run", args=[again.pk])).context["plan"]
    assert page.calls == 2
    assert page.models[0].answered_before == 2


def test_a_plan_with_nothing_to_ask_cannot_be_started(client, server):
    run = plan(client, make_release(1), [make_model(server.base_url)], ("5.3",))
    assert "There are no calls to make" in page_of(client, run)
    assert "Start the run" not in page_of(client, run)
    assert post(client, "run_start", run).status_code == 409
    assert run.state == RunState.PLANNED


def test_a_budget_that_cannot_be_kept_is_refused(client, server):
    model = make_model(server.base_url, price_in=1, price_out=1, decoding={})
    form = {
        "release": make_release(1).pk,
        "language_models": model.pk,
        "templates": PromptTemplate.objects.filter(code="1").get().pk,
        "repetitions": 1,
        "budget": "1",
    }
    response = client.post(reverse("run_new"), form)
    assert response.status_code == 400
    assert "sets no token limit" in response.content.decode()


def test_without_a_release_the_pages_say_what_comes_first(client):
    assert "Make a release" in client.get(reverse("run_new")).content.decode()
    assert "No run yet" in client.get(reverse("runs")).content.decode()
    assert "no responses to judge yet" in client.get(reverse("judge_run_new")).content.decode()


# --- Progress -----------------------------------------------------------------------------------------------------


def test_the_page_counts_what_became_of_the_calls(client, server):
    server.levers.faults = ["drop/5", "400/3", "length/2"]
    model = make_model(server.base_url, name="Priced", price_in=1000, price_out=1000)
    run = make_run(model, instances=12)
    work(run)
    assert set(states(run)) == {"done", "failed", "in_doubt"}
    progress = client.get(reverse("run", args=[run.pk])).context["progress"]
    assert (progress.counts.done, progress.counts.failed, progress.counts.in_doubt) == tuple(
        run.calls.filter(state=state).count() for state in ("done", "failed", "in_doubt")
    )
    assert progress.counts.total == 12
    assert progress.marks["cut"] == run.responses.filter(mark="cut").count() > 0
    assert progress.spent + progress.held + progress.perhaps_spent == run.committed
    assert progress.tokens_in > 0
    page = page_of(client, run)
    assert "The connection was interrupted before the reply was complete" in page
    assert "The request was refused" in page
    assert "Cut at the token limit" in page


def test_a_running_page_refreshes_itself_with_its_inner_part(client, server):
    run = make_run(make_model(server.base_url), instances=2)
    assert 'hx-trigger="every 2s"' in page_of(client, run)
    fragment = page_of(client, run, headers={"HX-Request": "true"})
    assert "<html" not in fragment
    assert '<section id="run"' in fragment
    work(run)
    assert 'hx-trigger="every' not in page_of(client, run, headers={"HX-Request": "true"})


def test_speed_and_time_left_are_those_of_the_last_minute(client, server):
    run = make_run(make_model(server.base_url), instances=30)
    calls = list(run.calls.order_by("pk"))
    for call in calls[:10]:
        Call.objects.filter(pk=call.pk).update(state=CallState.DONE, attempts_made=1, ended_at=timezone.now())
    progress = client.get(reverse("run", args=[run.pk])).context["progress"]
    assert progress.calls_a_minute == 10
    assert progress.time_left.total_seconds() == 120


def test_a_run_without_numbers_has_no_empty_list(client, server):
    run = make_run(make_model(server.base_url))
    post(client, "run_pause", run)
    assert 'class="counts"' not in page_of(client, run)


def test_speed_counts_from_the_first_call_that_went_out(client, server):
    """Twenty seconds after the first call, ten calls are thirty per minute, however long ago the run was started."""
    run = make_run(make_model(server.base_url, concurrent_calls=20), instances=40)
    now = timezone.now()
    Run.objects.filter(pk=run.pk).update(started_at=now - timedelta(hours=2))
    take_calls(ReadAhead(run.language_models.get()), most=20)
    Attempt.objects.update(sent_at=now - timedelta(seconds=20))
    for call in run.calls.filter(state="sent")[:10]:
        Call.objects.filter(pk=call.pk).update(state=CallState.DONE, lease_expires_at=None, ended_at=now)
    progress = client.get(reverse("run", args=[run.pk])).context["progress"]
    assert progress.speed == pytest.approx(30, rel=0.2)
    assert progress.time_left.total_seconds() == pytest.approx(60, rel=0.2)


def test_a_pause_within_the_last_minute_does_not_count_as_slowness(client, server):
    run = make_run(make_model(server.base_url, concurrent_calls=20), instances=40)
    now = timezone.now()
    take_calls(ReadAhead(run.language_models.get()), most=20)
    for number, call in enumerate(run.calls.filter(state="sent")):
        # Ten before a pause of five minutes, ten after it.
        sent = now - timedelta(seconds=15 if number < 10 else 330)
        Attempt.objects.filter(call=call).update(sent_at=sent)
        Call.objects.filter(pk=call.pk).update(
            state=CallState.DONE, lease_expires_at=None, ended_at=sent + timedelta(seconds=5)
        )
    progress = client.get(reverse("run", args=[run.pk])).context["progress"]
    assert progress.speed == pytest.approx(40, rel=0.2)


def test_a_run_without_a_worker_says_so_but_not_while_an_endpoint_pauses_us(client, server):
    run = make_run(make_model(server.base_url), instances=2)
    assert "No worker is making the calls" not in page_of(client, run)
    long_ago = timezone.now() - timedelta(minutes=5)
    Run.objects.update(started_at=long_ago)
    Call.objects.update(not_before=long_ago)
    assert "No worker is making the calls" in page_of(client, run)
    in_a_minute = timezone.now() + timedelta(minutes=1)
    Throttle.objects.create(model=run.language_models.get(), paused_until=in_a_minute, reason="Slow down")
    page = page_of(client, run)
    assert "No worker is making the calls" not in page
    assert "Slow down" in page


# --- Decisions ----------------------------------------------------------------------------------------------------


def test_a_run_is_paused_resumed_and_cancelled_and_the_log_says_by_whom(client, admin, server):
    run = make_run(make_model(server.base_url), instances=3)
    post(client, "run_pause", run)
    post(client, "run_pause", run)
    assert run.state == RunState.PAUSED
    work(run)
    assert server.calls == []
    post(client, "run_resume", run)
    assert run.state == RunState.RUNNING
    post(client, "run_cancel", run)
    assert run.state == RunState.CANCELLED
    assert states(run) == {"cancelled": 3}
    assert post(client, "run_resume", run).status_code == 409
    done = Event.objects.about(run).filter(actor=admin)
    assert [event.action for event in done] == ["paused", "resumed", "cancelled"]


def groups_on_page(client, run: Run) -> list:
    return client.get(reverse("run", args=[run.pk])).context["progress"].failed


def test_failures_are_grouped_by_kind_and_tried_again_one_group_at_a_time(client, server):
    server.levers.faults = ["400/2", "404/3"]
    run = make_run(make_model(server.base_url), instances=6)
    work(run)
    groups = groups_on_page(client, run)
    assert {group.reason: group.calls for group in groups} == {"request": 3, "model": 1}
    server.levers.faults = []
    post(client, "run_retry", run, group=groups[0].key)
    assert run.state == RunState.RUNNING
    work(run)
    assert states(run) == {"done": 5, "failed": 1}
    post(client, "run_retry", run)
    work(run)
    assert states(run) == {"done": 6}


def test_one_kind_with_two_messages_is_two_groups_whatever_ids_and_numbers_they_hold(client, server):
    server.levers.said = {
        "filter": "Request req-{n}f: the prompt is not allowed by the content policy.",
        "window": "This model reads 4096 tokens, your prompt has 5{n} tokens.",
    }
    server.levers.faults = ["400:filter/2", "400:window/3"]
    run = make_run(make_model(server.base_url), instances=9)
    work(run)
    filtered, window = groups_on_page(client, run)
    assert (filtered.calls, window.calls) == (4, 2)
    assert filtered.reason == window.reason == "request"
    assert "content policy" in filtered.example
    assert "4096 tokens" in window.example
    listed = client.get(reverse("run_calls", args=[run.pk]), {"state": "failed", "group": window.key})
    assert len(listed.context["page"]) == 2
    server.levers.faults = []
    post(client, "run_retry", run, group=window.key)
    work(run)
    assert states(run) == {"done": 5, "failed": 4}
    [left] = groups_on_page(client, run)
    assert left.key == filtered.key


def test_the_same_message_of_two_models_is_two_groups(client, server):
    server.levers.faults = ["400/2"]
    one, other = make_model(server.base_url, name="One"), make_model(server.base_url, name="Other")
    run = create_run(release=make_release(4), language_models=[one, other], templates=templates("5"))
    start_run(run=run)
    work(run)
    groups = {group.model: group for group in groups_on_page(client, run)}
    assert set(groups) == {"One", "Other"}
    assert sum(group.calls for group in groups.values()) == 4
    server.levers.faults = []
    post(client, "run_retry", run, group=groups["One"].key)
    work(run)
    assert set(run.calls.filter(state="failed").values_list("model__name", flat=True)) == {"Other"}


def test_what_is_in_doubt_is_grouped_alike_and_stays_apart_when_given_up(client, server):
    server.levers.faults = ["500/2", "drop/3"]
    run = make_run(make_model(server.base_url, price_in=1, price_out=1), instances=6)
    work(run)
    error, dropped = client.get(reverse("run", args=[run.pk])).context["progress"].in_doubt
    assert (error.reason, error.calls, dropped.calls) == ("500", 3, 1)
    post(client, "run_give_up", run, group=error.key)
    assert states(run) == {"done": 2, "failed": 3, "in_doubt": 1}
    [given_up] = groups_on_page(client, run)
    assert (given_up.calls, given_up.words) == (3, "Given up while in doubt")
    server.levers.faults = []
    post(client, "run_repeat", run, group=dropped.key)
    work(run)
    assert states(run) == {"done": 3, "failed": 3}


def test_what_is_in_doubt_waits_with_its_cost_and_is_repeated_with_one_click(client, server):
    server.levers.faults = ["drop"]
    run = make_run(make_model(server.base_url, price_in=1000, price_out=1000), instances=3)
    work(run)
    assert states(run) == {"in_doubt": 3}
    progress = client.get(reverse("run", args=[run.pk])).context["progress"]
    assert progress.doubt_costs == progress.perhaps_spent > Decimal(0)
    assert "Repeat all 3" in page_of(client, run)
    work(run)
    assert len(server.calls) == 3, "nothing is repeated unasked"
    server.levers.faults = []
    post(client, "run_repeat", run)
    post(client, "run_repeat", run)
    work(run)
    assert states(run) == {"done": 3}
    assert len(server.calls) == 6
    progress = client.get(reverse("run", args=[run.pk])).context["progress"]
    assert progress.perhaps_spent > 0, "what may have been paid stays said"
    assert progress.spent + progress.perhaps_spent == run.committed


def test_calls_in_doubt_are_decided_on_one_by_one_too(client, server):
    server.levers.faults = ["drop"]
    run = make_run(make_model(server.base_url, price_in=1, price_out=1), instances=3)
    work(run)
    listed = client.get(reverse("run_calls", args=[run.pk]), {"state": "in_doubt"})
    calls = [call.pk for call in listed.context["page"]]
    assert len(calls) == 3
    post(client, "run_give_up", run, ticked="yes", call=calls[0])
    assert states(run) == {"failed": 1, "in_doubt": 2}
    post(client, "run_repeat", run, ticked="yes")
    assert states(run) == {"failed": 1, "in_doubt": 2}, "no tick, no call"
    server.levers.faults = []
    post(client, "run_repeat", run, ticked="yes", call=calls[1])
    work(run)
    assert states(run) == {"done": 1, "failed": 1, "in_doubt": 1}


def test_a_run_that_stopped_at_its_budget_goes_on_with_a_higher_one(client, server):
    model = make_model(server.base_url, price_in=1000, price_out=1000, concurrent_calls=1)
    run = make_run(model, instances=3, budget=Decimal("0.4"))
    work(run)
    assert run.state == RunState.STOPPED
    assert "Stopped at its budget of US$0.40" in page_of(client, run)
    assert post(client, "run_budget", run, budget="much").status_code == 302
    assert run.state == RunState.STOPPED
    post(client, "run_budget", run, budget="100", and_resume="yes")
    work(run)
    assert run.state == RunState.FINISHED
    assert states(run) == {"done": 3}


# --- Lists --------------------------------------------------------------------------------------------------------


def test_the_list_of_runs_counts_each(client, server):
    run = make_run(make_model(server.base_url), instances=2, name="<i>Mine</i>")
    work(run)
    response = client.get(reverse("runs"))
    [(row, counts, _)] = response.context["rows"]
    assert (row, counts.done, counts.open) == (run, 2, 0)
    assert "&lt;i&gt;Mine&lt;/i&gt;" in response.content.decode()


def test_an_imported_run_counts_its_responses_in_the_list(client):
    make_release(1)
    record = b'{"model": "Mist", "template": "1", "release": 1, "question_ID": 1, "text": "1903"}'
    import_responses(BytesIO(record), name="Theirs")
    response = client.get(reverse("runs"))
    [(_, counts, _)] = response.context["rows"]
    assert counts.done == 1
    assert "as imported" in response.content.decode()


def test_a_call_without_reply_shows_what_was_sent_and_each_attempt(client, server):
    server.levers.faults = ["400"]
    run = make_run(make_model(server.base_url), instances=1)
    work(run)
    call = run.calls.get()
    listed = client.get(reverse("run_calls", args=[run.pk]), {"state": "failed", "group": call.failure_group})
    assert str(call.key) in listed.content.decode()
    page = client.get(reverse("call", args=[call.key])).content.decode()
    assert "When did bridge 1 open?" in page
    assert "The server says 400." in page
    assert "Bridge 1 opened in 1903." in page


@pytest.mark.parametrize("query", ["?page=99999999999999999999", "?page=x", "?state=x&group=x", "?like=x"])
def test_rubbish_in_an_address_is_no_error(client, server, query):
    run = make_run(make_model(server.base_url), instances=1)
    for where in (reverse("runs"), reverse("run_calls", args=[run.pk]), reverse("run_new")):
        assert client.get(where + query).status_code == 200


def test_only_the_prompts_for_the_chosen_release_are_unfolded(client):
    ours = make_release(1)
    other = Release.objects.create(number=2, benchmark="contradoc", name="Documents", content_hash="0" * 64)
    install_tasks("contradoc")

    def unfolded(release: Release) -> dict[str, bool]:
        page = client.get(reverse("run_new"), {"release": release.number}).content.decode()
        groups = re.findall(r'<details data-releases="([\d ]*)"( open)?>', page)
        return {releases: bool(is_open) for releases, is_open in groups}

    assert unfolded(ours) == {str(ours.pk): True, str(other.pk): False}
    assert unfolded(other) == {str(ours.pk): False, str(other.pk): True}


def test_a_new_run_begins_with_the_newest_annotated_release_and_lists_models_at_endpoints_first(client):
    annotated = make_release([make_instance(1)])
    Release.objects.create(number=2, benchmark="contradoc", name="Documents", content_hash=64 * "1")
    model = make_model("https://api.example/v1", name="Zebra")
    form = client.get(reverse("run_new")).context["form"]
    assert form.initial["release"] == annotated
    assert form.fields["language_models"].queryset.first() == model


def test_the_name_of_a_run_leads_to_it(client, server):
    run = make_run(make_model(server.base_url), instances=1, name="Both passages")
    page = " ".join(client.get(reverse("runs")).text.split())
    assert f'href="{reverse("run", args=[run.pk])}"' in page
    assert "Both passages</a>" in page
