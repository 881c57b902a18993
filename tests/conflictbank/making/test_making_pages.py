"""The pages on which admins import facts, make claims, have evidence written and checked, and release items."""

import io
import re

import pytest
from django.db import transaction
from django.urls import reverse

from annotation.models import Release
from benchmarks.conflictbank.claims.making import MAKING_LEASE, ask_for_claims, make_claims
from benchmarks.conflictbank.claims.twins import make_twins
from benchmarks.conflictbank.claims.worker import make_claims_asked_for, sets_to_make
from benchmarks.conflictbank.models import Claim, ClaimSet, Conflict, ConflictbankAction, Entity, Evidence, Fact
from core.background.doing import do_waiting
from core.models import Event
from judging.models import LanguageModel, RunState
from tests.factories.conflictbank import TOWNS, as_lines, bring_in, entity, residents
from tests.factories.judging import work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


@pytest.fixture
def pages(sign_in, admin):
    return sign_in(admin)


def shown(answer) -> str:
    """The text of a page, without its elements."""
    return " ".join(re.sub("<[^>]+>", " ", answer.text).split())


def open_(pages, page, *args, status=200, **query) -> str:
    answer = pages.get(reverse(page, args=args), query)
    assert answer.status_code == status
    return shown(answer)


def sent(rows, action: str, name: str = "facts.jsonl") -> dict:
    file = io.BytesIO(rows if isinstance(rows, bytes) else as_lines(rows))
    file.name = name
    return {"file": file, "action": action, "licence": "CC0"}


def made_claims(pages, **values) -> None:
    pages.post(reverse("claims_make", args=["claims"]), {"seed": 7, "made_on": "2026-03-01", **values})
    make_claims_asked_for()


# --- Facts ----------------------------------------------------------------------------------------------------------


def test_facts_are_validated_and_then_imported(pages, admin):
    checked = shown(pages.post(reverse("facts_import"), sent(residents(6), "check")))
    assert "6 records read; 6 new facts." in checked
    assert not Fact.objects.exists()
    assert "6 new facts" in shown(pages.post(reverse("facts_import"), sent(residents(6), "import")))
    assert Fact.objects.filter(state="ready").count() == 6
    assert Fact.objects.first().file.licence == "CC0"
    assert Event.objects.get(action=ConflictbankAction.IMPORTED_FACTS).actor == admin
    assert open_(pages, "facts").count("person called") == 6


def test_a_bad_line_is_named_and_nothing_is_imported(pages):
    rows = [*residents(3), {"relation": "P551", "subject": "Ann"}]
    answer = pages.post(reverse("facts_import"), sent(rows, "import"))
    assert answer.status_code == 400
    assert "Line 4" in shown(answer)
    assert not Fact.objects.exists()


def test_entities_come_in_and_their_names_from_an_allowed_wiki(pages, monkeypatch):
    from annotation.models import Wiki
    from benchmarks.conflictbank.facts import names

    assert "No wiki is allowed" not in open_(pages, "facts_names")  # nothing waits
    lines = as_lines([entity(f"Q{n}", f"Person {n}", P551=[f"Q{100 + n}"]) for n in range(1, 5)])
    pages.post(reverse("facts_import"), sent(lines, "import"))
    assert "4 entities are known only by their ids" in open_(pages, "facts_names")
    assert "No wiki is allowed" in open_(pages, "facts_names")
    wiki = Wiki.objects.create(name="Data", api_url="https://data.example/w/api.php")
    asked = []

    def ask(endpoint, ids):
        asked.append(ids)
        return {key: entity(key, TOWNS[int(key[1:]) % 5]) for key in ids if key != "Q104"}

    monkeypatch.setattr(names, "ask", ask)
    asked_for = pages.post(reverse("facts_names"), {"wiki": wiki.pk})
    assert asked == []
    do_waiting()
    assert "3 names found." in shown(pages.get(asked_for.url))
    assert asked == [["Q101", "Q102", "Q103", "Q104"]]
    assert Entity.objects.get(key="Q101").name == "Brinmoor"
    assert "No fact waits for a name" in open_(pages, "facts_names")
    Wiki.objects.update(is_allowed=False)
    assert pages.post(reverse("facts_names"), {"wiki": wiki.pk}).status_code == 400


def test_a_wiki_that_stops_answering_is_reported_and_the_names_before_are_kept(pages, monkeypatch):
    from annotation.mediawiki import WikiError
    from annotation.models import Wiki
    from benchmarks.conflictbank.facts import names

    lines = as_lines([entity(f"Q{n}", f"Person {n}", P551=[f"Q{1000 + n}"]) for n in range(1, 61)])
    pages.post(reverse("facts_import"), sent(lines, "import"))
    wiki = Wiki.objects.create(name="Data", api_url="https://data.example/w/api.php")

    def ask(endpoint, ids):
        if len(ids) < names.IDS_A_REQUEST:
            raise WikiError("data.example did not answer.")
        return {key: entity(key, f"Town {key}") for key in ids}

    monkeypatch.setattr(names, "ask", ask)
    asked_for = pages.post(reverse("facts_names"), {"wiki": wiki.pk})
    do_waiting()
    assert "data.example did not answer. Names that arrived before are kept." in shown(pages.get(asked_for.url))
    assert "10 entities are known only by their ids" in open_(pages, "facts_names")


# --- Claims ---------------------------------------------------------------------------------------------------------


def test_claims_are_planned_confirmed_and_made_by_a_worker(pages, admin):
    assert "No fact is ready" in open_(pages, "claim_sets")
    bring_in(residents(6))
    plan = open_(pages, "claim_sets", plan="claims", seed=7, made_on="2026-03-01")
    assert "24 claims would be made of 6 facts with seed 7. Times begin in 2027." in plan
    assert not ClaimSet.objects.exists()
    page = pages.post(reverse("claims_make", args=["claims"]), {"seed": 7, "made_on": "2026-03-01"}, follow=True)
    assert "The claims with seed 7 are being made." in page.text
    assert 'hx-trigger="every 2s"' in page.text
    assert not Claim.objects.exists()
    make_claims_asked_for()
    assert Claim.objects.count() == 24
    claim_set = ClaimSet.objects.get()
    assert (claim_set.facts, claim_set.of_facts, claim_set.is_finished) == (6, 6, True)
    assert Event.objects.get(action=ConflictbankAction.ASKED_FOR_CLAIMS).actor == admin
    page = pages.get(reverse("claim_sets"))
    assert "every 2s" not in page.text
    assert "Finished" in page.text
    assert open_(pages, "conflicts", set=claim_set.pk).count("resides in") == 24
    part = pages.get(reverse("claim_sets"), headers={"HX-Request": "true"})
    assert "<h1>" not in part.text


def test_the_page_makes_the_claims_that_the_command_makes(pages):
    from django.core.management import call_command

    bring_in(residents(12))
    made_claims(pages)
    call_command("make_claims", "--seed", "8", "--date", "2026-03-01")
    by_seed = {
        seed: set(Conflict.objects.filter(claim_set__seed=seed).values_list("fact", "replacement")) for seed in (7, 8)
    }
    assert by_seed[7] != by_seed[8]
    call_command("make_claims", "--seed", "7", "--date", "2026-03-01", "--dry-run")
    assert set(Conflict.objects.filter(claim_set__seed=7).values_list("fact", "replacement")) == by_seed[7]


def test_settings_that_do_not_go_together_are_refused_in_the_plan(pages):
    bring_in(residents(6))
    made_claims(pages)
    wrong = open_(pages, "claim_sets", status=400, plan="claims", seed=7, first_year=2050)
    assert "Use these settings or another seed" in wrong
    assert "not before" in open_(
        pages, "claim_sets", status=400, plan="claims", seed=9, made_on="2026-03-01", first_year=2020
    )
    assert "Enter a whole number" in open_(pages, "claim_sets", status=400, plan="claims", seed="x")
    assert pages.post(reverse("claims_make", args=["claims"]), {"seed": "1e5"}).status_code == 400


def test_facts_about_living_people_are_left_out_by_the_form(pages):
    bring_in([*({**each, "subject_is_living": "no"} for each in residents(6)[:5]), residents(6)[5]])
    assert "about a living person: 1" in open_(pages, "claim_sets", plan="claims", seed=7, leave_out_living="on")
    made_claims(pages, leave_out_living="on")
    assert Conflict.objects.count() == 5
    assert "left out" in open_(pages, "claim_sets")


def test_claims_that_a_worker_left_are_made_by_the_next_one(monkeypatch):
    from benchmarks.conflictbank.claims import making

    bring_in(residents(60))
    ask_for_claims(seed=7)
    written = making.insert

    def dies(rows):
        if Conflict.objects.count() >= 20:
            raise KeyboardInterrupt
        return written(rows)

    monkeypatch.setattr(making, "insert", dies)
    with pytest.raises(KeyboardInterrupt):
        make_claims_asked_for()
    left = ClaimSet.objects.get()
    assert left.facts == Conflict.objects.count() == 20
    monkeypatch.setattr(making, "insert", written)
    make_claims_asked_for()  # the dead worker's lease has not lapsed
    assert Conflict.objects.count() == 20
    ClaimSet.objects.update(making_until=left.making_until - 2 * MAKING_LEASE)
    make_claims_asked_for()
    finished = ClaimSet.objects.get()
    assert finished.facts == Conflict.objects.count() == 60
    assert finished.is_finished
    assert not sets_to_make().exists()


def test_twins_whose_making_was_interrupted_are_completed_and_are_the_same(monkeypatch):
    from benchmarks.conflictbank.claims import twins

    def found() -> list[tuple]:
        rows = Conflict.objects.filter(claim_set__seed=8)
        return sorted(rows.values_list("fact__subject__key", "replacement__key", "span"))

    bring_in(residents(60))
    make_claims(seed=7)
    with transaction.atomic():
        make_twins(seed=8, of=7)
        at_once = found()
        transaction.set_rollback(True)
    written = twins.insert

    def dies(rows):
        if Conflict.objects.filter(claim_set__seed=8).count() >= 20:
            raise KeyboardInterrupt
        return written(rows)

    monkeypatch.setattr(twins, "insert", dies)
    with pytest.raises(KeyboardInterrupt):
        make_twins(seed=8, of=7)
    left = ClaimSet.objects.get(seed=8)
    assert (left.facts, left.is_finished) == (20, False)
    monkeypatch.setattr(twins, "insert", written)
    make_claims_asked_for()  # the dead command's lease has not lapsed
    assert len(found()) == 20 < len(at_once)
    ClaimSet.objects.update(making_until=None)
    make_claims_asked_for()
    finished = ClaimSet.objects.get(seed=8)
    assert (finished.facts, finished.is_finished) == (len(at_once), True)
    assert found() == at_once


def test_nothing_is_asked_about_claims_that_are_not_all_made(pages):
    bring_in(residents(6))
    ask_for_claims(seed=7)
    pattern = LanguageModel.objects.get(endpoint_name="evidence-pattern")
    refused = pages.post(reverse("evidence_new"), {"method": "evidence", "language_models": [pattern.pk]})
    assert "not all made yet" in shown(refused)


def test_twins_are_made_once(pages):
    bring_in(residents(10))
    made_claims(pages)
    of = ClaimSet.objects.get()
    plan = open_(pages, "claim_sets", plan="twins", seed=8, of=of.pk)
    count = int(re.search(r"(\d+) twins would be made with seed 8\.", plan)[1])
    assert not ClaimSet.objects.filter(seed=8).exists()
    pages.post(reverse("claims_make", args=["twins"]), {"seed": 8, "of": of.pk})
    make_claims_asked_for()
    twins = ClaimSet.objects.get(seed=8)
    assert (twins.twins_of, twins.facts, twins.is_finished) == (of, count, True)
    assert "twins of 7" in open_(pages, "claim_sets")
    assert pages.post(reverse("claims_make", args=["twins"]), {"seed": 9, "of": of.pk}).status_code == 400
    wrong = open_(pages, "claim_sets", status=400, plan="claims", seed=8)
    assert "are twins of others" in wrong


# --- Evidence, checks, release --------------------------------------------------------------------------------------


def written(pages, method: str) -> None:
    pattern = LanguageModel.objects.get(endpoint_name="evidence-pattern")
    planned = pages.post(reverse("evidence_new"), {"method": method, "language_models": [pattern.pk]})
    assert planned.status_code == 302
    pages.post(planned.url + "start/")
    work()


def test_from_facts_to_a_release_on_pages_alone(pages):
    pages.post(reverse("facts_import"), sent(residents(8), "import"))
    assert "There are no claims yet" in open_(pages, "evidence_new")
    made_claims(pages)
    assert "There are no claims yet" not in open_(pages, "evidence_new")
    pattern = LanguageModel.objects.get(endpoint_name="evidence-pattern")
    planned = pages.post(
        reverse("evidence_new"), {"method": "evidence", "language_models": [pattern.pk]}, follow=True
    )
    assert "8 semantic claims wait for another description of the subject" in shown(planned)
    written(pages, "descriptions")
    written(pages, "evidence")
    assert Evidence.objects.count() == 32
    assert "32 texts not checked at all so far." in open_(pages, "conflict_checks")
    plan = open_(pages, "conflict_checks", plan="yes", entailment="names")
    assert "Claim entailed by its evidence: 0 texts ready for it; floor" in plan
    assert "Contradicts the default evidence: 0 texts ready for it; not checked" in plan
    unfinished = open_(pages, "conflicts_release", status=400, **release_of(pattern))
    assert "Left out, checks not finished: 8" in unfinished
    assert "Release them" not in unfinished
    checked = pages.post(reverse("conflict_checks"), {"entailment": "names"}, follow=True)
    assert "no calls are needed" in checked.text
    assert 'check=entailment&amp;outcome=passed">32</a>' in checked.text
    plan = open_(pages, "conflicts_release", **release_of(pattern))
    assert "8 items. With evidence that was not checked: 8" in plan
    assert not Release.objects.exists()
    made = pages.post(reverse("conflicts_release"), release_of(pattern), follow=True)
    assert Release.objects.get().instances.count() == 8
    assert "is made. 8 items." in shown(made)
    again = open_(pages, "conflicts_release", status=400, **release_of(pattern))
    assert "holds exactly these items" in again


def conflicts_with_evidence(pages) -> LanguageModel:
    """Eight conflicts whose evidence by the returned model is checked."""
    pages.post(reverse("facts_import"), sent(residents(8), "import"))
    made_claims(pages)
    written(pages, "descriptions")
    written(pages, "evidence")
    pages.post(reverse("conflict_checks"), {"entailment": "names"})
    return LanguageModel.objects.get(endpoint_name="evidence-pattern")


def release_of(model: LanguageModel, **more) -> dict:
    values = {"plan": "yes", "claims": ClaimSet.objects.get().pk, "model": model.pk, "name": "Ours", "version": 1}
    return values | more


def test_descriptions_by_two_models_are_refused_beside_the_choice(pages, server, writer):
    bring_in(residents(6))
    made_claims(pages)
    pattern = LanguageModel.objects.get(endpoint_name="evidence-pattern")
    values = {"method": "descriptions", "language_models": [pattern.pk, writer.pk]}
    refused = pages.post(reverse("evidence_new"), values)
    assert refused.status_code == 400
    assert "name one model" in shown(refused)


def test_a_run_for_evidence_has_a_budget_and_shows_its_plan(pages, server, writer):
    bring_in(residents(6))
    made_claims(pages)
    values = {"method": "evidence", "language_models": [writer.pk], "budget": "0.5", "name": "Texts"}
    planned = pages.post(reverse("evidence_new"), values)
    page = pages.get(planned.url)
    assert "<strong>18 calls</strong>" in page.text
    assert not server.calls
    run = page.context["run"]
    assert (run.state, float(run.budget)) == (RunState.PLANNED, 0.5)
