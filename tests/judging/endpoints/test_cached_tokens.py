"""Tokens that a provider had in its cache have a price of their own: paid, summed up, planned, in budgets."""

import io
import json
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.urls import reverse

from judging.endpoints.replies import read_reply
from judging.models import LanguageModel, RunState
from judging.runs.plan import plan_run
from judging.runs.progress.progress import progress_of
from judging.runs.runs import create_run
from review.reports.costs import cost_report
from review.reports.scope import Scope
from tests.factories.judging import committed_by_attempts, make_model, make_release, make_run, templates, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]
MILLION = Decimal(1_000_000)


def cached_model(server, **values) -> LanguageModel:
    prices = {"price_in": Decimal(10), "price_out": Decimal(30), "price_cached": Decimal(1)}
    return make_model(server.base_url, **prices | values)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens_details": {"cached_tokens": 7}},
        {"prompt_cache_hit_tokens": 7},
        {"prompt_tokens_details": {"cached_tokens": None}, "cache_read_input_tokens": 7},
    ],
)
def test_the_count_is_read_in_the_shapes_that_providers_use(usage):
    body = {"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": 9, "completion_tokens": 1} | usage}
    assert read_reply(json.dumps(body).encode()).cached_tokens == 7


def test_cached_tokens_are_stored_and_paid_at_their_price(server):
    server.levers.cached_tokens = 20
    run = make_run(cached_model(server), instances=2)
    work(run)
    for response in run.responses.all():
        assert response.cached_tokens == 20
        assert (
            response.cost == (10 * (response.prompt_tokens - 20) + 1 * 20 + 30 * response.completion_tokens) / MILLION
        )
    assert run.committed == committed_by_attempts(run) == sum(each.cost for each in run.responses.all())
    assert progress_of(run).tokens_cached == 40
    [row] = cost_report(Scope()).records
    assert (row["tokens_cached"], row["cost"]) == (40, run.committed)
    out = io.StringIO()
    call_command("export_responses", "--run", str(run.pk), stdout=out)
    assert [json.loads(line)["cached_tokens"] for line in out.getvalue().splitlines()] == [20, 20]


@pytest.mark.parametrize(("price", "cached"), [(None, 20), (Decimal(1), 10**9)])
def test_without_a_price_of_their_own_they_cost_as_the_others_and_never_less_than_nothing(server, price, cached):
    server.levers.cached_tokens = cached
    run = make_run(cached_model(server, price_cached=price), instances=1)
    work(run)
    response = run.responses.get()
    into = 10 if price is None else 1
    assert response.cost == (into * response.prompt_tokens + 30 * response.completion_tokens) / MILLION


def test_a_plan_expects_the_share_so_far_and_its_most_counts_on_none(server):
    server.levers.cached_tokens = 20
    model = cached_model(server)
    run = make_run(model, instances=20)
    work(run)
    plan = plan_run(create_run(release=make_release(10), language_models=[model], templates=templates("5")))
    [row] = plan.models
    assert row.money < model.cost(row.tokens_in, row.tokens_out) < row.most_money
    share = progress_of(run).tokens_cached / progress_of(run).tokens_in
    assert row.money == model.cost(row.tokens_in, row.tokens_out, cached_tokens=int(row.tokens_in * share))


def test_a_budget_goes_further_with_cached_tokens(server):
    def answered(cached: int) -> int:
        server.levers.cached_tokens = cached
        model = cached_model(server, price_in=1000, price_out=0, concurrent_calls=1, decoding={"max_tokens": 1})
        run = make_run(model, instances=20, budget=Decimal("0.6"))
        work(run)
        assert run.committed == committed_by_attempts(run) <= run.budget
        assert run.state == (RunState.STOPPED if run.responses.count() < 20 else RunState.FINISHED)
        return run.responses.count()

    assert 0 < answered(0) < answered(60)


def test_cached_tokens_cost_no_more_than_others(server, sign_in, admin):
    model = cached_model(server)
    for wrong in ({"price_cached": 11}, {"price_in": None}, {"price_cached": -1}):
        with pytest.raises(IntegrityError), transaction.atomic():
            LanguageModel.objects.filter(pk=model.pk).update(**wrong)
    page = sign_in(admin).get(reverse("model_edit", args=[model.pk])).content.decode()
    assert 'name="price_cached"' in page
    form = {
        "name": "Dear",
        "endpoint_name": "dear",
        "base_url": server.base_url,
        "max_tokens_name": "max_tokens",
        "concurrent_calls": 1,
        "timeout_seconds": 10,
        "price_in": "1",
        "price_out": "1",
        "price_cached": "2",
    }
    response = sign_in(admin).post(reverse("model_new"), form)
    assert response.status_code == 400
    assert "Cached tokens cannot cost more" in response.content.decode()
    assert sign_in(admin).post(reverse("model_new"), form | {"price_cached": "0.5"}).status_code == 302
