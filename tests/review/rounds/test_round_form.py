"""The page on which a round is begun: what it offers, and the preview."""

import pytest
from django.urls import reverse

from review.models import Judgment, Round
from review.rounds.reviewers.reviewers import hours_for
from tests.factories.contradoc import make_candidate
from tests.factories.review import give_all, make_imported_run, make_round

pytestmark = pytest.mark.django_db


def test_without_training_set_and_check_items_none_are_offered(amir):
    page = amir.get(reverse("round_new")).content.decode()
    assert "the round begins without" in page
    for name in ("with_training", "training_required", "check_items"):
        assert f'name="{name}"' not in page


def test_a_round_begins_without_a_training_set(amir, reviewer, other_reviewer):
    run = make_imported_run(2, models=("Mist",))
    values = {"name": "first", "runs": [run.pk], "reviewers": [reviewer.pk, other_reviewer.pk], "seed": 5}
    values |= {"judgments_each": 2, "consensus": "all", "undo_minutes": 15, "lease_minutes": 30}
    answer = amir.post(reverse("round_new"), values)
    assert answer.status_code == 302, answer.context["form"].errors


def test_the_preview_estimates_the_hours_from_the_latest_judgments(amir, admin, reviewer, other_reviewer):
    run = make_imported_run(4, models=("Mist",))
    where = f"{reverse('round_preview')}?runs={run.pk}&reviewers={reviewer.pk}&reviewers={other_reviewer.pk}"
    where += "&judgments_each=2"
    assert "to estimate the hours" in amir.get(where).content.decode()
    assert hours_for(10, of="verdicts") == ""
    round = make_round(admin, [reviewer, other_reviewer], run)
    give_all(round.items.first(), "correct", "correct")
    Judgment.objects.filter(judged_at__isnull=False).update(seconds=60)
    assert hours_for(10, of="verdicts") == "10 minutes"
    assert hours_for(90, of="verdicts") == "1.5 hours"


@pytest.mark.parametrize("code", ["contradoc-verification", "contradoc-free-format"])
def test_a_questionnaire_without_subjects_offers_no_round(amir, code):
    page = amir.get(reverse("round_new_of", args=[code])).text
    assert 'class="empty"' in page
    assert "Begin the round</button>" not in page


def test_a_round_of_another_questionnaire_is_previewed(amir, admin, reviewer, other_reviewer):
    make_candidate("7")
    make_candidate("8")
    where = reverse("round_preview_of", args=["contradoc-verification"])
    assert "at least two reviewers" in amir.get(where).text
    where += f"?reviewers={reviewer.pk}&reviewers={other_reviewer.pk}"
    shown = amir.get(where).text
    assert "<strong>2</strong> candidates, judged twice: about <strong>2</strong> for each of 2 reviewers" in shown
    assert "to estimate the hours" in shown
    assert not Round.objects.exists()
    assert "<strong>1</strong> candidate, judged twice" in amir.get(f"{where}&sample_size=1").text
