"""The registry of benchmarks whose items are made by models and checked before people verify them.

A benchmark defines its own rows, prompts and thresholds. Shared by all of them are the plan, the calls, their costs,
and the commands and pages that ask.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from django import forms
from django.db.models import QuerySet

from core.languages import say
from core.refusals import Refusal

from ..models import LanguageModel, ModelKind, Run
from ..runs.plan import Plan
from ..runs.runs import Actor


@dataclass(frozen=True, slots=True)
class GenerationAsked:
    """A request that models make something. `method` is the code of one of the benchmark's methods, "" if it has
    none; `only_missing` leaves out sources from which a model has already made something.
    """

    language_models: Sequence[LanguageModel]
    method: str = ""
    name: str = ""
    budget: Decimal | None = None
    only_missing: bool = False
    in_batches: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """Something that a benchmark's checks measure: its code, its option for commands, its description, its needs."""

    code: str
    option: str
    words: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class ChecksAsked:
    """A request to check what was made. `components` has, by the codes of measures, the names of the models that
    measure, "" where none was chosen; `again` repeats checks that were not made before.
    """

    components: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    budget: Decimal | None = None
    again: bool = False


@dataclass(frozen=True, slots=True)
class Checking:
    """Checks that have begun: the run that makes their calls, None if none are needed, and remarks for people."""

    run: Run | None = None
    remarks: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class CheckCounts:
    """The numbers of things that passed a check, failed it, were not checked, or wait for it."""

    code: str
    name: str
    passed: int = 0
    failed: int = 0
    not_checked: int = 0
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a making, in words and names of addresses. The benchmark gives `judging.views.making` addresses.

    Args:
        sources: the page of what models are asked about, and its name; `made` is the page of what is checked, which
            has the filters `check` and `outcome`.
        asking: the heading of the page on which models are asked; `about` explains it, `models` the choice of models.
        settings: the page of the settings of checks.
        no_sources: the message, with a link to `sources`, while there is nothing to ask about.
        note: the template of a note on top of these pages.
        more: another page about checks, and its name.
    """

    sources: tuple[str, str]
    made: tuple[str, str]
    asking: str
    about: str
    models: str
    settings: str
    no_sources: str
    note: str = ""
    more: tuple[str, str] | None = None


class Making:
    """A benchmark's way of having something made and checked. Defaults apply unless overridden."""

    benchmark: str
    # Without them there are commands only.
    pages: Pages | None = None
    # The methods by their codes, each with a description.
    methods: Mapping[str, str] = {}
    # The method that is meant where none is chosen among several.
    default_method = ""
    measures: Sequence[Measure] = ()

    # --- Generation -----------------------------------------------------------------------------------------------

    def plan_generation(self, asked: GenerationAsked) -> Plan:
        """The plan of the run that `create_generation` would create. Writes nothing. Raises Refusal, with the reason,
        if nothing can be asked.
        """
        raise Refusal(
            say("Models generate nothing for the benchmark “{benchmark}”.", benchmark=self.benchmark), status=404
        )

    def create_generation(self, asked: GenerationAsked, *, actor: Actor = None) -> Run:
        """Create a planned run that asks the models; nothing is asked before `start_run`. Raises Refusal as
        `plan_generation` does.
        """
        raise Refusal(
            say("Models generate nothing for the benchmark “{benchmark}”.", benchmark=self.benchmark), status=404
        )

    def warnings(self, asked: GenerationAsked) -> list[str]:
        """Warnings about the plan, shown before a person confirms it."""
        return []

    def writers(self) -> QuerySet[LanguageModel]:
        """The models that can be asked."""
        return LanguageModel.objects.callable().filter(kind=ModelKind.ENDPOINT)

    def has_sources(self) -> bool:
        """Return whether there is anything to ask about."""
        return True

    # --- Checks ---------------------------------------------------------------------------------------------------

    def components(self, measure: Measure) -> Sequence[tuple[str, str]]:
        """The components besides models, each with a description; the first one, "", is no choice."""
        return [("", say("nothing: not checked"))]

    def check_counts(self) -> Sequence[CheckCounts]:
        """The outcomes of checks so far, in the order of checks."""
        return []

    def to_check(self) -> str:
        """A sentence on how much is still to be checked."""
        return ""

    def settings_form(self) -> forms.ModelForm | None:
        """The form of the settings of checks, if it is short enough to stand beside them."""
        return None

    def check_lines(self, asked: ChecksAsked) -> list[str]:
        """The number of things to check, and what measures each check. Raises Refusal if a component is unknown."""
        return []

    def plan_checks(self, asked: ChecksAsked) -> Plan:
        """The plan of the calls that `run_checks` would make. Writes nothing."""
        raise Refusal(
            say("Nothing is checked for the benchmark “{benchmark}”.", benchmark=self.benchmark), status=404
        )

    def run_checks(self, asked: ChecksAsked, *, actor: Actor = None) -> Checking:
        """Check what can be checked without calls, and start a run for the other checks."""
        raise Refusal(
            say("Nothing is checked for the benchmark “{benchmark}”.", benchmark=self.benchmark), status=404
        )


_registered: dict[str, Making] = {}


def register(making: Making) -> None:
    """Register a benchmark's making; a later registration replaces the earlier one."""
    _registered[making.benchmark] = making


def makings() -> Sequence[Making]:
    return tuple(_registered.values())


def making_of(benchmark: str) -> Making:
    """The making of this benchmark. Raises Refusal, listing the benchmarks that have one, if it has none."""
    if benchmark not in _registered:
        there = ", ".join(_registered) or "none"
        raise Refusal(
            say(
                "Nothing is made for the benchmark “{benchmark}”, only for: {there}.",
                benchmark=benchmark,
                there=there,
            ),
            status=404,
        )
    return _registered[benchmark]


def pages_of(benchmark: str) -> tuple[Making, Pages]:
    """The making of this benchmark, and its pages. Raises Refusal if it has none."""
    making = making_of(benchmark)
    if making.pages is None:
        raise Refusal(
            say("There are no pages to make anything for the benchmark “{benchmark}”.", benchmark=benchmark),
            status=404,
        )
    return making, making.pages


def method_among(making: Making, code: str) -> str:
    """The code of a method of the benchmark: "" stands for its default or only one. Raises Refusal, listing the
    methods, if there is no such method or none was chosen among several.
    """
    code = code or making.default_method
    if code in making.methods or (not code and not making.methods):
        return code
    if not code and len(making.methods) == 1:
        return next(iter(making.methods))
    there = ", ".join(making.methods) or "none"
    chosen = f"There is no method “{code}”" if code else "A method must be chosen"
    raise Refusal(say("{chosen}. There are: {there}.", chosen=chosen, there=there), status=400)
