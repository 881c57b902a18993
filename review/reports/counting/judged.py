"""Judge models' verdicts on responses, with people's final verdicts, read in one query."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from core.languages import say, say_count
from judging.models import LanguageModel, PromptTemplate
from judging.protocol.verdicts import Verdict

from ...models import verdict_number
from ...statistics.estimates import count_tables
from ..clusters import K, narrowed, verdicts_in
from ..kinds import in_order, leaves_out, subsets_of, template_key
from ..layout import Cell, Column, Note, Value
from ..links import ResponseFilter, response_list
from ..scope import Scope

# The row of responses without people's final verdict, below those of the verdicts; and the number of no readable
# verdict.
WITHOUT = UNREADABLE = K


class Counted(NamedTuple):
    """Judged responses with equal values, and their number."""

    judge: int
    template: int
    model: int
    # Of instances.
    cluster: int
    # The numbers of the verdicts: WITHOUT a final one, UNREADABLE.
    final: int
    said: int
    reader: str
    # Category and subcategory of the instances.
    kind: str
    subcategory: str
    responses: int


@dataclass(slots=True)
class Judged:
    """Responses of one answerer to one template, as judged by one judge model. Unreadable replies are in no table;
    their number is given separately.
    """

    # By (cluster of instances, row of the final verdict, column of the judge's).
    counts: Counter[tuple[int, int, int]] = field(default_factory=Counter)
    unreadable: int = 0
    # The unreadable ones that have people's final verdict.
    unreadable_with_final: int = 0
    # The readers of the judge's replies, each with its version.
    readers: set[str] = field(default_factory=set)

    def add(self, found: Counted) -> None:
        self.readers.add(found.reader)
        if found.said != UNREADABLE:
            self.counts[found.cluster, found.final, found.said] += found.responses
            return
        self.unreadable += found.responses
        if found.final != WITHOUT:
            self.unreadable_with_final += found.responses

    def tables(self) -> np.ndarray:
        """One table per cluster of instances: a row for each final verdict and one for none, a column for each
        verdict of the judge."""
        cells = np.array(list(self.counts), dtype=int).reshape(-1, 3)
        return count_tables(*cells.T, shape=(K + 1, K), counts=list(self.counts.values()))

    @property
    def clusters(self) -> list[int]:
        """The clusters of the tables, in their order."""
        return sorted({cluster for cluster, _, _ in self.counts})

    def final_tables(self) -> np.ndarray:
        return self.tables()[:, :K]

    @classmethod
    def of_all(cls, parts: Iterable["Judged"]) -> "Judged":
        total = cls()
        for part in parts:
            total.counts.update(part.counts)
            total.unreadable += part.unreadable
            total.unreadable_with_final += part.unreadable_with_final
            total.readers |= part.readers
        return total

    @property
    def read_by(self) -> str:
        return ", ".join(sorted(self.readers))


@dataclass(frozen=True)
class JudgedRow:
    """A row of the judge tables: the responses to one template, as judged by one judge model."""

    judge: LanguageModel
    template: PromptTemplate
    judged: Judged

    @property
    def cells(self) -> list[Cell]:
        """The cells of `judged_columns`, which identify the row."""
        return [Cell(self.judge.name), Cell(self.judged.read_by), Cell(self.template.label, self.template.name)]

    @property
    def names(self) -> dict[str, Value]:
        """The same for CSV."""
        return {"judge": self.judge.name, "reader": self.judged.read_by, "template": self.template.label}

    @property
    def path(self) -> list[str]:
        """The names that lead to the row in JSON."""
        return [self.judge.name, template_key(self.template)]

    @property
    def unlabelled(self) -> int:
        """Judged responses without people's final verdict."""
        return int(self.judged.tables()[:, WITHOUT].sum())

    def responses(self, scope: Scope) -> ResponseFilter:
        """The responses with a readable verdict of the judge."""
        return ResponseFilter(
            scope=scope,
            template=self.template.pk,
            passages="different" if leaves_out(self.template) else "",
            judge=self.judge.pk,
            said="any",
        )

    def left_out(self, scope: Scope) -> list[Cell]:
        """The cells of LEFT_OUT."""
        chosen = self.responses(scope)
        return [
            Cell(self.unlabelled, href=response_list(chosen, verdict="none")),
            Cell(self.judged.unreadable_with_final, href=response_list(chosen, said="unreadable", verdict="any")),
        ]


@dataclass(frozen=True)
class ModelRow(JudgedRow):
    """The same for one answerer."""

    model: LanguageModel

    @property
    def cells(self) -> list[Cell]:
        return [*super().cells, Cell(self.model.name)]

    @property
    def names(self) -> dict[str, Value]:
        return super().names | {"model": self.model.name}

    @property
    def path(self) -> list[str]:
        return [*super().path, self.model.name]

    def responses(self, scope: Scope) -> ResponseFilter:
        return replace(super().responses(scope), model=self.model.pk)


# Judged responses that are not compared.
LEFT_OUT = (
    Column(say("No verdict"), title=say("Judged responses without people's final verdict")),
    Column(say("Unreadable"), title=say("Responses with a final verdict whose judge's reply cannot be read")),
)


@dataclass(frozen=True, slots=True)
class JudgedResponses:
    """The judged responses by (judge model, template, answerer) and subset, with the rows that the keys name."""

    counts: dict[tuple[int, int, int, str], Judged]
    judges: list[LanguageModel]
    templates: list[PromptTemplate]
    models: list[LanguageModel]
    # The notes of the scope.
    notes: list[Note]

    def of(self, judge: LanguageModel, template: PromptTemplate, model: LanguageModel, subset: str = "all") -> Judged:
        return self.counts.get((judge.pk, template.pk, model.pk, subset), Judged())

    def answered(self, judge: LanguageModel, template: PromptTemplate) -> list[LanguageModel]:
        return [model for model in self.models if (judge.pk, template.pk, model.pk, "all") in self.counts]

    def over_models(self) -> list[JudgedRow]:
        """A row for each judge and template."""
        return [
            JudgedRow(judge, template, Judged.of_all(self.of(judge, template, model) for model in models))
            for judge in self.judges
            for template in self.templates
            if (models := self.answered(judge, template))
        ]

    def by_model(self) -> list[ModelRow]:
        """A row for each judge, template and answerer."""
        return [
            ModelRow(judge, template, self.of(judge, template, model), model)
            for judge in self.judges
            for template in self.templates
            for model in self.answered(judge, template)
        ]


def judged_responses(scope: Scope) -> JudgedResponses:
    """The judged responses, without those that no table counts (`leaves_out`)."""
    templates = PromptTemplate.objects.in_bulk()
    counts: dict[tuple[int, int, int, str], Judged] = {}
    for each in _counted(scope):
        if each.subcategory and each.subcategory == leaves_out(templates[each.template]):
            continue
        for subset in subsets_of(each.kind):
            counts.setdefault((each.judge, each.template, each.model, subset), Judged()).add(each)
    used = {key[1] for key in counts}
    names = LanguageModel.objects.in_bulk({number for judge, _, model, _ in counts for number in (judge, model)})
    return JudgedResponses(
        counts=counts,
        judges=sorted((names[pk] for pk in {key[0] for key in counts}), key=lambda model: model.name),
        templates=in_order(templates[pk] for pk in used),
        models=sorted((names[pk] for pk in {key[2] for key in counts}), key=lambda model: model.name),
        notes=scope.notes(),
    )


def _counted(scope: Scope) -> Iterator[Counted]:
    """The judge models' verdicts of the scope, counted here, where the clusters of instances are known."""
    final, said = verdict_number("response__final_verdict__verdict"), verdict_number("verdict")
    instance = "response__instance"
    about = ("reader", f"{instance}__category", f"{instance}__subcategory")
    of_response = ("model_id", "response__template_id", "response__model_id")
    rows = list(scope.model_judgments().values_list(f"{instance}_id", *of_response, final, said, *about))
    if not rows:
        return
    clusters = scope.units.dealt(np.array([row[0] for row in rows])).tolist()
    same = Counter(zip(clusters, (row[1:] for row in rows), strict=True))
    for (cluster, (judge, template, model, *others)), responses in same.items():
        yield Counted._make((judge, template, model, cluster, *others, responses))


def offered_tables(row: JudgedRow):
    """(tables of the verdicts that the template offers, or that were given nevertheless; these verdicts)."""
    tables = row.judged.final_tables()
    verdicts = verdicts_in(tables, row.template.offered_verdicts or tuple(Verdict))
    return narrowed(tables, verdicts), verdicts


def judged_columns(*, by_model: bool = True) -> list[Column]:
    """The columns that identify a row of the judge tables."""
    reader = Column(say("Reader"), words=True, title=say("The reader of the judge's replies, and its version"))
    more = (say("Prompt"), say("Model")) if by_model else (say("Prompt"),)
    return [Column(say("Judge"), words=True), reader, *(Column(name, words=True) for name in more)]


def judge_notes(scope: Scope, found: JudgedResponses) -> list[Note]:
    """The numbers of unreadable replies by judge, and the notes on the scope."""
    notes = []
    for judge in found.judges:
        own = [each for key, each in found.counts.items() if key[0] == judge.pk and key[3] == "all"]
        unreadable = sum(each.unreadable for each in own)
        if unreadable:
            words = say_count(unreadable, "{count:,} reply", "{count:,} replies")
            href = response_list(ResponseFilter(scope=scope, judge=judge.pk, said="unreadable"))
            notes.append(
                Note(
                    say("{words} of {judge} cannot be read: in no rate, and no verdict.", words=words, judge=judge),
                    href,
                )
            )
    return [*notes, *found.notes]


NOT_BOTH = say("No response has both a judge model's verdict and people's final verdict yet.")


def no_judged(none: str, then: str) -> str:
    """The text of the page while it is empty."""
    return say(
        "{none} Start a judge run over the responses of a run; {then} then appears here.", none=none, then=then
    )
