"""The report of the steps of making: inputs, what is left, what failed, and what was not checked."""

import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from benchmarks.conflictbank.evidence.checking import overrule
from benchmarks.conflictbank.evidence.generation import PATTERN_LABEL
from benchmarks.conflictbank.models import Conflict, Evidence
from tests.conflictbank.making.test_evidence import check, claims, everything, says, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


def report() -> dict:
    out = io.StringIO()
    call_command("report", "conflictbank-pipeline", "--format", "json", stdout=out)
    return json.loads(out.getvalue())


def numbers(model: str, step: str, of: str) -> list[int]:
    return [each[of] for each in report()["models"][model][step].values()]


def test_claims_alone_are_counted():
    claims(4)
    assert numbers("", "claims", "left") == [4, 4, 4, 4]
    assert numbers("", "evidence", "left") == [0, 0, 0, 0]


def test_each_step_has_what_the_one_before_left():
    everything()
    assert numbers(PATTERN_LABEL, "refusal", "waiting") == [3, 3, 3, 3]
    check("names")
    assert numbers(PATTERN_LABEL, "entailment", "left") == [3, 3, 3, 3]
    assert numbers(PATTERN_LABEL, "entailment", "not_checked") == [0, 0, 0, 0]
    assert numbers(PATTERN_LABEL, "contradiction", "not_checked") == [3, 3, 3]
    assert numbers(PATTERN_LABEL, "contradiction", "left") == [3, 3, 3]
    assert numbers(PATTERN_LABEL, "confirmed", "left") == [3, 3, 3, 3]
    assert numbers(PATTERN_LABEL, "confirmed", "not_checked") == [3, 3, 3, 3]
    assert report()["printed"]["entailment"]["temporal"] == 1_650_026
    Conflict.objects.filter(pk=Conflict.objects.first().pk).update(set_aside="Taken down.")
    assert numbers(PATTERN_LABEL, "claims", "left") == [2, 2, 2, 2]
    assert numbers(PATTERN_LABEL, "confirmed", "left") == [2, 2, 2, 2]


def test_what_failed_is_gone_unless_it_was_overruled(server):
    from tests.factories.judging import make_model

    claims(3)
    Conflict.objects.update(semantic_description="invented bridge")
    server.answer = says("I apologize, but this cannot be written, whatever the reasons for it might be, today.")
    write(make_model(server.base_url, name="Shy", decoding={"max_tokens": 512, "temperature": 0}))
    check("names")
    assert numbers("Shy", "refusal", "failed") == [3, 3, 3, 3]
    assert numbers("Shy", "refusal", "left") == numbers("Shy", "entailment", "inputs") == [0, 0, 0, 0]
    overrule(evidence=Evidence.objects.filter(claim__cause="default").first(), reason="It is fine.")
    assert numbers("Shy", "refusal", "left") == [1, 0, 0, 0]


def test_the_list_of_claims_says_in_german_which_checks_failed(server, admin_client, admin_user):
    from tests.factories.judging import make_model

    claims(3)
    Conflict.objects.update(semantic_description="invented bridge")
    server.answer = says("I apologize, but this cannot be written, whatever the reasons for it might be, today.")
    write(make_model(server.base_url, name="Shy", decoding={"max_tokens": 512, "temperature": 0}))
    check("names")
    assert "Failed: refusal features" in admin_client.get(reverse("conflicts")).text
    admin_user.language = "de"
    admin_user.save()
    page = admin_client.get(reverse("conflicts")).text
    assert "Nicht bestanden: Merkmale einer Verweigerung" in page
    assert "refusal features" not in page.lower()


def test_the_page_links_each_count_to_its_rows(admin_client):
    everything()
    check("names")
    page = admin_client.get("/review/reports/conflictbank-pipeline/").content.decode()
    assert "/judging/claims/?cause=temporal&amp;check=contradiction&amp;outcome=not_checked" in page
    assert "Not checked" in page
    assert "3 conflicts left for all causes, 3 of them with a check that was not made" in page
    assert "are confirmed" not in page
