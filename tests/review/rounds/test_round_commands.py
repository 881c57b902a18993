"""Rounds from the terminal: a round's plan, its beginning, its progress, closing and reopening it."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from core.models import Event
from review.files.known_verdicts import import_known
from review.models import KnownVerdict, Round, RoundState
from tests.factories.review import give_all, make_imported_run

pytestmark = pytest.mark.django_db


def run_command(*args: object) -> str:
    out = io.StringIO()
    call_command(*map(str, args), stdout=out)
    return out.getvalue()


@pytest.fixture
def asked(reviewer, other_reviewer):
    return [
        "begin_round",
        "First",
        "--runs",
        make_imported_run().pk,
        "--reviewers",
        reviewer.username,
        other_reviewer.username,
    ]


def test_a_dry_run_says_what_the_round_would_hold(asked):
    said = run_command(*asked, "--sample-size", "4", "--dry-run")
    assert "4 responses would be dealt.\nrita: 4 judgments.\nralph: 4 judgments.\nLeft out: 2" in said
    assert not Round.objects.exists()


def test_a_round_is_begun_followed_closed_and_opened_again(asked):
    said = run_command(*asked, "--undo-minutes", "0", "--no-training")
    round = Round.objects.get()
    assert "6 responses dealt. Reviewers can begin." in said
    assert (round.state, round.undo_minutes, round.with_training, round.judgments_each) == ("open", 0, False, 2)
    assert "0 of 12 judgments of 6 responses count" in run_command("round_status", round.pk)
    for item in round.items.all():
        give_all(item, "correct", "correct")
    [status] = json.loads(run_command("round_status", "--json"))
    assert (status["judgments"], status["final"], status["state"]) == (12, 6, "open")
    assert "would be closed" in run_command("close_round", round.pk, "--dry-run")
    assert Round.objects.get().state == RoundState.OPEN
    assert "“First”, closed" in run_command("close_round", round.pk)
    assert "“First”, open" in run_command("close_round", round.pk, "--reopen")
    assert not Event.objects.about(round).exclude(actor=None).exists()


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        (["--reviewers", "nadine"], 1, "No person has the user name “nadine”"),
        (["--runs", "99"], 1, "no run 99"),
        (["--judgments-each", "9"], 2, "judgments_each"),
        (["--judgments-each", "3"], 1, "at least three reviewers"),
    ],
)
def test_a_round_that_cannot_be_is_refused(asked, more, code, words):
    with pytest.raises(CommandError, match=words) as ended:
        run_command(*asked, *more)
    assert ended.value.returncode == code
    assert not Round.objects.exists()


def test_known_verdicts_come_from_a_file(tmp_path):
    response = make_imported_run().responses.first()
    file = tmp_path / "known.csv"
    file.write_text(f"response,use,verdict,explanation\n{response.key},training,correct,It names both years.\n")
    assert "1 known verdicts would be imported" in run_command("import_known_verdicts", file, "--dry-run")
    run_command("import_known_verdicts", file)
    assert KnownVerdict.objects.get().response == response


def test_known_verdicts_that_are_here_change_nothing_and_others_are_named(tmp_path):
    first, second = make_imported_run().responses.all()[:2]
    file = tmp_path / "known.csv"
    head = "response,use,verdict,explanation\n"
    file.write_text(f"{head}{first.key},training,correct,It names both years.\n")
    run_command("import_known_verdicts", file)
    events = Event.objects.count()
    assert run_command("import_known_verdicts", file) == "0 known verdicts imported. 1 was already stored.\n"
    assert (KnownVerdict.objects.count(), Event.objects.count()) == (1, events)
    file.write_text(f"{file.read_text()}{second.key},check,incorrect,\n")
    assert run_command("import_known_verdicts", file) == "1 known verdicts imported. 1 was already stored.\n"
    other = f"{head}{first.key},training,incorrect,It names both years.\n{second.key},check,incorrect,\n"
    found = import_known(io.BytesIO(other.encode()))
    assert found.bad == [("2", "This response is already known here, with another use, verdict or explanation.")]
    twice = f"{head}{second.key},check,incorrect,\n{second.key},check,incorrect,\n"
    assert import_known(io.BytesIO(twice.encode())).bad == [("3", "This response is in the file twice.")]
