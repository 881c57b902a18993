"""A first start shows the whole path: annotations, a release, a run of the baselines, and verdicts on it."""

import pytest
from django.core.management import call_command

from annotation.kinds.registry import annotated
from annotation.models import Annotation, Assignment, Release, Tag
from annotation.releases.files.writing import content_hash_of
from core.models import User
from judging.models import ModelJudgment, ModelKind, PromptTemplate, Response, Run, RunState

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


def counts() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (Annotation, Release, Run, Response, ModelJudgment))


def test_the_samples_are_annotated_released_answered_and_judged():
    call_command("prepare")
    release = Release.objects.get(benchmark=annotated().code)
    assert content_hash_of(release) == release.content_hash
    assert release.instances.filter(subcategory="same").exists()
    assert {run.state for run in Run.objects.all()} == {RunState.FINISHED}
    responses = Response.objects.filter(instance__benchmark=release.benchmark)
    asked = set(responses.values_list("template__code", flat=True))
    assert asked == set(PromptTemplate.objects.current().values_list("code", flat=True))
    assert {model.kind for run in Run.objects.all() for model in run.language_models.all()} == {ModelKind.BASELINE}
    assert ModelJudgment.objects.readable().count() == responses.count() > 50


def test_most_tags_stay_free_for_whoever_tries_the_desk():
    call_command("prepare")
    assert Assignment.objects.free().count() >= Tag.objects.count() - 4 >= 8


def test_a_second_start_adds_nothing():
    call_command("prepare")
    before = counts()
    call_command("prepare")
    assert counts() == before


def test_a_project_that_has_work_of_its_own_is_left_alone(annotator):
    call_command("prepare")
    assert counts() == (0, 0, 0, 0, 0)
    assert list(User.objects.all()) == [annotator]
