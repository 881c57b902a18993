"""Constraints on every row, tested by breaking them."""

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.test import override_settings
from django.utils import timezone

from judging.catalogue.standard import install_standard
from judging.models import Attempt, Call, InstanceVariant, ModelJudgment, PromptTemplate, Response, Run
from judging.runs import pump
from tests.factories.judging import make_instance, make_model, make_run, templates, work
from tests.servers.llm_server import LlmServer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


@pytest.fixture(scope="module")
def made(module_transaction, tmp_path_factory) -> Run:
    """A run with its one call made: once, as each test leaves nothing behind."""
    pump.stopping.clear()
    with LlmServer() as server, override_settings(VAR_DIR=tmp_path_factory.mktemp("replies")):
        run = make_run(make_model(server.base_url), instances=1)
        work(run)
    return run


@pytest.fixture
def run(made, db) -> Run:
    return Run.objects.get(pk=made.pk)


def refused(match: str):
    return pytest.raises(DatabaseError, match=match)


def test_the_wording_of_a_used_template_never_changes(run):
    used = run.templates.get()
    with refused("never changes"), transaction.atomic():
        PromptTemplate.objects.filter(pk=used.pk).update(text="Other words. {question}")
    [unused] = templates("1")
    PromptTemplate.objects.filter(pk=unused.pk).update(text="Other words. {question}")


def test_a_changed_wording_of_the_protocol_becomes_a_new_version(run):
    [unused] = templates("1")
    PromptTemplate.objects.filter(pk=unused.pk).update(text="Other words. {question}")
    install_standard()
    install_standard()
    assert list(PromptTemplate.objects.filter(code="1").values_list("version", flat=True)) == [1, 2]
    assert PromptTemplate.objects.current().get(code="1").version == 2


@pytest.mark.parametrize("change", [{"endpoint_name": "b"}, {"decoding": {"temperature": 1}}, {"kind": "imported"}])
def test_what_decides_the_answers_of_a_used_model_never_changes(run, change):
    models = run.language_models.all()
    with refused("never changes"), transaction.atomic():
        models.update(**change)
    models.update(concurrent_calls=2, price_in=3, base_url="http://localhost/v1", name="Renamed")
    models.get().save()


def test_a_variant_never_changes():
    row = InstanceVariant.objects.create(
        instance=make_instance(), content={"passage_1": "a", "passage_2": "b", "answer": "c"}
    )
    with refused("never change"), transaction.atomic():
        InstanceVariant.objects.filter(pk=row.pk).update(content={"answer": "d"})


def test_there_is_one_call_and_one_response_for_each_prompt(run):
    for row in (run.calls.get(), run.responses.get()):
        row.pk, row.key, row.attempt_id = None, "0d9b6c3e-0000-4000-8000-000000000000", None
        row.imported = {}
        with pytest.raises(IntegrityError), transaction.atomic():
            row.save(force_insert=True)


@pytest.mark.parametrize(
    "change",
    [
        {"state": "sent"},
        {"state": "pending"},
        {"state": "failed", "error": ""},
        {"state": "in_doubt", "error": ""},
        {"attempts_made": 0},
        {"ended_at": None},
        {"lease_expires_at": timezone.now()},
        {"instance": None},
        {"repetition": 0},
    ],
)
def test_a_call_cannot_be_in_a_state_that_says_two_things(run, change):
    with pytest.raises(IntegrityError), transaction.atomic():
        Call.objects.update(**change)


@pytest.mark.parametrize("change", [{"ended_at": None}, {"outcome": "sent"}, {"raw": None}])
def test_an_attempt_that_ended_says_when_and_with_what(run, change):
    with pytest.raises(IntegrityError), transaction.atomic():
        Attempt.objects.update(**change)


def test_a_response_was_asked_for_or_imported(run):
    with pytest.raises(IntegrityError), transaction.atomic():
        Response.objects.update(attempt=None)


def test_a_judgment_has_a_verdict_or_the_reason_for_none(run):
    response = run.responses.get()
    for verdict, reason in (("", ""), ("correct", "empty")):
        with pytest.raises(IntegrityError), transaction.atomic():
            ModelJudgment.objects.create(
                run=run,
                response=response,
                model=response.model,
                attempt=response.attempt,
                verdict=verdict,
                unreadable_reason=reason,
            )
