"""The datasheet of a release of candidates says how it was made, from rows, as they were when it was made."""

import json
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from annotation.models import Release
from annotation.releases.datasheets.datasheet import markdown, sheet_of
from benchmarks.contradoc.models import Candidate, CandidateState, Check
from benchmarks.contradoc.release.releasing import release_candidates
from review.models import Adjudication, Judgment, Round
from review.rounds.adjudication import adjudicate
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment
from review.rounds.rounds import close_round
from tests.contradoc.making.test_verification import YES
from tests.factories.contradoc import TEXT, make_candidate, make_questionnaire_round

pytestmark = pytest.mark.django_db


def check(candidate: Candidate, name: str, outcome: str, **values: Any) -> Check:
    defaults = {"component": "local: nli", "decided_at": timezone.now()}
    return Check.objects.create(candidate=candidate, name=name, outcome=outcome, **defaults | values)


@pytest.fixture
def release(tmp_path, admin, reviewer, other_reviewer, adjudicator) -> Release:
    """One kept by both, one by the expert as it was marked, one rejected, one left out by a check."""
    line = json.dumps({"id": "7", "doc_type": "news", "text": TEXT})
    (tmp_path / "clean.jsonl").write_text(line, encoding="utf-8")
    call_command("import_documents", tmp_path / "clean.jsonl", revision="r12", licence="CC BY 4.0")
    kept = make_candidate("7", gap=5)
    check(kept, "contradiction", "passed", value=0.97, threshold=0.9)
    check(kept, "fluency", "not_checked", reason="Nothing can measure perplexity.", component="")
    dropped = make_candidate("9", state=CandidateState.FAILED)
    check(dropped, "contradiction", "failed", value=0.2, threshold=0.9)
    make_candidate("8")
    make_candidate("10")
    round = make_questionnaire_round("contradoc-verification", admin, [reviewer, other_reviewer], undo_minutes=0)
    answers = {"7": (YES, YES), "8": (YES, YES | {"controversial": "yes"}), "10": (YES | {"acceptable": "no"},) * 2}
    give(round, reviewer, answers, 0)
    give(round, other_reviewer, answers, 1)
    adjudicate(adjudication=Adjudication.objects.get(), person=adjudicator, answers=YES, reason="clear")
    close_round(round=round, admin=admin)
    return release_candidates(rounds=[Round.objects.get()], name="Ours", admin=admin)


def give(round, person, answers, at):
    """A person's answers about all candidates, by the codes of their documents."""
    slots = Judgment.objects.select_related("round", "item").filter(round=round, reviewer=person)
    for slot in slots:
        given = answers[slot.item.subject.document.code][at]
        record_judgment(slot=slot, reviewer=person, answers=given, at=timezone.now())
    complete_pairs(round=round)


def test_it_says_model_prompt_checks_verifiers_expert_rejections_licence_and_defects(release):
    text = markdown(sheet_of(release))
    for line in (
        "| Facts, with a contradiction of each, Mist | 4 | 0 | 4 | 0 | 4 | 2 |",
        "## Prompt: Facts, with a contradiction of each",
        "| Statement and contradiction exclude each other | Insert: 0.9 | 1 | 1 | 0 | 0 | 2 |",
        "1 candidate not checked. Nothing can measure perplexity.",
        "| Verifiers | 2 |",
        "| Decided by the expert | 1 of 3 (33.3 %) |",
        "| Reason for the expert: A reviewer asked for an expert | 1 |",
        "| Rejected by people | 1 of 4 (25.0 %) |",
        "| Rejected by a check | 1 of 4 (25.0 %) |",
        "| File of clean documents | clean.jsonl, 1 document |",
        "| Licence of the texts | CC BY 4.0 |",
        "| Revision | r12 |",
        "## Maintenance",
        "| Contradictions without all checks passed | 2 of 2 (100.0 %) |",
        "| Contradictions kept by the expert alone | 1 of 2 (50.0 %) |",
    ):
        assert line in text, line


def test_it_reads_the_same_after_the_rows_changed(release):
    before = markdown(sheet_of(release))
    make_candidate("11", state=CandidateState.FAILED)
    Check.objects.filter(outcome="not_checked").delete()
    Candidate.objects.filter(state=CandidateState.FAILED).update(state=CandidateState.LEFT_OUT)
    assert markdown(sheet_of(release)) == before


def test_an_earlier_release_counts_its_rows_and_says_so(release):
    release.how_made = {"rounds": release.how_made["rounds"], "with_clean": False}
    text = markdown(sheet_of(release))
    assert "They are counted from today" in text
    assert "| Verifiers | 2 |" in text
    release.how_made = {"rounds": ["gone"], "with_clean": False}
    assert "it is not known how its documents were made" in markdown(sheet_of(release))


def test_it_is_a_page_and_a_file_and_leaves_the_hash_alone(release, admin, sign_in):
    page = sign_in(admin).get(reverse("release_datasheet", args=[release.number])).content.decode()
    assert "Verification by people" in page
    downloaded = sign_in(admin).get(reverse("release_download", args=[release.number, "datasheet"]))
    assert "## Verification by people" in downloaded.getvalue().decode()
    assert (
        reverse("release_datasheet", args=[release.number])
        in sign_in(admin).get(reverse("release", args=[release.number])).text
    )
    call_command("verify_release", release.number)


def test_a_mark_alone_is_no_difference(release):
    assert Adjudication.objects.get().get_cause_display() == "A reviewer asked for an expert"
