"""Why a model stopped decides what its reply is, in every provider's words and by every way in."""

import json
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.urls import reverse

from benchmarks.contradoc.models import Candidate, StatementReply
from benchmarks.wikicontradict.protocol.verdict_readers import read_verdict
from core.refusals import Refusal
from judging.catalogue.readings import read_columns, reply_of
from judging.endpoints.failures import CallFailed, InDoubt, RateLimited, Rejected
from judging.endpoints.replies import ChatReply, read_reply
from judging.endpoints.statuses import pause_asked_for
from judging.models import (
    Attempt,
    AttemptOutcome,
    Call,
    CallState,
    Mark,
    ModelJudgment,
    PromptTemplate,
    Response,
    Throttle,
)
from judging.protocol.finish_words import Finish, finish_of
from judging.runs.calls.landing import Result, land
from judging.runs.calls.throttle import lift_pause
from judging.runs.runs import create_judge_run, start_run
from tests.contradoc.making.replies import started_generation
from tests.factories.contradoc import make_documents
from tests.factories.judging import make_instance, make_model, make_release, make_run, templates, work
from tests.judging.runs.test_limits import take

HALF = "The bridge was opened in"
WORDS = {
    "stop": "complete", "end_turn": "complete", "STOP": "complete", "COMPLETE": "complete", "eos": "complete",
    "length": "cut", "max_tokens": "cut", "MAX_TOKENS": "cut", "model_length": "cut",
    "FINISH_REASON_MAX_TOKENS": "cut",
    "content_filter": "filtered", "SAFETY": "filtered", "RECITATION": "filtered", "PROHIBITED_CONTENT": "filtered",
    "content_filter: hate": "filtered", "guardrail_intervened": "filtered",
    "refusal": "refused",
    "error": "failed", "abort": "failed", "insufficient_system_resource": "failed", "network_error": "failed",
    "Network Error": "failed",
    "endTurn": "complete", "StopReason.END_TURN": "complete", "FINISH": "complete", "maxTokens": "cut",
    "content_filter/hate": "filtered", "Safety (medium)": "filtered", "IMAGE_PROHIBITED_CONTENT": "filtered",
    "time_limit": "cut", "NOT_FINISHED": "cut", "blocked": "filtered", "rate limited": "failed",
    "RESOURCE_EXHAUSTED": "failed", "stopped": "unknown", "null": "unknown", "1": "unknown",
    "error.upstream": "failed", "stop: but the filter spoke": "unknown",
    "tool_calls": "unknown", "OTHER": "unknown", "pause_turn": "unknown", "???": "unknown", ":": "unknown",
}  # fmt: skip


def body(word, **message) -> bytes:
    choice = {"finish_reason": word, "message": {"role": "assistant", "content": HALF} | message}
    return json.dumps({"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 5}}).encode()


@pytest.mark.parametrize(("word", "outcome"), WORDS.items())
def test_each_word_has_one_meaning_and_an_unknown_one_is_never_complete(word, outcome):
    assert ChatReply(HALF, finish_reason=word).outcome == outcome
    if outcome == "failed":
        with pytest.raises(InDoubt, match="broke the reply off"):
            read_reply(body(word))
    else:
        assert read_reply(body(word)).outcome == outcome


def test_no_word_says_that_all_is_there():
    assert finish_of("") == finish_of("  ") == Finish.WHOLE
    assert read_reply(body(None)).outcome == "complete"


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        ({"finish_reason": None, "native_finish_reason": "MAX_TOKENS"}, "cut"),
        ({"finish_reason": "stop", "native_finish_reason": "SAFETY"}, "filtered"),
        ({"finish_reason": "stop", "native_finish_reason": "a word of its own"}, "complete"),
        ({"stop_reason": "max_tokens"}, "cut"),
        ({"done_reason": "length"}, "cut"),
        ({"finish_reason": "stop", "stop_reason": 128009}, "complete"),
        ({"finish_reason": "stop", "stop_reason": "END"}, "complete"),
        ({"finish_reason": 5}, "unknown"),
        ({"finish_reason": {"type": "length"}}, "cut"),
        ({"finish_reason": {"length": 5}}, "unknown"),
        ({"finishReason": "MAX_TOKENS"}, "cut"),
        ({"finish_details": {"type": "max_tokens"}}, "cut"),
        ({"incomplete_details": {"reason": "max_output_tokens"}}, "cut"),
        ({"finish_reason": ["length"]}, "unknown"),
        ({"finish_reason": False}, "unknown"),
    ],
)
def test_a_word_elsewhere_or_in_another_shape_is_not_passed_over(words, outcome):
    reply = read_reply(json.dumps({"choices": [{"message": {"content": HALF}} | words]}).encode())
    assert (reply.text, reply.outcome) == (HALF, outcome)


def test_the_provider_word_for_an_error_counts_too():
    choice = {"message": {"content": HALF}, "finish_reason": "stop", "native_finish_reason": "error"}
    with pytest.raises(InDoubt, match="broke the reply off"):
        read_reply(json.dumps({"choices": [choice]}).encode())


@pytest.mark.parametrize("word", ["content_filter", "SAFETY", "refusal"])
@pytest.mark.parametrize("choice", [{"message": None}, {}])
def test_a_filter_needs_no_message(word, choice):
    reply = read_reply(json.dumps({"choices": [choice | {"finish_reason": word}]}).encode())
    assert (reply.text, reply.outcome) == ("", "refused" if word == "refusal" else "filtered")


@pytest.mark.parametrize(
    ("content", "text", "refusal"),
    [
        ([{"type": "output_text", "text": "In "}, {"type": "text", "text": {"value": "1903."}}], "In 1903.", ""),
        (["In ", "1903."], "In 1903.", ""),
        ({"type": "text", "text": "In 1903."}, "In 1903.", ""),
        ({"answer": "1903"}, '{"answer": "1903"}', ""),
        ([{"type": "refusal", "refusal": "I cannot."}], "", "I cannot."),
        ([{"type": "reasoning", "text": "Hm."}, "1903"], "1903", ""),
        ({"type": "refusal", "refusal": "I cannot."}, "", "I cannot."),
        ({"type": "thinking", "thinking": "Hm."}, "", ""),
        ({"parts": [{"text": "In "}, {"text": "1903."}]}, "In 1903.", ""),
        ([["In "], {"type": "text", "content": "1903."}], "In 1903.", ""),
        ([{"answer": "1903"}], '{"answer": "1903"}', ""),
        (1903, "1903", ""),
        (True, "true", ""),
        ([{"type": "text", "text": "Hm.", "thought": True}, {"type": "text", "text": "1903"}], "1903", ""),
        ([{"type": "image_url", "image_url": {"url": "data:"}}], "", ""),
    ],
)
def test_content_in_other_shapes_is_read(content, text, refusal):
    reply = read_reply(body("stop", content=content))
    assert (reply.text, reply.refusal) == (text, refusal)


@pytest.mark.parametrize("deep", ["[" * 800 + "]" * 800, '{"a":' * 3000 + "1" + "}" * 3000])
@pytest.mark.parametrize("name", ["content", "finish_reason"])
def test_deep_values_raise_nothing_but_a_failed_call(deep, name):
    fields = {"content": '"Half"', "finish_reason": '"stop"'} | {name: deep}
    message = f'{{"content": {fields["content"]}}}'
    raw = f'{{"choices": [{{"message": {message}, "finish_reason": {fields["finish_reason"]}}}]}}'
    try:
        outcome = read_reply(raw.encode()).outcome
    except CallFailed:
        return
    assert outcome in ({"empty", "complete"} if name == "content" else {"unknown"})


def test_counts_of_zero_beside_a_text_are_none():
    raw = json.dumps(
        {"choices": [{"message": {"content": "Yes."}}], "usage": {"prompt_tokens": 0, "completion_tokens": 0}}
    )
    reply = read_reply(raw.encode())
    assert (reply.prompt_tokens, reply.completion_tokens) == (None, None)


@pytest.mark.parametrize(
    ("error", "kind", "status"),
    [
        ({"code": 429, "message": "slow down"}, RateLimited, 429),
        ({"code": "429", "message": "slow down"}, RateLimited, 429),
        ({"type": "rate_limit_exceeded", "message": "slow down"}, RateLimited, 429),
        ({"code": 400, "message": "too long"}, Rejected, 400),
        ({"code": 401, "message": "who?"}, Rejected, 401),
        ({"code": 402, "message": "pay"}, Rejected, 402),
        ({"code": 502, "message": "upstream"}, InDoubt, 502),
        ({"code": 529, "message": "busy"}, InDoubt, 529),
        ({"message": "something"}, InDoubt, 200),
    ],
)
@pytest.mark.parametrize("beside_half_an_answer", [False, True])
def test_an_error_inside_a_200_counts_as_its_status_would(error, kind, status, beside_half_an_answer):
    error = error | {"metadata": {"raw": '{"error": {"message": "the words behind"}}'}}
    data = {"error": error}
    if beside_half_an_answer:
        data = {"choices": [{"message": {"content": HALF}, "finish_reason": "stop", "error": error}]}
    with pytest.raises(CallFailed) as failed:
        read_reply(json.dumps(data).encode())
    assert type(failed.value) is kind
    assert failed.value.status == status
    assert "the words behind" in failed.value.message


@pytest.mark.parametrize(
    "data",
    [
        {"object": "error", "code": 429, "message": "the words"},
        [{"error": {"code": 429, "message": "the words", "status": "RESOURCE_EXHAUSTED"}}],
        {"errors": [{"code": 429, "message": "the words"}]},
        {"error": "the words", "code": 429},
        {"error": True, "status": 429, "message": "the words"},
        {"detail": "the words", "status": 429},
        {"error": {"error": {"code": 429, "message": "the words"}}},
        {"error": {"code": 429.0, "message": "the words"}},
        {"choices": [{"message": {"content": "", "error": {"code": 429, "message": "the words"}}}]},
    ],
)
def test_an_error_is_found_in_the_shapes_that_servers_give_it(data):
    with pytest.raises(RateLimited, match="the words"):
        read_reply(json.dumps(data).encode())


@pytest.mark.parametrize("word", ["error", "SAFETY", "whatever"])
def test_a_judge_that_broke_off_gave_no_verdict(word):
    read = read_verdict("Evaluation: correct", finish_word=word)
    assert (read.verdict, read.reason, read.hint) == (None, "broken_off", "correct")
    assert read_verdict("Evaluation: correct", finish_word="MAX_TOKENS").verdict == "correct"


# --- Runs -------------------------------------------------------------------------------------------------------


@pytest.fixture
def asked(db, engine, server):
    """A run of one call to a priced model, whose server ends its answers with a word."""

    def ask(word: str, **model) -> Call:
        templates()
        server.answer = lambda request: HALF
        server.levers.finish = word
        run = make_run(
            make_model(server.base_url, price_in=1, price_out=1, **model), release=make_release([make_instance(1)])
        )
        work(run)
        return run.calls.get()

    return ask


@pytest.mark.parametrize("word", ["error", "insufficient_system_resource"])
def test_a_paid_call_that_broke_off_waits_for_an_admin_and_keeps_what_it_may_cost(asked, word):
    call = asked(word)
    assert (call.state, call.reason) == (CallState.IN_DOUBT, "error word")
    assert word in call.error
    attempt = call.attempts.get()
    assert attempt.outcome == AttemptOutcome.IN_DOUBT
    assert HALF in attempt.raw_text
    assert not Response.objects.exists()


def test_an_unknown_word_is_shown_counted_and_not_judged(asked, sign_in, admin):
    asked("weird_new_word")
    response = Response.objects.get()
    assert (response.mark, response.finish_reason, response.text) == (Mark.UNKNOWN, "weird_new_word", HALF)
    client = sign_in(admin)
    assert "Ended for an unknown reason" in client.get(reverse("response", args=[response.key])).text
    assert "Ended for an unknown reason" in client.get(reverse("run", args=[response.run_id])).text
    judge = make_model(name="Judge", price_in=Decimal(0))
    judged = create_judge_run(source_runs=[response.run], language_models=[judge])
    with pytest.raises(Refusal, match="no calls to make"):
        start_run(run=judged)
    assert not ModelJudgment.objects.exists()


def test_files_go_by_the_word_whatever_mark_they_say(db, engine, tmp_path):
    templates()
    lines = [
        {"model": "Old", "template": "5", "text": HALF, "question": "When?", "answer_1": "1903", "repetition": number}
        | {"finish_reason": word, "mark": "complete"}
        for number, word in enumerate(WORDS, start=1)
    ]
    path = tmp_path / "responses.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    call_command("import_responses", str(path))
    found = dict(Response.objects.values_list("finish_reason", "mark"))
    assert found == WORDS


def test_a_file_may_have_a_word_with_a_long_explanation(db, engine, tmp_path):
    templates()
    line = {
        "model": "Old",
        "template": "5",
        "text": HALF,
        "question": "When?",
        "answer_1": "1903",
        "answer_2": "1905",
    }
    path = tmp_path / "responses.jsonl"
    path.write_text(json.dumps(line | {"finish_reason": "content_filter: " + "hate " * 20}) + "\n")
    call_command("import_responses", str(path))
    assert Response.objects.get().mark == "filtered"


@pytest.mark.parametrize("mark", [Mark.REFUSED, Mark.FILTERED, Mark.FAILED, Mark.UNKNOWN])
def test_a_task_reads_and_scores_no_reply_that_is_none(mark):
    task = PromptTemplate(benchmark="contradoc", code="contradoc-binary", task="contradoc-binary").what
    columns = read_columns(task, {}, [reply_of(vars(Response(text="Yes", mark=mark)))])
    assert columns is not None
    assert columns["problem"]
    assert "value" not in columns


@pytest.mark.parametrize("word", ["weird_new_word", "SAFETY", "refusal"])
def test_no_candidate_is_made_from_a_reply_that_is_none(db, engine, server, writer, word):
    server.levers.finish = word
    make_documents()
    work(started_generation(writer))
    assert StatementReply.objects.get().problem
    assert not Candidate.objects.exists()


# --- Pauses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked_for", "seconds"), [("30", 30.0), ("30000", 30.0), ("3600", 3600.0), ("1500000.5", 1500.0)]
)
def test_a_pause_too_long_for_seconds_is_in_milliseconds(asked_for, seconds):
    assert pause_asked_for({"retry-after": asked_for}) == pytest.approx(seconds, abs=0.001)


def test_an_admin_sees_a_pause_and_lifts_it(db, engine, sign_in, admin, capsys):
    templates()
    model = make_model()
    run = make_run(model, release=make_release([make_instance(1)]))
    start_run(run=run)
    [taken] = take(model)
    failure = RateLimited("Too many calls: later", reason="rate", status=429, retry_after=600.0)
    land([Result(taken.key, taken.attempt, failure=failure, model_id=model.pk)])
    assert take(model) == []
    call_command("run_status", str(run.pk))
    assert "is paused until 20" in capsys.readouterr().out
    call_command("run_status", str(run.pk), "--json")
    assert json.loads(capsys.readouterr().out)["waiting"][0]["model"] == model.name
    client = sign_in(admin)
    assert "No call goes out before" in client.get(reverse("model", args=[model.pk])).text
    page = client.post(reverse("model_lift_pause", args=[model.pk]), follow=True).text
    assert "lifted the pause of" in page
    assert "No call goes out before" not in page
    assert Throttle.objects.get(model=model).paused_until is None
    assert len(take(model)) == 1
    assert lift_pause(model=model, admin=admin) is False
    assert Attempt.objects.count() == 2


@pytest.mark.parametrize("error", ["boom", {"code": 502, "message": "Upstream broke off"}, [{"code": 500}]])
def test_a_record_of_a_file_with_an_error_beside_its_text_is_no_answer(db, engine, tmp_path, error):
    templates()
    line = {"model": "Old", "template": "5", "text": HALF, "question": "When?", "answer_1": "1903"}
    path = tmp_path / "responses.jsonl"
    records = [
        line | {"error": error},
        line | {"repetition": 2, "error": None},
        line | {"repetition": 3, "error": ""},
    ]
    path.write_text("".join(json.dumps(each | {"finish_reason": "stop"}) + "\n" for each in records))
    call_command("import_responses", str(path))
    assert list(Response.objects.order_by("repetition").values_list("mark", flat=True)) == [
        "failed",
        "complete",
        "complete",
    ]
