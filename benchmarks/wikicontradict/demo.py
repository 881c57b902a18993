"""Sample data about models for a first start: a run of the baselines over the released samples, judged by the
baseline judge.

All of it goes through the functions that the pages call, and needs neither a network nor a key.
"""

from annotation.models import Instance, Release
from annotation.releases.freezing import latest_release
from annotation.samples import WIKI
from annotation.samples.work import sample_annotations
from core.models import User
from judging.catalogue.standard import answerer_baselines, judge_baseline
from judging.models import PromptTemplate, Run
from judging.runs.pump import pump_calls
from judging.runs.runs import create_judge_run, create_run, start_run

from .items import CODE
from .resolved_passages import resolve_passages


def demonstrate_baselines() -> str:
    """Run and judge the baselines on the samples' release; returns a line about it, or "" without such a release, or
    if there are runs already.
    """
    release = None if Run.objects.exists() else latest_release(CODE)
    if release is None or not is_of_samples(release):
        return ""
    resolve_samples(release)
    run = create_run(
        name="The baselines on the sample articles",
        release=release,
        language_models=answerer_baselines(),
        templates=PromptTemplate.objects.current(),
    )
    start_run(run=run)
    pump_calls()
    judge_run = create_judge_run(
        name="The baseline judge on the baselines", language_models=[judge_baseline()], source_runs=[run]
    )
    start_run(run=judge_run)
    pump_calls()
    return f"A run of the baselines: {run.responses.count()} responses, {judge_run.judgments.count()} verdicts."


def is_of_samples(release: Release) -> bool:
    return not Instance.objects.filter(releases=release).exclude(tag__article__wiki__api_url=WIKI["api_url"]).exists()


def resolve_samples(release: Release) -> None:
    """Write passages 1' and 2' for some of the sample instances, for templates 5.3 and 5.4."""
    resolver = User.objects.filter(username="annotator").first()
    for sample in sample_annotations():
        for question, values in sample.get("resolved", {}).items():
            for instance in Instance.objects.filter(releases=release, question=question):
                resolve_passages(instance=instance, resolver=resolver, **values)
