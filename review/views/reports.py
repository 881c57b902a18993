"""For admins: the reports, their files, and the responses behind each number.

An admin who judges in an unfinished round cannot open any report that distinguishes models or runs, however narrowed;
the other reports leave that round out.
"""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from annotation.kinds.registry import name_of
from annotation.models import Release
from core.languages import say
from core.models import Role, User
from core.navigation.closing import closed_because, reason_for
from core.outside import whole_number
from core.refusals import Refusal
from core.web import files
from core.web.access import SignedInRequest, role_required
from judging.models import Response as AnsweredIn
from judging.models import Run, RunKind, RunState
from judging.runs.blinding import is_blind, names_models, refuse_names, why_hidden

from ..models import Item, Round, Saw
from ..reports.drawing.pictures import KINDS, picture
from ..reports.entries import TAG
from ..reports.formats import FORMATS
from ..reports.glances import glance_of
from ..reports.links import ResponseFilter
from ..reports.registry import Entry, all_reports, make_report
from ..reports.response_rows import chips_of, response_rows
from ..reports.scope import Scope
from ..rounds.final_verdicts.pairing import complete_pairs
from ..rounds.rounds import hidden_from
from ..rounds.turns.seen import record_seen

CHIPS_SHOWN = 12
MOST_PAGES = 100_000
KINDS_OF_SCOPE = {"release": say("Release"), "run": say("Run"), "round": say("Round")}
ENDINGS = {"text": "txt", "latex": "tex"}


def why_report_closed(person: User, name: str) -> str:
    """The reason why this person must not read the report now, for links to it; "" if they may."""
    entry = all_reports().get(name)
    return reason_for(person, why_hidden) if entry and entry.names_models else ""


@role_required(Role.ADMIN)
@require_GET
def reports(request: SignedInRequest) -> HttpResponse:
    return render(request, "review/reports.html", {"kinds": _by_benchmark(), "is_blind": is_blind(request.user)})


def _by_benchmark() -> list[tuple[str, list[tuple[str, Entry]]]]:
    """The reports of each benchmark, under its name."""
    kinds: dict[str, list[tuple[str, Entry]]] = {}
    for name, entry in all_reports().items():
        kinds.setdefault(name_of(entry.benchmark), []).append((name, entry))
    return list(kinds.items())


@role_required(Role.ADMIN)
@require_GET
def glance(request: SignedInRequest, name: str) -> HttpResponse:
    """The headline and the thumbnail of a report, for the list."""
    entry_of(name, request.user)
    return render(request, "review/_report_glance.html", {"glance": glance_of(name, scope_of(request))})


@role_required(Role.ADMIN)
@require_GET
@closed_because(why_report_closed, by_arguments=True)
def report(request: SignedInRequest, name: str) -> HttpResponse:
    entry = entry_of(name, request.user)
    scope = replace(scope_of(request), takes_earlier=True)
    options, printed = _options(request, entry), _printed(request)
    context = {
        "name": name,
        "pictures": f"{reverse('report', args=[name])}plots/",
        "entry": entry,
        "report": make_report(name, scope, printed=bool(printed), **options),
        "scope": scope,
        "chips": [
            *_narrowing(entry, scope, printed),
            *_interval_chips(entry, scope, printed),
            *_paper_chips(entry, scope, printed),
        ],
        "query": urlencode(scope.parameters | printed),
        "printed": bool(printed),
        **options,
    }
    return render(request, "review/report.html", context)


def _printed(request: SignedInRequest) -> dict[str, str]:
    """The part of the address that requests the paper's numbers, if it does."""
    return {"printed": "1"} if request.GET.get("printed") == "1" else {}


def _options(request: SignedInRequest, entry: Entry) -> dict[str, object]:
    """The requested part of a report with breakdowns."""
    if not entry.breakdowns:
        return {}
    by, page = request.GET.get("by", ""), request.GET.get("page", "")
    return {
        "by": by if by in entry.breakdowns else entry.breakdowns[0],
        "page": min(whole_number(page) or 1, MOST_PAGES),
    }


@role_required(Role.ADMIN)
@require_GET
def download(request: SignedInRequest, name: str, kind: str) -> HttpResponseBase:
    """The whole report, with all of its breakdowns."""
    entry_of(name, request.user)
    scope = scope_of(request)
    if kind not in FORMATS:
        raise Refusal(say("A report cannot be downloaded as “{kind}”.", kind=kind), status=404)
    made = make_report(name, scope, printed=bool(_printed(request)))
    return files.download(f"{_file_name(name)}.{ENDINGS.get(kind, kind)}", FORMATS[kind](made))


@role_required(Role.ADMIN)
@require_GET
def plot_picture(request: SignedInRequest, name: str, number: int, kind: str) -> HttpResponseBase:
    """One plot of the page for print, by its number there."""
    entry = entry_of(name, request.user)
    scope = scope_of(request)
    if kind not in KINDS:
        raise Refusal(say("A plot cannot be downloaded as “{kind}”.", kind=kind), status=404)
    report = entry.report(scope, **_options(request, entry))
    plots = report.plots if report.lead else []
    if not 1 <= number <= len(plots):
        raise Refusal(say("This report has no such plot."), status=404)
    content = picture(plots[number - 1], kind, title=report.title)
    return files.download(f"{_file_name(name)}-{number}.{kind}", content)


def _file_name(name: str) -> str:
    """The file name. It begins with the benchmark, unless the report's name already does."""
    benchmark = all_reports()[name].benchmark
    return name if name.startswith(f"{benchmark}-") else f"{benchmark}-{name}"


@role_required(Role.ADMIN)
@names_models
@require_GET
def responses(request: SignedInRequest) -> HttpResponse:
    """The responses behind a number."""
    hidden = _pairs_completed(request)
    chosen = ResponseFilter.of(request.GET.dict(), hidden=hidden)
    note_reading(request, chosen.scope)
    page = response_rows(chosen, request)
    context = {
        "chosen": chosen,
        "chips": chips_of(chosen),
        "scope": chosen.scope,
        "notes": chosen.scope.notes(),
        "page": page,
    }
    return render(request, "review/report_responses.html", context)


def entry_of(name: str, reader: User) -> Entry:
    """The report of this name. Raises Refusal without one, or if it distinguishes models and the reader judges."""
    found = all_reports()
    if name not in found:
        raise Refusal(say("There is no report “{name}”.", name=name), status=404)
    if found[name].names_models:
        refuse_names(reader)
    return found[name]


def scope_of(request: SignedInRequest) -> Scope:
    """The scope in the address, without rounds hidden from the reader; records that they read verdicts."""
    scope = Scope.of(request.GET.dict(), hidden=_pairs_completed(request), reader=request.user)
    note_reading(request, scope)
    return scope


def _pairs_completed(request: SignedInRequest) -> list[Round]:
    """Count judgments that can no longer be taken back, also without a clock. Returns the rounds hidden from the
    reader, whose pairs are left alone.
    """
    hidden = list(hidden_from(request.user))
    complete_pairs(without=hidden)
    return hidden


def note_reading(request: SignedInRequest, scope: Scope) -> None:
    """Record that the reader is shown the judgments of the rounds in this scope: a number of a small run is a single
    verdict, and each number leads to its responses.
    """
    rounds = Round.objects.exclude(pk__in=[each.pk for each in scope.hidden]).filter(is_import=False)
    if scope.round:
        rounds = rounds.filter(pk=scope.round.pk)
    record_seen(person=request.user, what=Saw.VERDICTS, rounds=rounds)


@dataclass(frozen=True, slots=True)
class Choice:
    """One chip: a part of the scope, active or not, and its address."""

    words: str
    query: str
    is_chosen: bool


def _paper_chips(entry: Entry, scope: Scope, printed: dict[str, str]) -> list[tuple[str, list[Choice]]]:
    """The switch between our numbers alone and those of the paper beside them."""
    if entry.printed is None:
        return []
    alone, both = urlencode(scope.parameters), urlencode(scope.parameters | {"printed": "1"})
    choices = [Choice(say("Ours"), alone, not printed), Choice(say("Compare with the paper"), both, bool(printed))]
    return [(say("Numbers"), choices)]


def _interval_chips(entry: Entry, scope: Scope, printed: dict[str, str]) -> list[tuple[str, list[Choice]]]:
    """The switch between intervals over tags or sources and those over single instances."""
    if not entry.related_by:
        return []
    related, single = (urlencode(replace(scope, by_instance=each).parameters | printed) for each in (False, True))
    choices = [
        Choice(say("By tag") if entry.related_by == TAG else say("By source"), related, not scope.by_instance),
        Choice(say("By instance"), single, scope.by_instance),
    ]
    return [(say("Intervals"), choices)]


def _runs_of(benchmark: str, runs: QuerySet[Run]) -> QuerySet[Run]:
    """The runs over releases of a benchmark, and imported ones with responses to its instances."""
    answered = AnsweredIn.objects.filter(run=OuterRef("pk"), instance__benchmark=benchmark)
    return runs.filter(Q(release__benchmark=benchmark) | Q(Exists(answered), release=None))


def _rounds_of(benchmark: str, rounds: QuerySet[Round]) -> QuerySet[Round]:
    """The rounds with items of a benchmark. An item without an instance belongs to the benchmark of the
    questionnaire.
    """
    items = Item.objects.filter(Q(instance__benchmark=benchmark) | Q(instance=None), round=OuterRef("pk"))
    return rounds.filter(Exists(items))


def _narrowing(entry: Entry, scope: Scope, printed: dict[str, str]) -> list[tuple[str, list[Choice]]]:
    """The ways to narrow the report, by kind: all, and the newest few; the active one is always among them."""
    runs = Run.objects.filter(kind__in=[RunKind.ANSWER, RunKind.IMPORT])
    rounds = Round.objects.filter(questionnaire__in=entry.questionnaires)
    releases = Release.objects.all() if entry.is_across else Release.objects.filter(benchmark=entry.benchmark)
    if replace(scope, benchmark=entry.benchmark).mixes and not entry.is_across:
        runs = _runs_of(entry.benchmark, runs)
        # A questionnaire belongs to one benchmark, whatever its rounds contain.
        rounds = rounds if entry.of_questionnaires else _rounds_of(entry.benchmark, rounds)
    offered: dict[str, tuple[QuerySet, str]] = {
        "release": (releases.order_by("-number"), "number"),
        "run": (runs.exclude(state=RunState.PLANNED).order_by("-pk"), "pk"),
        "round": (rounds.order_by("-pk"), "pk"),
    }
    kinds: list[tuple[str, list[Choice]]] = []
    for kind in entry.narrowed_by:
        rows, number = offered[kind]
        in_force = getattr(scope, kind)
        shown = list(rows[:CHIPS_SHOWN])
        if in_force and in_force not in shown:
            shown.append(in_force)
        if not shown:
            continue
        others = {name: value for name, value in scope.parameters.items() if name != kind} | printed
        choices = [Choice(say("All"), urlencode(others), in_force is None)]
        for row in shown:
            query = urlencode({**others, kind: str(getattr(row, number))})
            words = str(row).removeprefix("Release ") if kind == "release" else str(row)
            choices.append(Choice(words, query, row == in_force))
        kinds.append((KINDS_OF_SCOPE[kind], choices))
    return kinds
