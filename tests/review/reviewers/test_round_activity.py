"""The activity of a round and of a reviewer in it, in sentences."""

from datetime import date

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from core.models import Event
from review.models import ReviewAction
from review.rounds.reviewers.handing_over import hand_over
from review.rounds.rounds import add_reviewer, close_round, set_deadline
from tests.factories.review import make_imported_run, make_round, reviewer_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def round(admin, reviewer, other_reviewer):
    return make_round(admin, [reviewer, other_reviewer], make_imported_run(2), seed=4)


def activity(client, address: str) -> list[str]:
    """The entries on this page, without their times."""
    page = client.get(address).content.decode().partition('<ol class="events data">')[2].partition("</ol>")[0]
    entries = [" ".join(strip_tags(each.partition("</span>")[2]).split()) for each in page.split("<li>")[1:]]
    return [each.replace("&quot;", '"') for each in entries]


def of_round(client, round) -> list[str]:
    return activity(client, reverse("round", args=[round.pk]))


def test_a_round_that_was_begun_is_told_in_a_sentence(amir, admin, reviewer, other_reviewer, round):
    (run,) = round.runs.all()
    assert of_round(amir, round) == [
        f"amir began the round “{round.name}”: all responses of {run}, 2 judgments each by {reviewer} and "
        f"{other_reviewer}, in random order with seed 4"
    ]


def test_a_round_with_all_settings_is_told_in_a_sentence(amir, admin, reviewer, other_reviewer, adjudicator):
    people = [reviewer, other_reviewer, adjudicator]
    adjudicator.groups.add(*reviewer.groups.all())
    made = make_round(
        admin,
        people,
        make_imported_run(3),
        sample_size=1,
        judgments_each=3,
        consensus="majority",
        by_gain=True,
        deadline=date(2031, 5, 2),
    )
    (sentence,) = of_round(amir, made)
    for words in (
        "a sample of 1 of the responses",
        "3 judgments each",
        "discriminating items first",
        "where more than half are the same",
        "due on 2 May 2031",
    ):
        assert words in sentence
    assert "by gain" not in sentence


def test_deadlines_and_states_are_told_in_sentences(amir, admin, round):
    for day in (date(2031, 5, 2), date(2031, 6, 1), None):
        set_deadline(round=round, deadline=day, admin=admin)
    close_round(round=round, admin=admin)
    assert of_round(amir, round)[1:] == [
        "amir set the deadline to 2 May 2031",
        "amir moved the deadline from 2 May 2031 to 1 June 2031",
        "amir removed the deadline of 1 June 2031",
        "amir closed the round",
    ]


def test_what_reviewers_do_is_told_in_sentences(amir, admin, reviewer, other_reviewer, adjudicator, round):
    adjudicator.groups.add(*reviewer.groups.all())
    add_reviewer(round=round, person=adjudicator, admin=admin)
    added = reviewer_in(round, adjudicator)
    where = reverse("round_reviewer", args=[round.pk, adjudicator.pk])
    assert f"amir added {adjudicator} to the round" in activity(amir, where)
    other = reviewer_in(round, other_reviewer)
    hand_over(reviewer=other, to=[added], admin=admin)
    told = activity(amir, reverse("round_reviewer", args=[round.pk, other_reviewer.pk]))[0]
    assert told.startswith("amir handed over responses: ")
    assert told.endswith(f" to {adjudicator}")


def test_a_value_that_no_sentence_knows_is_shown_as_it_is(amir, admin, round):
    Event.record(ReviewAction.CLOSED, round, actor=None, after={"state": "closed", "new_rule": 7})
    assert "The system closed the round new rule 7" in of_round(amir, round)
