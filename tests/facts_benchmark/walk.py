"""A benchmark of facts, unlike the others, goes the whole way through doors that know nothing of it."""

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Release
from judging.models import Reading, Response, Run
from review.models import FinalAnswers
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment
from tests.factories.contradoc import make_questionnaire_round
from tests.factories.judging import make_model
from tests.servers.llm_server import LlmServer

pytestmark = pytest.mark.django_db(transaction=True)
OPTIONS = ["Rome", "Oslo", "Lima", "Bern"]
FACTS = [
    {"id": f"f{number}", "subject": f"Tom {number}", "relation": "lives in", "options": OPTIONS, "right": right}
    for number, right in enumerate(["Rome", "Oslo", "Rome"], start=1)
]


@pytest.fixture
def server():
    with LlmServer(answer=lambda request: "true") as server:
        server.probabilities = lambda request: {
            "true": -0.1 if "Rome" in request["messages"][-1]["content"] else -2.0,
            "false": -2.5,
        }
        yield server


@pytest.fixture
def release(tmp_path) -> Release:
    path = tmp_path / "facts.jsonl"
    path.write_text("\n".join(map(json.dumps, FACTS)))
    assert "3 items: frozen as release 1 “Facts”." in command("import_items", str(path), "--benchmark", "facts")
    return Release.objects.get()


def command(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def asked(server, *options: str) -> Run:
    model = make_model(server.base_url, name="Believer", token_probabilities="chat", price_in=0, price_out=1)
    command("start_run", "--release", "1", "--models", model.name, "--templates", "facts-each", *options)
    return Run.objects.get()


def test_facts_are_imported_asked_read_reported_and_published(release, server, tmp_path, admin, sign_in):
    assert [json.loads(line) for line in command("export_items", "--release", "1").splitlines()] == FACTS
    run = asked(server, "--yes", "--here")
    assert len(server.calls) == Response.objects.count() == 12
    assert set(server.paid.values()) == {1}
    scores = Reading.objects.order_by("response__instance").values_list(
        "scores__option", "scores__is_right", "problem"
    )
    assert list(scores) == [("A", True, ""), ("A", None, ""), ("A", True, "")]

    found = json.loads(command("report", "facts-ratios", "--format", "json"))
    assert found["models"] == [{"model": "Believer", "n": 3, "right": 2, "ratio": pytest.approx(2 / 3)}]
    rows = list(csv.DictReader(io.StringIO(command("report", "facts-ratios", "--format", "csv"))))
    assert rows[0]["model"] == "Believer"
    for form, said in (("text", "Believer"), ("latex", r"\begin{tabular}")):
        assert said in command("report", "facts-ratios", "--format", form)

    client = sign_in(admin)
    first = run.responses.get(instance__question="Tom 1: lives in?", answer_part=1)
    page = client.get(reverse("response", args=[first.key])).text
    assert "1 of 4" in page
    assert "Probability:" in page
    for address in (
        reverse("release", args=[1]),
        reverse("release_instance", args=[1, 1]),
        reverse("run", args=[run.pk]),
        reverse("report", args=["facts-ratios"]),
        reverse("import_release", args=["facts"]),
        reverse("templates"),
    ):
        assert client.get(address).status_code == 200, address

    command("export_site", "--release", "1", str(tmp_path / "site"))
    assert "Facts, to measure what models believe." in (tmp_path / "site" / "index.html").read_text()


def test_people_judge_facts_in_a_round(release, admin, reviewer, other_reviewer, sign_in):
    people = [reviewer, other_reviewer]
    round = make_questionnaire_round("facts-truth", admin, people, release=release, undo_minutes=0)
    page = sign_in(reviewer).get(reverse("judge_round", args=[round.key])).text
    assert "Is this fact true?" in page
    for item in round.items.all():
        for slot in item.judgments.all():
            record_judgment(slot=slot, reviewer=slot.reviewer, answers={"true": "yes"})
    complete_pairs(round=round)
    assert list(FinalAnswers.objects.values_list("outcome", flat=True)) == ["yes"] * 3


def test_the_floor_needs_no_model(release):
    floor = "Baseline: believes the first option"
    command("start_run", "--release", "1", "--models", floor, "--templates", "facts-each", "--yes", "--here")
    assert Reading.objects.filter(scores__option="A").count() == 3


def test_a_model_without_log_probabilities_is_refused_and_a_bad_fact_named(release, server, tmp_path):
    model = make_model(server.base_url)
    with pytest.raises(CommandError, match="gives no log-probabilities"):
        command("start_run", "--release", "1", "--models", model.name, "--templates", "facts-each", "--yes")
    assert not server.calls
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps({**FACTS[0], "right": "Paris"}))
    with pytest.raises(CommandError, match="none of the options"):
        command("import_items", str(path), "--benchmark", "facts")
