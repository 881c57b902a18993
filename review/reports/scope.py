"""Selects the responses of a report, and the rows that it counts. Every report starts here, as do the lists behind
its numbers.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from annotation.kinds.registry import benchmarks
from annotation.models import Instance, Release, ReleasedInstance
from core.languages import joined, say, say_count
from core.models import User
from core.outside import whole_number
from core.refusals import Refusal
from judging.models import ModelJudgment, Reading, Response, Run

from ..models import Adjudication, FinalVerdict, Item, ItemKind, Judgment, KnownVerdict, Pair, Round, SetAside
from ..rounds.rounds import held_back
from .clusters import Units
from .entries import registered_notes
from .layout import Note

Row = TypeVar("Row", bound=Model)
REASONS_SHOWN = 50
# The unit that intervals resample, in an address: tags or sources of documents, or instances.
BY_UNIT, BY_INSTANCE = "related", "instance"


@dataclass(frozen=True)
class Scope:
    """The responses to the instances of a release, of a run or of a round; all responses if none is given. Responses
    to instances that are set aside are in no scope.

    A report asks for the responses of its `benchmark`; an empty one is all of them. `hidden` are unfinished rounds in
    which the reader judges; their responses are left out. Annotations are limited to those that `reader` may know of;
    None is a command, which may know of all. A `public` scope is for everybody: it contains no training and check
    items, and no comments of people on the work. A page `takes_earlier` numbers, of which the report says so, where
    counting takes long.
    """

    release: Release | None = None
    run: Run | None = None
    round: Round | None = None
    benchmark: str = ""
    # Whether intervals resample single instances, not tags or sources, whose instances are related.
    by_instance: bool = False
    hidden: tuple[Round, ...] = ()
    reader: User | None = None
    public: bool = False
    takes_earlier: bool = False

    @classmethod
    def of(cls, values: Mapping[str, Any], *, hidden: Iterable[Round] = (), reader: User | None = None) -> "Scope":
        """The scope given by the numbers in an address or a command. Raises Refusal if one does not exist: a report
        of everything in place of a run's would mislead."""
        return cls(
            release=_find(Release, "release", values.get("release"), key="number"),
            run=_find(Run, "run", values.get("run")),
            round=_find(Round, "round", values.get("round")),
            benchmark=_benchmark(values.get("benchmark")),
            by_instance=_by_instance(values.get("intervals")),
            hidden=tuple(hidden),
            reader=reader,
        )

    @property
    def parameters(self) -> dict[str, str]:
        """The scope as the query of an address."""
        numbers = {
            "release": self.release and self.release.number,
            "run": self.run and self.run.pk,
            "round": self.round and self.round.pk,
        }
        found = {name: str(number) for name, number in numbers.items() if number}
        found |= {"benchmark": self.benchmark} if self.mixes else {}
        return found | {"intervals": BY_INSTANCE} if self.by_instance else found

    @cached_property
    def mixes(self) -> bool:
        """Return whether there are instances of other benchmarks, too. Most projects have one, and then rows are not
        filtered.
        """
        return bool(self.benchmark) and Instance.objects.exclude(benchmark=self.benchmark).exists()

    @cached_property
    def query(self) -> str:
        return urlencode(self.parameters)

    def in_words(self) -> str:
        parts = [str(part) for part in (self.release, self.run) if part]
        if self.round:
            parts.append(say("round {round}", round=self.round))
        return joined(parts, ", ") if parts else say("all responses")

    @cached_property
    def set_aside(self) -> list[int]:
        """The primary keys of the instances set aside. They are few, and read before counting starts."""
        return list(SetAside.objects.active().values_list("instance", flat=True))

    @cached_property
    def units(self) -> Units:
        """The units that intervals draw as a whole."""
        return Units.of(by_instance=self.by_instance)

    @property
    def released(self) -> QuerySet:
        """The instances of the release."""
        return ReleasedInstance.objects.filter(release=self.release).values("instance")

    def responses(self) -> QuerySet[Response]:
        found = self._within(Response.objects.order_by(), "", "pk")
        if self.round:
            items = Item.objects.filter(round=self.round, kind=ItemKind.ORDINARY)
            found = found.filter(pk__in=items.values("response"))
        return found

    def final_verdicts(self) -> QuerySet[FinalVerdict]:
        found = self._within(FinalVerdict.objects.order_by(), "", "response")
        return found.filter(item__round=self.round) if self.round else found

    def pairs(self) -> QuerySet[Pair]:
        found = self._within(Pair.objects.order_by(), "", "response")
        return found.filter(round=self.round) if self.round else found

    def model_judgments(self) -> QuerySet[ModelJudgment]:
        """The latest judgment of each response by each judge model; an unreadable reply counts only if the same judge
        has no readable one.
        """
        other = ModelJudgment.objects.filter(response=OuterRef("response"), model=OuterRef("model"))
        later = other.filter(pk__gt=OuterRef("pk"))
        overruled = (~Q(verdict="") & Exists(later.exclude(verdict=""))) | (
            Q(verdict="") & (Exists(other.exclude(verdict="")) | Exists(later))
        )
        return self._of_responses(ModelJudgment.objects.order_by().exclude(overruled))

    def readings(self, task: str) -> QuerySet[Reading]:
        """The counting readings of the replies to a task."""
        return self._of_responses(Reading.objects.current().filter(task=task).order_by())

    def _of_responses(self, rows: QuerySet[Row]) -> QuerySet[Row]:
        """The rows that belong to a response in the scope."""
        found = self._within(rows, "response__", "response")
        if self.round:
            found = found.filter(response__items__round=self.round, response__items__kind=ItemKind.ORDINARY)
        return found

    def _within(self, rows: QuerySet[Row], path: str, response: str) -> QuerySet[Row]:
        for left_out in self._left_out():
            rows = rows.exclude(**{f"{response}__in": left_out})
        if self.mixes:
            rows = rows.filter(**{f"{path}instance__benchmark": self.benchmark})
        if self.run:
            rows = rows.filter(**{f"{path}run": self.run})
        if self.release:
            rows = rows.filter(**{f"{path}instance__in": self.released})
        if self.set_aside:
            rows = rows.exclude(**{f"{path}instance__in": self.set_aside})
        return rows

    def _left_out(self) -> Iterator[QuerySet]:
        """Responses that may not be counted for this reader. In public, as in files for others."""
        if self.public:
            yield Response.objects.filter(held_back()).order_by().values("pk")
            yield KnownVerdict.objects.order_by().values("response")
        elif self.hidden:
            yield self._hidden_responses()

    def _hidden_responses(self) -> QuerySet:
        # An item without a response would put a NULL into the list, and then nothing is known to be outside it.
        return Item.objects.filter(round__in=self.hidden, response__isnull=False).values("response")

    def notes(self) -> list[Note]:
        """Notes for every report of this scope: what is left out and why, and what was reopened."""
        notes = (
            self._note_on_hidden(),
            self._note_on_set_aside(),
            self._note_on_reopened(),
            self._note_on_known(),
            self._note_on_chosen_order(),
            self._note_on_accounts(),
            *self.notes_of_apps(),
        )
        return [note for note in notes if note]

    def notes_of_apps(self) -> list[Note]:
        """The notes that apps above have for this scope."""
        return [note for make in registered_notes() if (note := make(self))]

    @cached_property
    def set_aside_with_reasons(self) -> list[SetAside]:
        """The instances set aside whose responses would otherwise be in this scope."""
        answered = Response.objects.filter(instance=OuterRef("instance"))
        if self.hidden:
            answered = answered.exclude(pk__in=self._hidden_responses())
        if self.mixes:
            answered = answered.filter(instance__benchmark=self.benchmark)
        if self.run:
            answered = answered.filter(run=self.run)
        if self.round:
            answered = answered.filter(items__round=self.round, items__kind=ItemKind.ORDINARY)
        rows = SetAside.objects.active().filter(Exists(answered)).select_related("instance").order_by("pk")
        if self.release:
            rows = rows.filter(instance__in=self.released)
        return list(rows)

    def _note_on_hidden(self) -> Note | None:
        if not self.hidden:
            return None
        if self.public:
            return Note(say("Without runs whose judging is not finished."))
        names = ", ".join(str(round) for round in self.hidden)
        return Note(say("Without the responses of {names}: where you judge until it is finished.", names=names))

    def _note_on_set_aside(self) -> Note | None:
        rows = self.set_aside_with_reasons if self.set_aside else []
        if not rows:
            return None
        text = say_count(
            len(rows),
            "{count:,} instance is set aside; its responses are in no number here.",
            "{count:,} instances are set aside; their responses are in no number here.",
        )
        shown = [] if self.public else rows[:REASONS_SHOWN]
        return Note(text, details=[f"{row.instance}: {row.reason}" for row in shown])

    def _note_on_reopened(self) -> Note | None:
        reopened = Adjudication.objects.filter(times_reopened__gt=0).exclude(round__in=self.hidden)
        if self.round:
            reopened = reopened.filter(round=self.round)
        if self.run:
            reopened = reopened.filter(item__response__run=self.run)
        if self.mixes:
            reopened = reopened.filter(item__instance__benchmark=self.benchmark)
        if self.release:
            reopened = reopened.filter(item__instance__in=self.released)
        count = reopened.count()
        if not count:
            return None
        still_open = reopened.open().count()
        text = say_count(
            count, "{count:,} adjudicated verdict was reopened", "{count:,} adjudicated verdicts were reopened"
        )
        after = (
            say("{still_open:,} of them without a verdict now", still_open=still_open)
            if still_open
            else say("and adjudicated again")
        )
        return Note(
            say("{text}, {after}. Agreement is that before adjudication and has not changed.", text=text, after=after)
        )

    def _note_on_known(self) -> Note | None:
        """Responses of the training set and hidden check items get no final verdict."""
        known = list(KnownVerdict.objects.order_by().values_list("response", flat=True))
        count = self.responses().filter(pk__in=known).count() if known else 0
        if not count:
            return None
        return Note(
            say_count(
                count,
                "{count:,} response is a training or check item: without a final verdict, and counted as such.",
                "{count:,} responses are training or check items: without a final verdict, and counted as such.",
            )
        )

    def _note_on_accounts(self) -> Note | None:
        """Rounds in which an admin who judged opened another person's account."""
        rounds = Round.objects.exclude(accounts_opened="").exclude(pk__in=[round.pk for round in self.hidden])
        if self.round:
            rounds = rounds.filter(pk=self.round.pk)
        if self.run:
            rounds = rounds.filter(runs=self.run)
        names = ", ".join(str(round) for round in rounds.distinct())
        if not names:
            return None
        return Note(
            say(
                "{round}: the only admin judged there and gave access to another account before it was "
                "finished. Its judgments may not be independent.",
                round=say("A round") if self.public else names,
            )
        )

    def _note_on_chosen_order(self) -> Note | None:
        """Rounds by expected gain with unjudged responses."""
        chosen = Round.objects.filter(by_gain=True).exclude(pk__in=[round.pk for round in self.hidden])
        if self.round:
            chosen = chosen.filter(pk=self.round.pk)
        if self.run:
            chosen = chosen.filter(runs=self.run)
        left = Judgment.objects.open().ordinary().filter(round=OuterRef("pk"))
        if self.mixes:
            left = left.filter(item__instance__benchmark=self.benchmark)
        names = ", ".join(str(round) for round in chosen.filter(Exists(left)))
        if not names:
            return None
        if self.public:
            names = say("Some responses")
        return Note(
            say(
                "{names}: judged in a chosen order and not completely. Questions on which the models were "
                "expected to differ came first, so rates and agreement over its responses are biased "
                "towards these questions. Once all judgments are in, the order makes no difference.",
                names=names,
            )
        )


def _by_instance(value: object) -> bool:
    if value in (None, "", BY_UNIT):
        return False
    if value != BY_INSTANCE:
        raise Refusal(
            say(
                "Intervals are “{by_unit}” or “{by_instance}”, not “{value}”.",
                by_unit=BY_UNIT,
                by_instance=BY_INSTANCE,
                value=str(value)[:20],
            ),
            status=404,
        )
    return True


def _benchmark(value: Any) -> str:
    if value and value not in [each.code for each in benchmarks()]:
        raise Refusal(say("There is no benchmark “{value}”.", value=str(value)[:20]), status=404)
    return value or ""


def _find(model: type[Row], name: str, value: object, *, key: str = "pk") -> Row | None:
    if value in (None, ""):
        return None
    number = whole_number(str(value))
    row = None if number is None else model._default_manager.filter(**{key: number}).first()
    if row is None:
        raise Refusal(say("There is no {name} {value}.", name=name, value=str(value)[:20]), status=404)
    return row
