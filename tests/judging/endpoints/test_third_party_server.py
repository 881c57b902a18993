"""The whole engine, with the real client, against a server that others wrote: LiteLLM's proxy with mock replies."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.urls import reverse

from judging.models import Call, CallState, LanguageModel, Mark, Run
from judging.protocol.verdicts import Verdict
from judging.runs.runs import create_judge_run, create_run, start_run
from tests.environments import for_tests
from tests.factories.judging import make_model, make_release, templates, work
from tests.judging.third_party import GOOD_KEY, MODELS, ThirdPartyServer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine"), pytest.mark.third_party]

PRICED = {"price_in": Decimal(1), "price_out": Decimal(1)}


@pytest.fixture(scope="module")
def third_party(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThirdPartyServer]:
    with ThirdPartyServer(for_tests("litellm"), tmp_path_factory.mktemp("litellm")) as server:
        yield server


@pytest.fixture
def models(third_party: ThirdPartyServer, monkeypatch) -> dict[str, LanguageModel]:
    """A model for each name that the server knows, one that it does not know, and one with a wrong key."""
    monkeypatch.setenv("THIRD_PARTY_API_KEY", GOOD_KEY)
    monkeypatch.setenv("WRONG_API_KEY", "not-the-key-of-anyone")
    made = {}
    for name in [*MODELS, "unknown", "wrong key"]:
        made[name] = make_model(
            third_party.base_url,
            name=name,
            endpoint_name="good" if name == "wrong key" else name,
            key_name="WRONG_API_KEY" if name == "wrong key" else "THIRD_PARTY_API_KEY",
            # Time enough on a machine that is busy with other tests, but for the one that is to be given up.
            timeout_seconds=1 if name == "too slow" else 60,
            **PRICED,
        )
    return made


def run_all(models: dict[str, LanguageModel], names: list[str]) -> Run:
    run = create_run(
        release=make_release(1), language_models=[models[name] for name in names], templates=templates("5")
    )
    start_run(run=run)
    work(run)
    return run


# One test, as the server takes long to start and tests may be spread over processes.
def test_every_way_in_which_a_call_can_end_is_recorded_as_what_it_is(models, subtests, sign_in, admin, settings):
    settings.CALL_BACKOFF_SECONDS = 0.001
    run = run_all(models, [name for name in models if name != "judge"])
    calls = {call.model.name: call for call in run.calls.select_related("model")}
    answers = {response.model.name: response for response in run.responses.select_related("model")}

    with subtests.test("an answer is stored with what the server says of it"):
        good = answers["good"]
        assert good.text == "The bridge opened in 1903, or in 1899."
        assert (good.mark, good.finish_reason) == (Mark.COMPLETE, "stop")
        assert good.served_model == "good"
        assert good.prompt_tokens
        assert good.completion_tokens
        assert good.cost == good.model.cost(good.prompt_tokens, good.completion_tokens) > 0
        assert good.attempt
        assert good.provider_id in good.attempt.raw_text

    with subtests.test("a slow answer is waited for"):
        assert answers["slow"].text == "The bridge opened in 1903."
        assert (answers["slow"].seconds or 0) >= 0.5

    with subtests.test("what is no answer is marked"):
        assert answers["cut"].mark == Mark.CUT
        assert answers["filtered"].mark == Mark.FILTERED

    with subtests.test("a call refused with 429 is not paid, and tried again until it is given up"):
        assert ended(calls["limited"]) == (CallState.FAILED, "rate")
        attempts = calls["limited"].attempts.all()
        assert len(attempts) == 10
        assert {attempt.outcome for attempt in attempts} == {"unpaid"}
        assert {attempt.status for attempt in attempts} == {429}
        assert {attempt.cost for attempt in attempts} == {Decimal(0)}

    with subtests.test("a call whose outcome nobody knows is in doubt and goes out once"):
        for name, reason in (("broken", "500"), ("too slow", "time-out"), ("time-out behind", "408")):
            assert ended(calls[name]) == (CallState.IN_DOUBT, reason), name
            assert calls[name].attempts.count() == 1, name

    with subtests.test("a call that is refused for good says why"):
        assert ended(calls["too long"]) == (CallState.FAILED, "request")
        assert ended(calls["unknown"]) == (CallState.FAILED, "model")
        assert ended(calls["wrong key"]) == (CallState.FAILED, "key")
        assert "Invalid key: [key]" in calls["wrong key"].error

    with subtests.test("nothing but these has happened"):
        assert set(answers) == {"good", "slow", "cut", "filtered"}
        assert set(answers) | {name for name, call in calls.items() if call.state != CallState.DONE} == set(calls)
        run.refresh_from_db()
        assert run.committed == money_of(run)

    with subtests.test("what is in doubt is repeated when an admin says so"):
        client = sign_in(admin)
        client.post(reverse("run_give_up", args=[run.pk]), {"ticked": "yes", "call": calls["too slow"].pk})
        client.post(reverse("run_repeat", args=[run.pk]))
        work(run)
        assert calls["broken"].attempts.count() == 2
        assert calls["time-out behind"].attempts.count() == 2
        assert calls["too slow"].attempts.count() == 1

    with subtests.test("a judge model judges the answers"):
        judge_run = create_judge_run(language_models=[models["judge"]], source_runs=[run])
        start_run(run=judge_run)
        work(judge_run)
        judgments = list(judge_run.judgments.all())
        assert {judgment.response for judgment in judgments} == {answers["good"], answers["slow"]}
        assert {judgment.verdict for judgment in judgments} == {Verdict.PARTIALLY_CORRECT}
        assert {judgment.comment for judgment in judgments} == {"It names one year only."}

    with subtests.test("a test call says plainly what is wrong"):
        for name, said in (
            ("good", "It answered"),
            ("wrong key", "The key is not accepted"),
            ("unknown", "The model is not known there"),
            ("limited", "Too many calls at the moment"),
            ("broken", "The server answered with the error 500"),
            ("too slow", "No answer in time"),
        ):
            page = client.post(reverse("model_test", args=[models[name].pk]), headers={"HX-Request": "true"})
            assert said in page.content.decode(), name


def ended(call: Call) -> tuple[str, str]:
    return call.state, call.reason


def money_of(run: Run) -> Decimal:
    attempts = [attempt for call in run.calls.all() for attempt in call.attempts.all()]
    return sum((a.possible_cost if a.cost is None else a.cost for a in attempts), Decimal(0))
