"""The size of a round that tells two models apart."""

import pytest
from django.urls import reverse

from tests.factories.judging import make_instance
from tests.factories.review import make_imported_run, make_response
from tests.wikicontradict.test_table2 import IC, C, adjudicate

pytestmark = pytest.mark.django_db


def page(client, **query):
    return client.get(reverse("round_planner"), query)


def test_without_verdicts_it_goes_by_assumed_disagreement(admin, sign_in):
    shown = page(sign_in(admin)).content.decode()
    assert "has to be assumed" in shown
    # 5 points, 20% discordant, 80% chance: 626, as the formula's own test has it.
    assert ">626<" in shown
    assert ">1,252<" in shown
    assert ">2,504<" in shown


def test_it_goes_by_how_often_models_were_seen_to_differ(admin, sign_in):
    run = make_imported_run(instances=0)
    for number in range(10):
        instance = make_instance(number + 1)
        for model, right in (("Mist", number < 6), ("Llam", number < 4)):
            adjudicate(make_response(run, instance, model=model), C if right else IC)
    client = sign_in(admin)
    shown = page(client).content.decode()
    assert (
        "626 instances, answered by both models, detect a difference of 5 percentage points with a power of 80%"
        in shown
    )
    assert "Seen: Llam and Mist" in shown
    assert ">626<" not in page(client, pairs="45").content.decode()
    assert "as many instances at least are discordant" in page(client, points="30").content.decode()


@pytest.mark.parametrize("wrong", ["", "0", "-5", "nan", "inf", "1e400", str(2**70), "five", "101"])
def test_nonsense_is_refused(wrong, admin, sign_in):
    assert page(sign_in(admin), points=wrong).status_code == 400
    assert page(sign_in(admin), pairs=wrong, power="80").status_code in (200, 400)
