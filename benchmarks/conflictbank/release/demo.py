"""Sample work for a first start: from a few of the shipped facts to answers of the floors under all conditions.

All of it goes through the functions that commands and pages call, and needs neither a network nor a key. What it
makes is made to mislead, as all conflict evidence is, and its names say that it is a sample.
"""

import io
import json
from collections.abc import Collection
from pathlib import Path

from annotation.models import Release
from core.accounts.sample_people import demo_people
from core.models import User
from core.words import plural
from judging.models import LanguageModel, PromptTemplate, Run
from judging.runs.pump import pump_calls
from judging.runs.runs import create_run, start_run

from ..claims.making import make_claims
from ..claims.twins import make_twins
from ..conditions import DRAWN
from ..evidence.components import ENTAILMENT, NAMES, components_for
from ..evidence.generation import DESCRIPTIONS, EVIDENCE, PATTERN, create_generation_run, plan_generation
from ..evidence.measuring import run_checks
from ..facts.importing import import_facts
from ..items import CODE
from ..models import ClaimSet, FactFile
from ..readers import OPTION
from ..tasks import ASKED, FLOORS
from .releasing import release_conflicts

FACTS = Path(__file__).parents[1] / "shipped_facts.jsonl"
# Who studied where, and the language of works: few facts, and one relation about people.
RELATIONS = ("P69", "P407")
FILE = "Sample facts"
# The condition that the floors are also asked with each order of its two texts.
OF_FORCED_ORDERS = "correct_misinformation"
SEED, SEED_OF_TWINS = 1, 2
RELEASE = "Sample conflicts, made to mislead"
RUN_NAMES = {
    DESCRIPTIONS: "Other descriptions of the sample subjects, from a pattern",
    EVIDENCE: "Evidence for the sample claims, from a pattern",
}


def demonstrate_floors() -> str:
    """Make claims of the sample facts, their evidence, checks and release, and run the floors on it; returns a line
    about it, or "" where people work with facts or releases of their own.

    What an interrupted start has made is kept, and the rest is made.
    """
    if not is_only_the_sample():
        return ""
    release = Release.objects.filter(benchmark=CODE).first() or release_sample()
    answers = sum(run.responses.count() for run in run_floors(release))
    return (
        f"Release {release.number} “{release.name}” of ConflictBank: {plural(release.instances.count(), 'item')}, "
        f"none about living people; {plural(answers, 'answer')} of floors."
    )


def is_only_the_sample() -> bool:
    """Return whether only the sample people are here, and nothing of ConflictBank besides the sample."""
    others = FactFile.objects.exclude(name=FILE), Release.objects.filter(benchmark=CODE).exclude(name=RELEASE)
    if any(each.exists() for each in others):
        return False
    people = demo_people()
    return bool(people) and User.objects.count() == len(people)


def release_sample() -> Release:
    """From the facts to a release of items and their twins."""
    import_facts(sample_facts())
    make_claims(seed=SEED, leave_out_living=True)
    if not ClaimSet.objects.filter(seed=SEED_OF_TWINS, finished_at__isnull=False).exists():
        make_twins(seed=SEED_OF_TWINS, of=SEED)
    writer = LanguageModel.objects.get(endpoint_name=PATTERN)
    for method in (DESCRIPTIONS, EVIDENCE):
        have_written(method, writer)
    run_checks(components=components_for({ENTAILMENT: NAMES}))
    release, _ = release_conflicts(seed=SEED, model=writer, name=RELEASE, with_twins=True)
    return release


def sample_facts() -> io.BytesIO:
    """The shipped facts of the sample's relations, as a file."""
    lines = FACTS.read_bytes().splitlines(keepends=True)
    file = io.BytesIO(b"".join(line for line in lines if json.loads(line)["relation"] in RELATIONS))
    file.name = FILE
    return file


def have_written(method: str, writer: LanguageModel) -> None:
    """Have the pattern write what is not written yet."""
    if plan_generation(method=method, language_models=[writer]).calls:
        start_run(run=create_generation_run(method=method, language_models=[writer], name=RUN_NAMES[method]))
    pump_calls()


def run_floors(release: Release) -> list[Run]:
    """All floors under all conditions, with two texts in the order drawn for each item; then for one cause with each
    order forced.
    """
    under_all = [asked.code for asked in ASKED.values() if asked.protocol == OPTION and asked.order in ("", DRAWN)]
    in_orders = [
        asked.code
        for asked in ASKED.values()
        if asked.protocol == OPTION and asked.condition.code == OF_FORCED_ORDERS and asked.order != DRAWN
    ]
    asked = {"The floors under all conditions": under_all, "The floors with forced orders": in_orders}
    return [run_once(release, name, codes) for name, codes in asked.items()]


def run_once(release: Release, name: str, codes: Collection[str]) -> Run:
    run = create_run(
        name=name,
        release=release,
        language_models=LanguageModel.objects.filter(endpoint_name__in=FLOORS),
        templates=[PromptTemplate.objects.filter(code=code).earliest("version") for code in codes],
    )
    start_run(run=run)
    pump_calls()
    return run
