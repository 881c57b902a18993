"""Judgments in and out as files: all or nothing, a reason for each bad row, pseudonyms, no cell a formula."""

import csv
import io
import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from core.files.spreadsheets import is_formula
from core.models import Event, User
from judging.models import Response
from review.files.judgment_exports import pseudonym
from review.files.judgment_imports import import_judgments
from review.models import (
    Adjudication,
    FinalVerdict,
    Item,
    Judgment,
    KnownVerdict,
    Pair,
    Pseudonym,
    ReviewAction,
    Round,
    TakenBack,
)
from review.rounds.adjudication import adjudicate
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.rounds import close_round
from tests.conftest import make_person
from tests.factories.judging import make_release
from tests.factories.review import give, give_all, make_imported_run, make_response, make_round

pytestmark = pytest.mark.django_db
HEADER = "response,reviewer,verdict,comment"


@pytest.fixture
def people(reviewer, other_reviewer):
    return [reviewer, other_reviewer]


@pytest.fixture
def run(db):
    return make_imported_run(2, models=("Mist",))


@pytest.fixture
def responses(run) -> list[Response]:
    return list(Response.objects.order_by("pk"))


def lines(*rows, header: str = HEADER) -> str:
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


@pytest.fixture
def bring(tmp_path):
    """`bring(text, *options)` runs the command on a file of this text; gives what it said and whether it failed."""

    def run_it(text: str | bytes, *options: str) -> tuple[str, bool]:
        file, said = tmp_path / "judgments.csv", io.StringIO()
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        try:
            call_command("import_judgments", str(file), *options, stdout=said)
        except CommandError as error:
            return said.getvalue() + str(error), True
        return said.getvalue(), False

    return run_it


def export(*options: str) -> str:
    said = io.StringIO()
    call_command("export_judgments", *options, stdout=said)
    return said.getvalue()


def test_judgments_made_elsewhere_become_pairs_and_verdicts(bring, responses, people):
    first, second = responses
    said, failed = bring(
        lines(
            (first.key, "rita", "correct", "names both"),
            (first.key, "ralph@example.org", "Correct", ""),
            (second.key, "RITA", "partially correct", ""),
            (second.key, "ralph", "I", ""),
        ),
        "--round",
        "By hand",
    )
    assert not failed
    assert "4 judgments imported." in said
    round = Round.objects.get()
    assert (round.name, round.is_import) == ("By hand", True)
    assert FinalVerdict.objects.get().response == first
    assert Adjudication.objects.get().item.response == second
    assert Judgment.objects.get(reviewer=people[0], item__response=first).comment == "names both"
    assert Event.objects.get(action=ReviewAction.IMPORTED_JUDGMENTS).after == {"judgments": 4}


@pytest.mark.parametrize("word", ["--dry-run", "--check"])
def test_a_dry_run_of_a_good_file_writes_nothing(word, bring, responses, people):
    said, failed = bring(lines((responses[0].key, "rita", "correct", "")), word)
    assert (said, failed) == ("No bad rows. 1 judgments would be imported; nothing was written.\n", False)
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("names", [["--names"], []], ids=["names", "pseudonyms"])
def test_our_own_export_is_here_already(names, bring, admin, run, responses, people):
    """Also of a closed round, by a person who is no longer a reviewer, and under pseudonyms."""
    round = make_round(admin, people, run)
    for item in round.items.all():
        give_all(item, "correct", "incorrect")
    close_round(round=round, admin=admin)
    people[0].groups.clear()
    file = export("--format", "csv", *names)
    before = list(Judgment.objects.order_by("pk").values())
    for option in (["--dry-run"], []):
        said, failed = bring(file, *option)
        assert not failed, said
        assert "4 were already stored" in said
    assert list(Judgment.objects.order_by("pk").values()) == before
    assert Round.objects.get() == round


def test_a_closed_round_takes_no_other_judgment(bring, admin, run, responses, people):
    round = make_round(admin, people, run)
    item = round.items.first()
    give(item.judgments.get(number=1), "correct")
    close_round(round=round, admin=admin)
    rows = [
        (item.response.key, slot.reviewer.username, "incorrect", "") for slot in item.judgments.order_by("number")
    ]
    said, failed = bring(lines(*rows))
    assert failed
    assert "has already judged this response differently" in said
    assert "which is not open" in said
    assert Judgment.objects.given().count() == 1


def test_a_dry_run_lists_each_bad_row_and_writes_nothing(bring, responses, run, people, stranger):
    cut = make_response(run, responses[0].instance, code="5", mark="cut")
    decided = make_response(run, responses[0].instance, code="1")
    FinalVerdict.objects.create(
        response=decided,
        verdict="correct",
        how="imported",
        **{field: getattr(decided, field) for field in ("run", "instance", "model", "template")},
    )
    key = responses[0].key
    rows = [
        (key, "rita", "correct", ""),
        (key, "rita", "incorrect", ""),
        (key, "stan", "correct", ""),
        (key, "nobody", "correct", ""),
        (key, "ralph", "perfect", ""),
        (key, "ralph", "", ""),
        ("17", "ralph", "correct", ""),
        ("7c9e6679-7425-40de-944b-e07fc1f90ae7", "ralph", "correct", ""),
        (cut.key, "ralph", "correct", ""),
        (decided.key, "ralph", "correct", ""),
    ]
    said, failed = bring(lines(*rows), "--dry-run")
    assert failed
    reasons = {line.split(":")[0]: line for line in said.splitlines() if line.startswith("Line")}
    expected = {
        3: "rita already judges this response on line 2",
        4: "No reviewer has the user name",
        5: "No reviewer has the user name",
        6: "“perfect” is not a verdict",
        7: "There is no verdict",
        8: "is not the key of a response",
        9: "There is no response",
        10: "is not an answer (cut at the token limit)",
        11: "imported final verdict",
    }
    assert set(reasons) == {f"Line {line}" for line in expected}
    for line, reason in expected.items():
        assert reason in reasons[f"Line {line}"]
    assert not Round.objects.exists()
    assert not Judgment.objects.exists()


def test_one_bad_row_keeps_all_out(bring, responses, people):
    said, failed = bring(lines((responses[0].key, "rita", "correct", ""), (responses[1].key, "rita", "?", "")))
    assert failed
    assert "1 bad row: nothing was written" in said
    assert not Judgment.objects.exists()


def test_a_line_may_name_the_separator(bring, responses, people):
    said, has_failed = bring(f"sep=;\r\nresponse;reviewer;verdict\r\n{responses[0].key};{people[0]};correct\r\n")
    assert not has_failed
    assert "1 judgments imported." in said


def test_with_skip_bad_the_good_rows_come_in(bring, responses, people, tmp_path):
    one, two = (response.key for response in responses[:2])
    bad = tmp_path / "bad.jsonl"
    rows = [(one, people[0], "correct", "yes"), (two, "nobody", "correct", ""), (one, people[0], "incorrect", "")]
    said, has_failed = bring(lines(*rows), "--skip-bad", str(bad))
    assert not has_failed
    assert "1 judgments imported." in said
    assert "2 bad records were skipped" in said
    skipped = [json.loads(line) for line in bad.read_text().splitlines()]
    assert [(each["where"], each["record"]["reviewer"]) for each in skipped] == [
        ("3", "nobody"),
        ("4", people[0].username),
    ]
    # The response of the row that was skipped is in no round.
    assert [item.response for item in Item.objects.all()] == [responses[0]]


def test_a_third_judgment_is_a_bad_row(bring, responses, people):
    make_person("rosa", "reviewer")
    key = responses[0].key
    said, failed = bring(
        lines((key, "rita", "correct", ""), (key, "ralph", "correct", ""), (key, "rosa", "correct", ""))
    )
    assert failed
    assert "Line 4: This response has two judgments" in said


def test_the_same_file_twice_changes_nothing(bring, responses, people):
    text = lines((responses[0].key, "rita", "correct", ""), (responses[0].key, "ralph", "incorrect", ""))
    bring(text)
    said, failed = bring(text)
    assert not failed
    assert "0 judgments imported. 2 were already stored." in said
    assert Judgment.objects.given().count() == 2


def test_the_second_judgment_may_come_in_another_file(bring, responses, people):
    bring(lines((responses[0].key, "rita", "correct", "")))
    assert not Pair.objects.exists()
    bring(lines((responses[0].key, "ralph", "correct", "")))
    assert Pair.objects.count() == 1


def test_in_a_round_a_row_fills_ones_own_slot_or_one_that_nobody_opened(bring, admin, people, run):
    rosa = make_person("rosa", "reviewer")
    round = make_round(admin, people, run)
    item = round.items.order_by("pk").first()
    _said, failed = bring(
        lines((item.response.key, "rita", "correct", ""), (item.response.key, "rosa", "correct", ""))
    )
    assert not failed
    assert {judgment.reviewer for judgment in item.judgments.all()} == {people[0], rosa}
    assert FinalVerdict.objects.count() == 1


def test_a_response_that_a_reviewer_has_open_is_left_to_them(bring, admin, people, run):
    make_person("rosa", "reviewer")
    round = make_round(admin, people, run)
    item = round.items.order_by("pk").first()
    item.judgments.update(lease_expires_at=timezone.now() + timezone.timedelta(minutes=5))
    said, failed = bring(lines((item.response.key, "rosa", "correct", "")))
    assert failed
    assert "a reviewer is judging it now" in said


def test_an_import_keeps_a_verdict_that_the_template_does_not_offer(bring, people):
    run = make_imported_run(1, models=("Mist",), codes=("2",))
    response = run.responses.get()
    _said, failed = bring(
        lines((response.key, "rita", "partially_correct", ""), (response.key, "ralph", "partially_correct", ""))
    )
    assert not failed
    assert FinalVerdict.objects.get().verdict == "partially_correct"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "has no column response, reviewer, verdict"),
        ("response,verdict\n", "has no column reviewer"),
        (HEADER + "\n", "no rows"),
        (b"\xff\xfe\x00", "not text in UTF-8"),
        (HEADER + "\nx\x00,rita,correct,\n", "NUL bytes"),
        (HEADER + '\n"x"y,rita,correct,\n', "is not CSV"),
        (HEADER + "\nx,rita,correct,first, and second\n", "Line 2 has 5 cells"),
    ],
)
def test_what_is_no_such_file_is_refused(bring, text, reason):
    said, failed = bring(text)
    assert failed
    assert reason in said


def test_semicolons_and_a_byte_order_mark_are_read(bring, responses, people):
    text = "\ufeffResponse;Reviewer;Verdict;Comment\n" + f'{responses[0].key};rita;correct;"a;b\nc"\n'
    _said, failed = bring(text)
    assert not failed
    assert Judgment.objects.given().get().comment == "a;b\nc"


def test_on_the_page_one_can_check_before_importing(admin, sign_in, responses, people):
    client = sign_in(admin)
    text = lines((responses[0].key, "rita", "correct", ""), (responses[0].key, "ralph", "?", ""))
    values = {"file": SimpleUploadedFile("j.csv", text.encode()), "action": "check"}
    answer = client.post(reverse("judgment_files"), values)
    assert answer.status_code == 400
    assert "Line 3: “?” is not a verdict" in answer.content.decode()
    values = {"file": SimpleUploadedFile("j.csv", text.replace("?", "correct").encode()), "action": "import"}
    assert "2 judgments imported." in client.post(reverse("judgment_files"), values).content.decode()


@pytest.mark.parametrize("comment", ["=1+1", "'-5", "-5", "\uff1dcmd", "'\uff1dcmd", "''=1"])
def test_an_export_comes_back_in_as_it_went_out(comment, bring, admin, people, run):
    round = make_round(admin, people, run)
    items = list(round.items.order_by("pk"))
    give_all(items[0], "correct", "incorrect")
    give(items[1].judgments.get(number=1), "", cannot_judge="breaks off", comment=comment, seconds=40)
    out = export("--format", "csv", "--names")
    before = [(row["response"], row["reviewer"], row["verdict"], row["comment"]) for row in rows_of(out)]
    assert not any(is_formula(cell) for row in rows_of(out) for cell in row.values())
    Pair.objects.all().delete()
    FinalVerdict.objects.all().delete()
    TakenBack.objects.all().delete()
    Round.objects.all().delete()
    said, failed = bring(out)
    assert not failed, said
    again = export("--format", "csv", "--names")
    assert [(row["response"], row["reviewer"], row["verdict"], row["comment"]) for row in rows_of(again)] == before
    found = Judgment.objects.get(cannot_judge="breaks off")
    assert (found.comment, found.seconds) == (comment, 40)


def rows_of(text: str) -> list[dict]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_reviewers_have_pseudonyms_by_release(admin, people):
    runs = [
        make_imported_run(1, models=("Mist",), release=make_release(1)),
        make_imported_run(1, models=("Mist",), name="second"),
    ]
    for run in runs:
        give_all(make_round(admin, people, run).items.get(), "correct", "correct")
    rows = [json.loads(line) for line in export().splitlines()]
    assert len(rows) == 4
    assert len({row["reviewer"] for row in rows}) == 4
    assert all(row["reviewer"].startswith("reviewer-") for row in rows)
    assert [json.loads(line) for line in export().splitlines()] == rows
    assert "rita" not in export()
    assert pseudonym(people[0], runs[0].release_id) in {row["reviewer"] for row in rows[:2]}
    assert Pseudonym.objects.count() == 4
    assert {row["release"] for row in rows} == {1, None}


def test_final_verdicts_say_how_they_came(admin, people, adjudicator, run):
    items = list(make_round(admin, people, run).items.order_by("pk"))
    give_all(items[0], "correct", "correct")
    give_all(items[1], "correct", "incorrect")
    adjudicate(adjudication=Adjudication.objects.get(), person=adjudicator, verdict="incorrect", reason="no year")
    first, second = (json.loads(line) for line in export("--what", "final-verdicts").splitlines())
    assert (first["verdict"], first["how"], first["adjudicator"]) == ("correct", "agreed", "")
    assert (second["verdict"], second["how"], second["reason"]) == ("incorrect", "adjudicated", "no year")
    assert second["adjudicator"].startswith("reviewer-")
    assert (first["model"], first["template"]) == ("Mist", "4")


def test_downloads_are_for_admins(admin, people, sign_in, run):
    give_all(make_round(admin, people, run).items.first(), "correct", "correct")
    address = reverse("judgment_export", args=["judgments", "csv"])
    answer = sign_in(admin).get(address)
    assert answer["Content-Disposition"] == 'attachment; filename="judgments.csv"'
    text = b"".join(answer.streaming_content).decode()
    assert len(rows_of(text)) == 2
    assert "rita" not in text
    named = b"".join(sign_in(admin).get(address, {"names": 1}).streaming_content).decode()
    assert "rita" in named
    assert sign_in(people[0]).get(address).status_code == 403
    assert sign_in(admin).get(reverse("judgment_export", args=["people", "csv"])).status_code == 404


def test_training_and_check_items_come_from_a_file(admin, sign_in, responses):
    client, header = sign_in(admin), "response,use,verdict,explanation"
    bad = lines(
        (responses[0].key, "training", "correct", ""), (responses[1].key, "exam", "correct", "x"), header=header
    )
    answer = client.post(reverse("known"), {"file": SimpleUploadedFile("k.csv", bad.encode()), "action": "import"})
    page = answer.content.decode()
    assert "Line 2: A training item needs an explanation" in page
    assert "Line 3: “exam” is not a use" in page
    assert not KnownVerdict.objects.exists()
    good = lines(
        (responses[0].key, "training", "correct", "both"), (responses[1].key, "check", "I", ""), header=header
    )
    client.post(reverse("known"), {"file": SimpleUploadedFile("k.csv", good.encode()), "action": "import"})
    assert KnownVerdict.objects.count() == 2
    client.post(reverse("known_withdraw", args=[KnownVerdict.objects.first().pk]))
    assert KnownVerdict.objects.filter(is_offered=True).count() == 1


def test_a_response_in_a_round_cannot_become_known(admin, sign_in, people, run, responses):
    make_round(admin, people, run)
    text = lines((responses[0].key, "check", "correct", ""), header="response,use,verdict,explanation")
    values = {"file": SimpleUploadedFile("k.csv", text.encode()), "action": "import"}
    assert "judged in a round" in sign_in(admin).post(reverse("known"), values).content.decode()


def test_imported_judgments_of_an_open_round_stay_blind_to_items(admin, people, run):
    round = make_round(admin, people, run)
    assert Item.objects.filter(round=round).count() == 2
    complete_pairs()
    assert export() == ""


@pytest.mark.parametrize("action", ["check", "import"])
@pytest.mark.parametrize("guess", ["correct", "incorrect"])
def test_a_guess_at_the_other_verdict_tells_an_admin_who_judges_nothing(
    guess, action, admin, other_reviewer, sign_in
):
    """ "Was there already" for one guess and "otherwise" for another would be the verdict itself."""
    bea = make_person("bea", "reviewer", "admin")
    make_round(admin, [bea, other_reviewer], make_imported_run(1, models=("Mist",)))
    slot = Judgment.objects.get(reviewer=other_reviewer)
    client = sign_in(bea)

    def say() -> bytes:
        file = SimpleUploadedFile("guess.csv", lines((slot.item.response.key, "ralph", guess, "")).encode())
        answer = client.post(reverse("judgment_files"), {"file": file, "action": action})
        assert answer.status_code == 403
        return re.sub(rb'"[A-Za-z0-9]{64}"', b"", answer.content)

    before = say()
    give(slot, "correct", at=timezone.now())  # it can still be taken back
    assert say() == before
    assert "you judge in an unfinished round" in before.decode()
    assert Judgment.objects.given().count() == 1


def test_a_closed_account_keeps_what_it_judged(people, responses):
    rita, _ = people
    User.objects.filter(pk=rita.pk).update(is_active=False)
    text = lines((responses[0].key, "rita", "correct", ""), (responses[1].key, "rita@example.org", "correct", ""))
    import_judgments(io.BytesIO(text.encode()), judgments_each=2)
    assert [judgment.reviewer for judgment in Judgment.objects.given()] == [rita, rita]
