"""A model's thoughts are split from its answer: stored apart, shown as thoughts, judged by nobody."""

import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.wikicontradict.questionnaires.showing import ShownResponse
from judging.catalogue.standard import judge_baseline
from judging.endpoints.replies import read_reply
from judging.models import Mark, Response
from judging.protocol.thoughts import split_thoughts
from judging.protocol.verdicts import Verdict
from judging.runs.runs import create_judge_run, start_run
from tests.factories.judging import make_model, make_run, templates, work

database = pytest.mark.django_db
engine = pytest.mark.usefixtures("engine")


@pytest.mark.parametrize(
    ("text", "answer", "thoughts"),
    [
        ("<think>Hm, 1899?</think>\n\nIn 1903.", "In 1903.", "Hm, 1899?"),
        ("\n<Thinking>\nHm\n</THINKING>In 1903.", "In 1903.", "Hm"),
        ("[THINK]Hm[/THINK]In 1903.", "In 1903.", "Hm"),
        ("◁think▷Hm◁/think▷In 1903.", "In 1903.", "Hm"),
        ("<seed:think>Hm</seed:think>In 1903.", "In 1903.", "Hm"),
        ("<think>\n\n</think>\n\nIn 1903.", "In 1903.", ""),
        ("<think>One.</think>\n<think>Two.</think>In 1903.", "In 1903.", "One.\n\nTwo."),
        ("So it is 1903.</think>\n\nIn 1903.", "In 1903.", "So it is 1903."),
        ("So it is 1903.\n</think>In 1903.", "In 1903.", "So it is 1903."),
        ("In 1903.\n<think>\nOr 1899?\n</think>\nOr in 1899.", "In 1903.\n\nOr in 1899.", "Or 1899?"),
        ("<think>It never ends, 1903", "", "It never ends, 1903"),
        ("In 1903.\n<think>It never ends", "In 1903.", "It never ends"),
        ("<think>Only thoughts.</think>", "", "Only thoughts."),
    ],
)
def test_thoughts_are_told_from_the_answer(text, answer, thoughts):
    assert (split_thoughts(text).answer, split_thoughts(text).thoughts) == (answer, thoughts)


@pytest.mark.parametrize(
    "text",
    [
        "  In 1903.\n",
        "I think it opened in 1903, by all reasoning.",
        "The mark </think> closes thoughts.",
        "It quotes <think> and </think>.\nIn 1903.",
        "It quotes <think> only.",
        "",
    ],
)
def test_an_answer_without_thoughts_stays_as_it_is(text):
    assert split_thoughts(text).answer == text


@given(st.text(alphabet="<>[]/think \n", max_size=60))
def test_any_text_is_split_and_splitting_again_changes_nothing_that_has_no_marks(text):
    split = split_thoughts(text)
    assert len(split.answer) <= len(text)
    if "think" not in text:
        assert split.answer == text


@pytest.mark.parametrize(
    "message",
    [
        {"content": "In 1903.", "reasoning_content": "Hm."},
        {"content": "In 1903.", "reasoning": "Hm."},
        {"content": "In 1903.", "reasoning": None, "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]},
        {"content": "In 1903.", "thinking_blocks": [{"type": "thinking", "thinking": "Hm."}]},
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
                {"type": "text", "text": "In 1903."},
            ]
        },
        {"content": "<think>Hm.</think>In 1903.", "reasoning_content": "Hm."},
    ],
)
def test_thoughts_in_parts_of_their_own_are_kept_beside_the_answer(message):
    reply = read_reply(json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode())
    assert (reply.text, reply.reasoning, reply.outcome) == ("In 1903.", "Hm.", "complete")


@pytest.mark.parametrize(("finish_reason", "outcome"), [("length", "cut"), ("stop", "empty")])
def test_thoughts_without_an_answer_are_no_answer(finish_reason, outcome):
    choice = {"message": {"content": "<think>Hm, it is"}, "finish_reason": finish_reason}
    assert read_reply(json.dumps({"choices": [choice]}).encode()).outcome == outcome


@database
@engine
def test_thoughts_are_stored_beside_the_answer_and_nobody_judges_them(server, sign_in, admin):
    server.levers.answer = "<think>It says 1903, and 1899.</think>\nNobody knows."
    server.levers.verdict = "<think>evaluation: correct</think>No year.\nevaluation: incorrect"
    run = make_run(make_model(server.base_url), instances=1)
    work(run)
    response = run.responses.get()
    assert (response.text, response.reasoning) == ("Nobody knows.", "It says 1903, and 1899.")
    assert response.attempt
    assert "<think>" in response.attempt.raw_text, "the reply as it came is kept"
    assert ShownResponse(response).text == "Nobody knows."
    server.requests.clear()
    model = make_model(server.base_url, name="Judge")
    judges = create_judge_run(language_models=[model, judge_baseline()], source_runs=[run])
    start_run(run=judges)
    work(judges)
    asked = server.requests[0]["json"]["messages"][-1]["content"].rpartition("Testing instance")[2]
    assert "Nobody knows." in asked
    assert "It says 1903" not in asked
    assert set(judges.judgments.values_list("verdict", flat=True)) == {Verdict.INCORRECT}
    judgment = judges.judgments.get(model=model)
    assert (judgment.text, judgment.reasoning) == ("No year.\nevaluation: incorrect", "evaluation: correct")
    page = sign_in(admin).get(reverse("response", args=[response.key])).content.decode()
    assert page.index("Nobody knows.") < page.index("Thoughts of the model") < page.index("It says 1903, and 1899.")
    out = io.StringIO()
    call_command("export_responses", "--run", str(run.pk), stdout=out)
    record = json.loads(out.getvalue())
    assert (record["text"], record["reasoning"]) == ("Nobody knows.", "It says 1903, and 1899.")


@database
@engine
def test_an_imported_text_comes_out_unchanged_and_its_thoughts_are_not_judged(tmp_path, sign_in, admin):
    templates()
    text = "<think>It says 1903.</think>\nNobody knows."
    record = {"model": "Old model", "template": "5", "text": text, "question": "When?", "answer_1": "1903"}
    only_thoughts = record | {"repetition": 2, "text": "<think>Hm"}
    path = tmp_path / "responses.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in (record, only_thoughts)))
    call_command("import_responses", str(path), stdout=io.StringIO())
    response = Response.objects.get(repetition=1)
    assert ShownResponse(response).text == response.answer == "Nobody knows."
    assert response.thoughts == "It says 1903."
    assert Response.objects.get(repetition=2).mark == Mark.EMPTY
    judges = create_judge_run(language_models=[judge_baseline()], source_runs=[response.run])
    start_run(run=judges)
    work(judges)
    assert judges.judgments.get().verdict == Verdict.INCORRECT
    out = io.StringIO()
    call_command("export_responses", stdout=out)
    assert [json.loads(line)["text"] for line in out.getvalue().splitlines()] == [text, "<think>Hm"]
    page = sign_in(admin).get(reverse("responses")).content.decode()
    assert "Nobody knows." in page
    assert "It says 1903" not in page
