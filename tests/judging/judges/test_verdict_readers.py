"""The reader of judges' replies is chosen for a run; two different verdicts are none, whoever reads."""

import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.wikicontradict.protocol.evaluations import parse_verdict
from benchmarks.wikicontradict.protocol.verdict_readers import Reader, read_verdict
from judging.models import Run
from judging.protocol.verdicts import Unreadable, Verdict
from judging.runs.runs import create_judge_run, start_run
from tests.factories.judging import make_model, make_run, work

CORRECT, PARTIALLY, INCORRECT = Verdict.CORRECT, Verdict.PARTIALLY_CORRECT, Verdict.INCORRECT
SEVERAL = Reader.SEVERAL_FORMS


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ('{"comment": "One of two.", "verdict": "partially_correct"}', PARTIALLY),
        ('```json\n{"evaluation": "Correct"}\n```', CORRECT),
        ('Here it is:\n{\n  "judgment": "incorrect",\n  "reason": "No year."\n}\n', INCORRECT),
        ("One of two years.\nVerdict: Partially correct", PARTIALLY),
        ("One of two years.\n**Final verdict:** partially_correct.", PARTIALLY),
        ("x\nJudgement: incorrect", INCORRECT),
        ("x\nVerdict:\n**correct**", CORRECT),
        ("x\nevaluation: partially_correct", PARTIALLY),
        (r"One of two, so \boxed{partially correct}", PARTIALLY),
        (r"So $\boxed{\text{Incorrect}}$.", INCORRECT),
        (r"\boxed{\text{partially\_correct}}", PARTIALLY),
        ("x\nevaluation: incorrect", INCORRECT),
        ('{"verdict": "correct"}\nevaluation: correct', CORRECT),
        ("Verdict: partially correct\n\nExample 9\nquestion: q\nVerdict: correct", PARTIALLY),
    ],
)
def test_the_second_reader_reads_the_forms_that_judges_use(reply, verdict):
    assert read_verdict(reply, reader=SEVERAL).verdict == verdict


@pytest.mark.parametrize(
    "reply", ['{"verdict": "correct"}', "Verdict: correct", r"\boxed{correct}", "x\nevaluation: partially_correct"]
)
def test_the_reader_of_the_papers_form_stays_as_it_is(reply):
    assert read_verdict(reply).verdict is None
    assert read_verdict(reply).reason == parse_verdict(reply).reason


@pytest.mark.parametrize("reader", Reader)
@pytest.mark.parametrize(
    "reply",
    [
        "evaluation: correct\n\nOn second thoughts:\nevaluation: incorrect",
        "It names one. evaluation: partially correct\n\nevaluation: correct",
        "x\nevaluation: correct or partially correct",
    ],
)
def test_two_different_verdicts_are_marked_and_none_is_taken(reader, reply):
    parsed = read_verdict(reply, reader=reader)
    assert (parsed.verdict, parsed.reason) == (None, Unreadable.TWO_VERDICTS)
    assert parsed.comment == reply


@pytest.mark.parametrize(
    "reply",
    [
        '{"verdict": "correct"}\nVerdict: incorrect',
        '{"verdict": "correct", "evaluation": "incorrect"}',
        r"Verdict: correct" + "\n" + r"\boxed{incorrect}",
        '{"verdict": "correct"}\nevaluation: partially correct',
        "Verdict: correct or incorrect",
    ],
)
def test_two_different_verdicts_in_two_forms_are_marked(reply):
    assert read_verdict(reply, reader=SEVERAL).reason == Unreadable.TWO_VERDICTS


@pytest.mark.parametrize("reader", Reader)
@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("evaluation: correct\n\nevaluation: correct", CORRECT),
        ("x\nevaluation: incorrect\n\nExample 9\nquestion: q\nresponse: r\nevaluation: correct", INCORRECT),
        ("x\nevaluation: incorrect\n\nquestion: q\ncorrect_answers: a\nevaluation: correct", INCORRECT),
        ('The response says "evaluation: correct".\nevaluation: incorrect', INCORRECT),
    ],
)
def test_the_same_verdict_twice_or_one_on_an_invented_instance_is_no_second_verdict(reader, reply, verdict):
    assert read_verdict(reply, reader=reader).verdict == verdict


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("The verdict: it is hard to say.", Unreadable.NOT_STATED),
        ('The response holds "verdict": "correct" in quotation marks.', Unreadable.NOT_STATED),
        ('{"score": 5}', Unreadable.NOT_STATED),
        ('{"verdict": "good"}', Unreadable.NOT_STATED),
        (r"\boxed{1903}", Unreadable.NOT_STATED),
        ("", Unreadable.EMPTY),
        ("{" * 5000, Unreadable.NOT_STATED),
    ],
)
def test_the_second_reader_does_not_guess(reply, reason):
    assert read_verdict(reply, reader=SEVERAL).reason == reason


def test_a_verdict_in_another_form_has_to_be_offered_too():
    parsed = read_verdict('{"verdict": "partially correct"}', reader=SEVERAL, allowed=[CORRECT, INCORRECT])
    assert (parsed.verdict, parsed.reason) == (None, Unreadable.NOT_OFFERED)


def test_the_comment_comes_from_the_object_or_from_before_the_verdict():
    assert read_verdict('{"verdict": "correct", "comment": "Both."}', reader=SEVERAL).comment == "Both."
    assert read_verdict("Both.\nVerdict: correct", reader=SEVERAL).comment == "Both."


@given(st.text(alphabet='{}":\\ boxedvrictn\n', max_size=120))
def test_no_reply_breaks_a_reader(reply):
    parsed = read_verdict(reply, reader=SEVERAL)
    assert (parsed.verdict is None) == (parsed.reason is not None)


@pytest.mark.django_db
@pytest.mark.usefixtures("engine")
def test_the_reader_is_chosen_with_the_run_and_kept_with_each_judgment(server, sign_in, admin):
    server.levers.verdict = '{"comment": "Both.", "verdict": "correct"}'
    run = make_run(make_model(server.base_url), instances=1)
    work(run)
    judge = make_model(server.base_url, name="Judge")
    by_default = create_judge_run(language_models=[judge], source_runs=[run])
    start_run(run=by_default)
    work(by_default)
    judgment = by_default.judgments.get()
    assert (judgment.verdict, judgment.reader) == ("", "evaluation-line/2")
    client = sign_in(admin)
    values = {"source_runs": run.pk, "language_models": judge.pk, "reader": "several_forms"}
    assert client.post(reverse("judge_run_new"), values).status_code == 302
    chosen = Run.objects.latest("pk")
    start_run(run=chosen)
    work(chosen)
    judgment = chosen.judgments.get()
    assert (judgment.verdict, judgment.comment, judgment.reader) == (CORRECT, "Both.", "several-forms/1")
    assert "Also JSON" in client.get(reverse("run", args=[chosen.pk])).content.decode()
    out = io.StringIO()
    call_command("export_responses", "--judgments", "--run", str(chosen.pk), stdout=out)
    assert json.loads(out.getvalue())["reader"] == "several-forms/1"
    call_command(
        "start_run",
        *("--judge-runs", str(run.pk), "--models", "Judge", "--reader", "several_forms", "--yes", "--here"),
        stdout=io.StringIO(),
    )
    assert Run.objects.latest("pk").judgments.get().verdict == CORRECT
