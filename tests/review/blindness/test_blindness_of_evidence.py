"""Whoever judges evidence in an unfinished round learns nothing of it by any way in, whatever their roles: not what
its checks came to, what others answered, which model wrote it, or what is true of its subject."""

from datetime import date, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Release
from benchmarks.conflictbank.claims.making import make_claims
from benchmarks.conflictbank.evidence.checking import overrule
from benchmarks.conflictbank.evidence.components import ENTAILMENT, NAMES, components_for
from benchmarks.conflictbank.evidence.generation import PATTERN_LABEL
from benchmarks.conflictbank.evidence.measuring import run_checks
from benchmarks.conflictbank.models import Claim, Conflict, Evidence, EvidenceCheck, Fact
from benchmarks.conflictbank.questionnaires.evidence import COMMON_CODE, PAIRS_CODE
from benchmarks.conflictbank.release.releasing import release_conflicts
from benchmarks.conflictbank.reports.entries import REPORTS
from judging.models import LanguageModel
from review.models import FinalAnswers, Judgment
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment
from review.rounds.rounds import close_round
from tests.conflictbank.making.test_people import FINE
from tests.conftest import make_person
from tests.doors.walking import seen
from tests.factories.conflictbank import bring_in, residents, write_evidence
from tests.factories.contradoc import make_questionnaire_round
from tests.review.blindness.test_blindness import WAYS, World, told_of
from tests.review.blindness.test_blindness_of_questionnaires import OF_RESPONSES

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
FILES = ("csv", "json", "latex")


def evidence_in(world: World) -> Evidence:
    return Evidence.objects.select_related("claim__conflict", "attempt__call").get(pk=world.mine.item.subject_number)


def answer(world: World):
    return world.post("judgment", world.mine.key, **FINE)


def answer_and_list(world: World):
    answer(world)
    return world.get("my_judgments", world.round.key)


def overruling(reason: str):
    return lambda world: world.post("overrule_evidence", evidence_in(world).key, reason=reason)


OWN_WAYS = {
    "facts": lambda world: world.get("facts"),
    "claims": lambda world: world.get("conflicts"),
    "claims that failed a check": lambda world: world.get("conflicts", outcome="failed"),
    "the conflict": lambda world: world.get("conflict", evidence_in(world).claim.conflict.key),
    "settings": lambda world: world.get("conflict_settings"),
    "overruling": overruling("It is fine."),
    "taking an overruling back": overruling(""),
    "the run": lambda world: world.get("run", evidence_in(world).run_id),
    "the call": lambda world: world.get("call", evidence_in(world).attempt.call.key),
    "runs": lambda world: world.get("runs"),
    "reports": lambda world: world.get("reports"),
    "release": lambda world: world.get("release", 1),
    "item of a release": lambda world: world.get("release_instance", 1, 1),
    "item of a release, for programs": lambda world: world.get("api:release_instances", 1),
    "answers": answer,
    "own judgments after answering": answer_and_list,
    "answering in the other slot": lambda world: world.post("judgment", world.theirs.key, **FINE),
    "submitting": lambda world: answer(world) and world.post("judge_submit", world.round.key),
    "judging, for programs": lambda world: world.client.post(
        f"/api/v1/judging/{world.round.key}/next/", {}, "application/json"
    ),
    "the round, for programs": lambda world: world.client.get(f"/api/v1/rounds/{world.round.pk}/"),
    "answers as a file": lambda world: world.get("judgment_export", "answers", "jsonl"),
    "final answers as a file": lambda world: world.get("judgment_export", "final-answers", "jsonl"),
    "answers, for programs": lambda world: world.get("api:answers"),
    "final answers, for programs": lambda world: world.get("api:final_answers"),
    "activity, for programs": lambda world: world.get("api:activity"),
    "log of evidence": lambda world: world.get("activity", action="overruled_checks"),
    "search": lambda world: world.get("find", q="Person"),
    "another round": lambda world: world.get("round_new_of", COMMON_CODE),
    **{name: lambda world, name=name: world.get("report", name) for name in REPORTS},
    **{
        f"{name} as {form}": lambda world, name=name, form=form: world.get("report_download", name, form)
        for name in REPORTS
        for form in FILES
    },
    **{f"{name}, for programs": lambda world, name=name: world.get("api:report", name) for name in REPORTS},
}
ALL_WAYS = {name: way for name, way in WAYS.items() if name not in OF_RESPONSES} | OWN_WAYS


def make_release() -> Release:
    bring_in(residents(6))
    make_claims(seed=7, made_on=date(2026, 3, 1))
    Conflict.objects.update(semantic_description="invented bridge")
    model = LanguageModel.objects.get(name=PATTERN_LABEL)
    write_evidence(model, Claim.objects.order_by("pk"))
    run_checks(components=components_for({ENTAILMENT: NAMES}))
    return release_conflicts(seed=7, model=model, name="Ours")[0]


@pytest.fixture
def round(admin, rita, ralph):
    make_release()
    return make_questionnaire_round(PAIRS_CODE, admin, [rita, ralph], sample_size=6, judgments_each=2, seed=3)


def slot(**where) -> Judgment:
    found = Judgment.objects.select_related("round", "item", "reviewer").filter(**where)
    conflicting = Evidence.objects.exclude(claim__cause="default").values("pk")
    return found.filter(item__subject_number__in=conflicting).order_by("position")[0]


@pytest.fixture
def mine(round, rita) -> Judgment:
    return slot(round=round, reviewer=rita)


@pytest.fixture
def theirs(mine, ralph) -> Judgment:
    return slot(item=mine.item, reviewer=ralph)


def gives(answers):
    def act(theirs: Judgment) -> None:
        given = Judgment.objects.select_related("round", "item", "reviewer").get(pk=theirs.pk)
        record_judgment(slot=given, reviewer=given.reviewer, answers=answers, at=timezone.now() - timedelta(days=1))
        complete_pairs()
        assert not FinalAnswers.objects.exists()

    return act


def test_no_way_in_tells_what_the_other_person_answered(mine, theirs, sign_in):
    acts = {
        "fine": lambda: gives(FINE)(theirs),
        "no": lambda: gives(FINE | {"supports": "no"})(theirs),
        "repeats": lambda: gives(FINE | {"repeats": "yes"})(theirs),
    }
    assert told_of(ALL_WAYS, acts, mine, theirs, sign_in) == {}


def test_no_way_in_tells_what_the_checks_came_to(mine, theirs, sign_in):
    evidence = Evidence.objects.get(pk=mine.item.subject_number)

    def comes_to(outcome: str) -> None:
        EvidenceCheck.objects.filter(evidence=evidence, name="entailment").update(outcome=outcome, reason="Why.")

    def fails_and_is_overruled() -> None:
        comes_to("failed")
        overrule(evidence=evidence, reason="A person read it.")

    acts = {
        "failed": lambda: comes_to("failed"),
        "not checked": lambda: comes_to("not_checked"),
        "overruled": fails_and_is_overruled,
    }
    assert told_of(ALL_WAYS, acts, mine, theirs, sign_in) == {}


def test_no_way_in_names_the_model_or_the_cause(round, mine, theirs, sign_in):
    client = sign_in(mine.reviewer)
    kinds = (b"isinformation", PATTERN_LABEL.encode())
    open_to_them = ("judging page", "answers", "own judgments after answering", "judging, for programs", "search")
    for name in (*open_to_them, "page of the round", "log", "activity, for programs", "the round, for programs"):
        _, _, body = seen(ALL_WAYS[name], World(client, round, mine, theirs))
        assert [kind for kind in kinds if kind in body] == [], name


@pytest.mark.parametrize("code", [COMMON_CODE, PAIRS_CODE])
def test_who_judges_evidence_is_refused_what_says_which_claims_are_true(code, admin, sign_in):
    make_release()
    people = [make_person(f"judge{number}", "reviewer", "adjudicator", "admin") for number in range(5)]
    round = make_questionnaire_round(
        code, admin, people, sample_size=3, judgments_each=5 if code == COMMON_CODE else 2, seed=3
    )
    number = Release.objects.get().number
    doors = [
        reverse("facts"),
        reverse("fact", args=[Fact.objects.earliest("pk").key]),
        reverse("api:facts"),
        reverse("api:fact", args=[Fact.objects.earliest("pk").key]),
        reverse("conflicts"),
        reverse("release_instances", args=[number]),
        reverse("release_instance", args=[number, 1]),
        *(reverse("release_download", args=[number, form]) for form in ("jsonl", "datasheet")),
        reverse("api:release_instances", args=[number]),
        reverse("api:release_instances", args=[number]) + "?format=jsonl",
        reverse("api:release_records", args=[number]),
    ]
    client, other = sign_in(people[0]), sign_in(admin)
    assert {where: client.get(where).status_code for where in doors} == dict.fromkeys(doors, 403)
    assert {other.get(where).status_code for where in doors} == {200}
    found = reverse("find") + "?q=Person"
    assert "Altona" not in client.get(found).text
    assert "Altona" in other.get(found).text
    close_round(round=round, admin=admin)
    assert {client.get(where).status_code for where in doors} == {200}
