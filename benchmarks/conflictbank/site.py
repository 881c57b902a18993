"""The site of a release of ConflictBank: its items with the label that conflict evidence is made to mislead."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from annotation.models import Instance, Release
from annotation.releases.datasheets.datasheet import Section, Table
from core.words import plural
from review.kinds.presentation import Category, Presentation, Shown, data_card

from . import items as item
from .choosing import VERSIONS
from .files import about_content
from .folders.licences import licence_lines
from .items import Content
from .models import CheckName, CheckOutcome
from .reports.entries import NARROWED_BY, REPORTS

PAPER = """\
@inproceedings{su2024conflictbank,
  title     = {ConflictBank: A Benchmark for Evaluating the Influence of Knowledge Conflicts in LLMs},
  author    = {Su, Zhaochen and Zhang, Jun and Qu, Xiaoye and Zhu, Tong and Li, Yanshu and Sun, Jiashuo and Li, Juntao
               and Zhang, Min and Cheng, Yu},
  booktitle = {Advances in Neural Information Processing Systems, Datasets and Benchmarks Track},
  year      = {2024}
}"""
MISLEADING = "The conflict evidence is made to mislead: it is not true."
MOTIVATION = (
    "The items measure whom a language model believes: its memory, or a text that conflicts with it by "
    "misinformation, by a later time, or by another meaning of a name. The method is that of ConflictBank "
    "(NeurIPS 2024).",
    MISLEADING,
)
USES = (
    "Meant for evaluating models. The texts must not be taken for facts or used to train models to state "
    "facts. An item has one right option. Numbers count the items that a model knows without any conflict evidence."
)
ON_A_PAGE = 20
OUTCOMES = (CheckOutcome.PASSED, CheckOutcome.FAILED, CheckOutcome.NOT_CHECKED)


def _categories_of(content: Content, label: str) -> list[Category]:
    relation = content[item.RELATION]
    return [Category("Relation", relation, f"relation-{hashlib.sha256(relation.encode()).hexdigest()[:12]}")]


def _shown(instances: Sequence[Instance]) -> list[Shown]:
    return [Shown(each.question, each.content[item.RELATION], _about(each)) for each in instances]


def _about(instance: Instance) -> dict[str, Any]:
    return {"template": "conflictbank/_item.html", "about": about_content(instance.content), "instance": instance}


def _sheet(release: Release) -> list[Section]:
    return data_card(
        release, MOTIVATION, *_making(release), _licence(release), Section("Uses", [USES]), heading="Datasheet"
    )


def _licence(release: Release) -> Section:
    return Section("Licence", licence_lines(release))


def _making(release: Release) -> list[Section]:
    """The making of the items: the numbers kept with a release that was made here; nothing for other releases."""
    made = release.how_made
    if "evidence" not in made:
        return []
    said = [
        f"The claims were drawn with seed {made['seed']}{', with their twins' if made['with_twins'] else ''}; the "
        f"options are {VERSIONS[made['version']]}. The evidence is by {made['evidence']}.",
        f"Not checked by some check: the evidence of {plural(made['not_checked'], 'item')}. Counted although a check "
        f"failed, with a reason: that of {plural(made['overruled'], 'item')}.",
    ]
    left_out = [(reason, f"{count:,}") for reason, count in sorted(made["left_out"].items())]
    tables = [Table(("Conflicts left out", "Count"), left_out)] if left_out else []
    return [Section("Making", said, tables), *_checks(made.get("checks", []))]


def _checks(checks: Sequence[dict[str, Any]]) -> Iterator[Section]:
    """The checks of the evidence, each with what made it; nothing for releases that were made before it was kept."""
    if not checks:
        return
    rows = [
        (
            str(CheckName(each["check"]).label),
            each["component"] or "nothing: not checked",
            *(f"{each['outcomes'].get(outcome, 0):,}" for outcome in OUTCOMES),
        )
        for each in checks
    ]
    says = [
        "Evidence that nothing could check is “not checked”, which is neither passed nor failed. What failed counts "
        "only with a reason. The paper's classifier of contradictions is not released: NLI is used instead where a "
        "component's name says so.",
        *(_trained(each["component"], each["classifier"]) for each in checks if each["classifier"]),
    ]
    header = ("Check of the evidence", "Made by", *(str(outcome.label) for outcome in OUTCOMES))
    yield Section("Checks", says, [Table(header, rows)])


def _trained(component: str, trained: dict[str, Any]) -> str:
    return (
        f"The {component}: {trained['library']}, seed {trained['seed']}; {trained['contradicting']:,} of the labels "
        f"say that the texts clearly contradict each other. Cross-validated accuracy: {trained['accuracy']:.1%}; "
        f"always saying the more frequent label would give {trained['majority']:.1%}."
    )


PRESENTATION = Presentation(
    motivation=MOTIVATION,
    each_is="Each is a question with its options, and the evidence for each of its claims.",
    paper=PAPER,
    texts=MISLEADING,
    shown=_shown,
    on_a_page=ON_A_PAGE,
    categories_of=_categories_of,
    sheet=_sheet,
    sheet_name="Datasheet",
    reports={name: {} for name in REPORTS if name not in NARROWED_BY},
    template="conflictbank-option-default",
)
