"""The plan of a run, before it makes calls."""

import io
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.urls import reverse

from benchmarks.wikicontradict.protocol.prompts import TEMPLATES
from core.refusals import Refusal
from judging.catalogue.messages import call_messages
from judging.catalogue.standard import answerer_baselines
from judging.models import Call, InstanceVariant, Mark, Response, Run
from judging.runs.plan import Plan, plan_run
from judging.runs.runs import create_judge_run, create_run, start_run
from tests.factories.judging import make_instance, make_model, make_release, make_run, templates, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


@pytest.fixture
def release():
    """One instance with two passages, one with one, one that lacks passage 2."""
    same = "The bridge opened in 1903, the plaque says 1899."
    return make_release(
        [
            make_instance(1),
            make_instance(2, passage_1=same, passage_2=same, same_passage=True),
            make_instance(3, passage_2=""),
        ]
    )


def plan_of(release, *codes, models=None, **values) -> tuple[Run, Plan]:
    run = create_run(release=release, language_models=models or [make_model()], templates=templates(*codes), **values)
    return run, plan_run(run)


def test_templates_for_different_passages_leave_out_instances_with_one(release):
    _, plan = plan_of(release, "1", "2", "3", "4", "5")
    assert plan.calls == 3 + 2 + 1 + 2 + 2
    assert plan.left_out["2", "the two passages are the same"] == 1
    assert plan.left_out["3", "the instance lacks a passage"] == 1
    assert plan_of(release, "2", include_left_out=True)[1].calls == 3


def test_one_passage_is_given_once(release):
    run, _ = plan_of(release, "4", "5")
    start_run(run=run)
    same = release.instances.get(subcategory="same")
    for call in run.calls.filter(instance=same):
        assert call_messages(call)[-1]["content"].count("the plaque says") == 1


def test_resolved_passages_are_asked_where_there_are_such(release):
    instance = release.instances.order_by("pk")[0]
    for version, year in ((1, "1904"), (2, "1905")):
        content = {"passage_1": f"In {year}.", "passage_2": f"In {year}!", "answer": year}
        InstanceVariant.objects.create(instance=instance, version=version, content=content)
    run, plan = plan_of(release, "5.3", "5.4")
    assert plan.calls == 2
    assert plan.left_out["5.3", "the conflict is not resolved yet"] == 2
    start_run(run=run)
    assert set(run.calls.values_list("variant__version", flat=True)) == {2}


def test_tokens_and_money_are_estimated_and_bounded(release):
    model = make_model(price_in=Decimal(10), price_out=Decimal(30))
    _, plan = plan_of(release, "5", models=[model], repetitions=2)
    [row] = plan.models
    assert row.calls == 4
    assert row.tokens_in > 4 * len(TEMPLATES["5"].text) / 5
    assert row.tokens_out == 4 * 125, "half of what the model may say, while nobody knows better"
    assert row.money == (10 * row.tokens_in + 30 * row.tokens_out) / Decimal(1_000_000)
    assert row.most_money
    assert row.most_money > row.money
    assert plan_of(release, "5", models=[make_model()])[1].money is None


def test_the_mean_length_of_earlier_replies_is_expected_of_the_next(server):
    model = make_model(server.base_url)
    run = make_run(model, instances=20)
    work(run)
    _, plan = plan_of(make_release(10), "5", models=[model])
    said = run.responses.all()[0].completion_tokens or 0
    assert plan.models[0].tokens_out == 10 * said > 0


def test_what_is_there_is_told_and_can_be_left_out(server):
    model, release = make_model(server.base_url), make_release(4)
    first = make_run(model, release=release)
    work(first)
    assert plan_run(first).already_there == 4
    _, plan = plan_of(release, "1", "5", models=[model])
    assert (plan.calls, plan.models[0].answered_before) == (8, 4)
    _, plan = plan_of(release, "1", "5", models=[model], only_missing=True)
    assert (plan.calls, plan.models[0].answered_before) == (4, 4)


@pytest.mark.parametrize("mark", [mark for mark in Mark if mark != Mark.COMPLETE])
def test_a_reply_that_is_no_whole_answer_leaves_its_question_missing(server, mark):
    model, release = make_model(server.base_url), make_release(4)
    first = make_run(model, release=release)
    work(first)
    Response.objects.filter(pk=first.responses.all()[0].pk).update(mark=mark)
    _, plan = plan_of(release, "5", models=[model], only_missing=True)
    assert (plan.calls, plan.models[0].answered_before) == (1, 3)


def test_planning_writes_nothing(release):
    plan_of(release, "1", "5")
    assert Call.objects.count() == 0


def test_a_run_without_anything_to_ask_is_not_started(release):
    run, plan = plan_of(release, "5.3")
    assert plan.calls == 0
    with pytest.raises(Refusal, match="no calls to make"):
        start_run(run=run)
    run.refresh_from_db()
    assert run.state == "planned"


def test_what_cannot_be_planned_is_refused(release):
    model = make_model(price_in=1, decoding={"temperature": 0})
    imported = make_model(name="Old", kind="imported", base_url="", endpoint_name="")
    for wrong, words in (
        ({"language_models": []}, "at least one model"),
        ({"templates": []}, "at least one prompt"),
        ({"repetitions": 0}, "at least one repetition"),
        ({"language_models": [imported]}, "cannot be called"),
        ({"budget": Decimal(5)}, "no token limit"),
    ):
        right = {"release": release, "language_models": [model], "templates": templates("5")}
        with pytest.raises(Refusal, match=words):
            create_run(**right | wrong)
    with pytest.raises(Refusal, match="some responses to judge"):
        create_judge_run(language_models=[model])
    assert Run.objects.count() == 0


def test_a_judge_run_leaves_out_what_is_no_answer():
    run = create_run(release=make_release(3), language_models=answerers(), templates=templates("5"), name="baselines")
    start_run(run=run)
    work(run)
    Response.objects.filter(pk=run.responses.all()[0].pk).update(mark=Mark.CUT)
    judge = make_model()
    judge_run = create_judge_run(language_models=[judge], source_runs=[run])
    plan = plan_run(judge_run)
    assert plan.calls == run.responses.count() - 1 == 3 * len(answerers()) - 1
    assert plan.left_out["5", "the response was cut at the token limit"] == 1
    chosen = list(run.responses.all()[:2])
    plan = plan_run(create_judge_run(language_models=[judge], responses=chosen, include_marked=True))
    assert plan.calls == 2


def answerers():
    templates("5")
    return answerer_baselines()


def test_calls_longer_than_the_window_of_a_model_are_flagged(server, sign_in, admin):
    """A response of 3,000 words is far more than a judge of 2,000 tokens reads."""
    answers = iter(["In 1903, or in 1899. " * 600, "In 1903."])
    server.answer = lambda request: next(answers)
    run = make_run(make_model(server.base_url, concurrent_calls=1), instances=2)
    work(run)
    small = make_model(server.base_url, name="Small judge", context_window=4000)
    large = make_model(server.base_url, name="Large judge", context_window=100_000)
    unknown = make_model(server.base_url, name="Judge")
    judges = create_judge_run(language_models=[small, large, unknown], source_runs=[run])
    by_name = {each.model.name: each for each in plan_run(judges).models}
    assert {name: each.too_long for name, each in by_name.items()} == {"Small judge": 1, "Large judge": 0, "Judge": 0}
    assert by_name["Small judge"].longest > 4000
    page = " ".join(sign_in(admin).get(reverse("run", args=[judges.pk])).content.decode().split())
    assert "1 call to Small judge is longer than its context window" in page
    out = io.StringIO()
    judging = ("--judge-runs", str(run.pk), "--models", "Small judge", "--plan")
    call_command("start_run", *judging, stdout=out)
    assert "Small judge: 1 of these are longer than its context window of 4,000 tokens" in out.getvalue()
