"""Sample data about models for a first start: a run of the baselines over the released samples, judged by the
baseline judge and by the sample people.

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
from .sample_rounds import demonstrate_rounds

RUN, JUDGE_RUN = "The baselines on the sample articles", "The baseline judge on the baselines"


def demonstrate_baselines() -> str:
    """Run and judge the baselines on the samples' release, then have people of the sample judge their responses;
    returns lines about it, or "" without such a release, or if there are other runs.

    What an interrupted start has made is kept, and the rest is made.
    """
    release = latest_release(CODE)
    if release is None or not is_of_samples(release):
        return ""
    if Run.objects.filter(release__benchmark=CODE).exclude(name=RUN).exists():
        return ""
    run = Run.objects.filter(name=RUN).first()
    is_judged = run is not None and run.judge_runs.exists()
    lines = [] if is_judged else [run_baselines(release)]
    return "\n".join(filter(None, [*lines, demonstrate_rounds(run or Run.objects.get(name=RUN))]))


def run_baselines(release: Release) -> str:
    """Run the baselines, or let their run continue, and have the baseline judge judge them."""
    resolve_samples(release)
    run = Run.objects.filter(name=RUN).first()
    if run is None:
        run = create_run(
            name=RUN,
            release=release,
            language_models=answerer_baselines(),
            templates=PromptTemplate.objects.current(),
        )
        start_run(run=run)
    pump_calls()
    judge_run = create_judge_run(name=JUDGE_RUN, language_models=[judge_baseline()], source_runs=[run])
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
