"""The protocol “option” needs log-probabilities: models without them are refused by every door before they cost
anything, and what is no log-probability chooses no option.
"""

import io
import json
import math

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Release
from benchmarks.conflictbank.files import import_items
from benchmarks.conflictbank.readers.options import NO_PROBABILITIES
from judging.models import PromptTemplate, Reading, Run
from judging.runs.runs import create_run, start_run
from tests.conflictbank.items.test_item_files import printed
from tests.conflictbank.items.test_items import numbered
from tests.factories.judging import make_model, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]
REFUSED = "The endpoint of Silent gives no log-probabilities"


@pytest.fixture
def release():
    import_items(io.BytesIO("\n".join(json.dumps(numbered(number)) for number in range(3)).encode()))
    return Release.objects.get()


@pytest.fixture
def template():
    return PromptTemplate.objects.get(code="conflictbank-option-default", version=1)


@pytest.fixture
def asked(release, template, server):
    silent = make_model(server.base_url, name="Silent", price_in=1, price_out=1)
    return {"release": release.pk, "language_models": [silent.pk], "templates": [template.pk], "repetitions": 1}


def test_the_page_of_the_plan_refuses(asked, server, client, admin):
    client.force_login(admin)
    answer = client.post(reverse("run_new"), asked)
    assert answer.status_code == 400
    assert REFUSED in answer.text
    assert not Run.objects.exists()
    assert not server.calls


def test_the_api_refuses(asked, server, client, admin):
    client.force_login(admin)
    answer = client.post(reverse("api:runs"), json.dumps(asked), content_type="application/json")
    assert answer.status_code == 400
    assert REFUSED in answer.text
    assert not Run.objects.exists()
    assert not server.calls


@pytest.mark.parametrize("last", ["--plan", "--yes"])
def test_the_command_refuses(asked, template, server, last):
    with pytest.raises(CommandError, match=REFUSED):
        call_command("start_run", "--models", "Silent", "--templates", template.code, last, stdout=io.StringIO())
    assert not Run.objects.exists()
    assert not server.calls


@pytest.mark.parametrize("way", ["chat", "completions"])
@pytest.mark.parametrize("value", ["-0.25", math.nan, math.inf, 0.5, True, [-0.25], None], ids=str)
def test_what_is_no_log_probability_is_unreadable(release, template, server, way, value):
    server.probabilities = lambda request: {" A": -0.25, " B": value, " C": -3.5}
    model = make_model(server.base_url, name="Odd", token_probabilities=way)
    run = start_run(run=create_run(release=release, language_models=[model], templates=[template]))
    work(run)
    assert set(Reading.objects.values_list("problem", "value")) == {(NO_PROBABILITIES, None)}
    assert set(run.responses.values_list("logprobs", flat=True)) == {None}
    found = json.loads(printed("report", "conflictbank-ratios", "--format", "json", "--run", str(run.pk)))
    assert (found["Odd"]["known"], found["Odd"]["of"]) == (0, 3)


@pytest.mark.parametrize("way", ["chat", "completions"])
def test_an_impossible_option_counts_as_absent(release, template, server, way):
    server.probabilities = lambda request: {" A": -0.25, " B": -math.inf, " C": -1.5}
    model = make_model(server.base_url, name="Sure", token_probabilities=way)
    work(start_run(run=create_run(release=release, language_models=[model], templates=[template])))
    for value in Reading.objects.values_list("value", flat=True):
        assert (value["letter"], value["logprobs"]["B"], value["logprobs"]["D"]) == ("A", -100.0, -100.0)
