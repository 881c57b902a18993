"""People check a sample of evidence, blind; and each automatic check is held against them."""

import io
import json
from collections import Counter

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from benchmarks.conflictbank.evidence.checking import change_settings
from benchmarks.conflictbank.models import Evidence, EvidenceCheck
from benchmarks.conflictbank.questionnaires.evidence import COMMON_CODE, PAIRS_CODE, merge, show
from benchmarks.conflictbank.questionnaires.precision import imprecise_checks, refuse_imprecise
from benchmarks.conflictbank.release.releasing import Chosen, check_chosen
from core.models import Role
from core.refusals import Refusal
from review.models import Adjudication, FinalAnswers, Item, Judgment, Round
from review.models.subjects import load_subjects
from review.rounds.dealing.dealing import deal_round
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment
from tests.conflictbank.making.test_evidence import check, everything
from tests.conftest import make_person
from tests.factories.contradoc import make_questionnaire_round

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]
FINE = {"supports": "yes", "contradicts": "clearly", "repeats": "no"}


@pytest.fixture
def five(reviewer, other_reviewer):
    more = [make_person(name, Role.REVIEWER) for name in ("rosa", "rolf", "ruth")]
    return [reviewer, other_reviewer, *more]


def judge_all(round, answer):
    """Everybody judges everything; `answer` gives the answers of a person about an item."""
    slots = Judgment.objects.select_related("round", "item", "reviewer").filter(round=round, judged_at=None)
    for slot in slots.exclude(reviewer=None).order_by("pk"):
        load_subjects([slot.item])
        given = dict(answer(slot.reviewer, slot.item))
        if slot.item.subject.claim.cause == "default":
            given = {"supports": given["supports"]}
        record_judgment(slot=slot, reviewer=slot.reviewer, answers=given, at=timezone.now())
    complete_pairs(round=round)


def rounds(admin, five, *, common=2, pairs=4):
    made = []
    for code, size, each in ((COMMON_CODE, common, 5), (PAIRS_CODE, pairs, 2)):
        made.append(
            make_questionnaire_round(code, admin, five, sample_size=size, judgments_each=each, undo_minutes=0, seed=3)
        )
    return made


def report() -> dict:
    out = io.StringIO()
    call_command("report", "conflictbank-people", "--format", "json", stdout=out)
    return json.loads(out.getvalue())


def test_the_sample_is_stratified_and_no_text_is_in_both_parts(admin, five):
    everything()
    common, pairs = rounds(admin, five, common=4, pairs=8)
    items = Item.objects.filter(subject_kind="evidence")
    assert len(set(items.values_list("subject_number", flat=True))) == 12
    causes = Evidence.objects.filter(pk__in=common.items.values("subject_number")).values_list(
        "claim__cause", flat=True
    )
    assert Counter(causes) == dict.fromkeys(("default", "misinformation", "temporal", "semantic"), 1)
    assert {common.judgments.filter(item=item).count() for item in common.items.all()} == {5}
    assert {pairs.judgments.filter(item=item).count() for item in pairs.items.all()} == {2}


def test_the_same_seed_draws_the_same_sample(admin, five):
    everything()
    from benchmarks.conflictbank.questionnaires.evidence import choose
    from review.models import Round
    from review.rounds.questionnaires import Wanted

    def drawn(seed):
        round = Round(name="x", questionnaire=PAIRS_CODE, sample_size=5, seed=seed)
        return [each.number for each in choose(Wanted(round, None, []))[0]]

    assert drawn(3) == drawn(3)
    assert {tuple(drawn(seed)) for seed in range(9)} != {tuple(drawn(3))}


def test_nothing_shown_tells_the_model_the_checks_or_the_cause(admin, five, client):
    everything()
    check("names")
    common, _ = rounds(admin, five)
    item = next(each for each in common.items.all())
    load_subjects([item])
    shown = show([item])[0]
    client.force_login(five[0])
    page = client.get(f"/review/judge/{common.key}/").content.decode()
    assert "Made to mislead" in page
    for secret in ("Baseline: evidence", "names of subject", "Misinformation", "semantic"):
        assert secret not in page
    assert shown.text


def test_answers_merge_where_more_than_half_agree():
    other = {**FINE, "supports": "no"}
    assert merge([FINE, FINE]).outcome == "supported"
    assert merge([FINE, other]) is None
    assert merge([FINE, FINE, FINE, other, other]).outcome == "supported"
    assert merge([FINE, FINE, other, other, {**FINE, "supports": "cannot_tell"}]) is None
    assert merge([other, other]).outcome == "not_supported"


def test_rates_agreement_and_checks_against_people(admin, five):
    everything()
    check("names")
    common, pairs = rounds(admin, five, common=4, pairs=8)
    odd = pairs.items.order_by("pk").first().subject_number

    def answer(person, item):
        return {**FINE, "supports": "no"} if item.subject.pk == odd else FINE

    judge_all(common, answer)
    judge_all(pairs, answer)
    assert FinalAnswers.objects.count() == 12
    assert not Adjudication.objects.exists()
    found = report()
    assert found["texts"] == 12
    supported = [each["supports its claim"] for each in found["rates"].values()]
    assert (sum(each["count"] for each in supported), sum(each["n"] for each in supported)) == (11, 12)
    assert found["rates"]["temporal"]["clearly contradicts"]["value"] == 1.0
    assert "clearly contradicts" not in found["rates"]["default"]
    assert found["kappa"]["supports"]["value"] == 1.0
    entailment = next(each for each in found["checks"] if each["check"] == "entailment")
    assert entailment["component"].startswith("floor")
    assert entailment["counts"] == {"passed, no": 1, "passed, yes": 11}
    assert entailment["precision"] == round(11 / 12, 4)
    contradiction = next(each for each in found["checks"] if each["check"] == "contradiction")
    assert contradiction["counts"] == {"not_checked, clearly": 9}
    assert contradiction["precision"] == {"value": None, "reason": "it passed nothing"}


def test_the_report_can_be_narrowed_to_each_round_of_its_questionnaires(admin, five, sign_in):
    everything()
    made = rounds(admin, five, common=4, pairs=8)
    page = sign_in(admin).get(reverse("report", args=["conflictbank-people"])).text
    for round in made:
        assert f"round={round.pk}" in page
    narrowed = sign_in(admin).get(reverse("report", args=["conflictbank-people"]), {"round": made[0].pk})
    assert narrowed.status_code == 200


def test_a_check_below_the_precision_bars_releases_until_a_reason_is_given(admin, five):
    everything()
    check("names")
    refuse_imprecise()
    common, pairs = rounds(admin, five, common=2, pairs=4)
    for round in (common, pairs):
        judge_all(round, lambda person, item: {**FINE, "supports": "no"})
    assert [each.check for each in imprecise_checks()] == ["entailment"]
    with pytest.raises(Refusal, match="less precise than 90%"):
        check_chosen(Chosen([{}]), "Ours")
    change_settings(admin=admin, bar_lifted="Only a trial.")
    refuse_imprecise()


def test_where_two_people_differ_a_third_decides(admin, five):
    everything()
    _, pairs = rounds(admin, five)
    first: set[int] = set()

    def answer(person, item):
        is_first = item.pk not in first
        first.add(item.pk)
        return FINE if is_first else {**FINE, "supports": "cannot_tell"}

    judge_all(pairs, answer)
    assert Adjudication.objects.filter(round=pairs).count() == 4
    assert report()["kappa"]["supports"]["value"] is not None
    assert not EvidenceCheck.objects.filter(outcome="failed").exists()


# --- Fewer than five people, and the settings of samples ------------------------------------------------------------


def test_with_fewer_people_all_of_them_judge_the_common_part(admin, five, sign_in):
    everything()
    client = sign_in(admin)
    client.post(reverse("conflict_settings"), settings_with(people=3, per_person=8, common_share=0.5))
    page = reverse("round_new_of", args=[COMMON_CODE])
    assert "Empty: 4, by the settings of conflicts: 3 people, 8 texts each, 50% of them common to all." in (
        client.get(page).text
    )
    values = {"name": "Common", "seed": 3, "undo_minutes": 0, "lease_minutes": 30}
    one = client.post(page, values | {"reviewers": [five[0].pk]})
    assert one.status_code == 400
    client.post(page, values | {"reviewers": [each.pk for each in five[:3]]})
    round = Round.objects.get()
    assert round.judgments_each == 3
    deal_round(round.pk)
    assert round.items.count() == 4
    assert {round.judgments.filter(item=item).count() for item in round.items.all()} == {3}
    judge_all(round, lambda person, item: FINE)
    assert Judgment.objects.filter(round=round, judged_at=None).count() == 0
    assert "no common text was judged" not in json.dumps(report())
    pairs = reverse("round_new_of", args=[PAIRS_CODE])
    assert "Empty: 6, by the settings" in client.get(pairs).text


def settings_with(**values) -> dict:
    from benchmarks.conflictbank.models import ConflictSettings
    from benchmarks.conflictbank.views.forms import ConflictSettingsForm

    return ConflictSettingsForm(instance=ConflictSettings.current()).initial | values
