"""For admins: import facts, make claims of them, and release items. Each shows what it will do before it does it, and
calls the function that its command calls.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from annotation.mediawiki import WikiError
from annotation.models import Release
from core.background.registry import Kind
from core.background.shown import latest
from core.languages import say
from core.models import Role, User
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required
from core.web.files import handed_on, import_page
from core.words import plural
from judging.runs.blinding import names_models, refuse_names, why_hidden
from judging.views.models import status_of

from ..answers import AnswerImport, import_answers
from ..claims.making import ask_for_claims, make_claims
from ..claims.twins import ask_for_twins, make_twins
from ..claims.worker import wake_making
from ..facts.importing import FactImport, import_facts
from ..facts.names import fetch_names_from, waiting_for_names
from ..models import ClaimSet, Fact, FactState
from ..release.releasing import Chosen, check_chosen, chosen_items, release_conflicts
from .forms import AnswersFileForm, ClaimsForm, FactsFileForm, NamesForm, ReleaseForm, TwinsForm

# A request plans and releases the items of this number of conflicts; a worker does it for more.
MOST_CONFLICTS_AT_ONCE = 1_000


# --- Facts ----------------------------------------------------------------------------------------------------------


def read_facts(given: dict[str, Any], *, check_only: bool, user: User) -> FactImport:
    how = {name: given[name] for name in ("revision", "licence")}
    return import_facts(given["file"], check_only=check_only, actor=user, **how)


# A fact costs several rows and a look at those of its relation.
FACTS = Kind("facts", say("Import facts"), FactsFileForm, read_facts, at_once=64 * 1024)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def facts_import(request: SignedInRequest) -> HttpResponse:
    return import_page(request, "conflictbank/facts_import.html", FACTS)


@dataclass
class NamesFound:
    """The number of names that a wiki had."""

    found: int

    def lines(self) -> Iterator[str]:
        yield f"{plural(self.found, 'name')} found."


def fetch_waiting_names(given: dict[str, Any], *, check_only: bool, user: User) -> NamesFound:
    """Ask a wiki for the names that files lacked. Raises Refusal if it stops answering; what arrived is kept."""
    try:
        return NamesFound(fetch_names_from(given["wiki"]))
    except WikiError as error:
        raise Refusal(say("{error} Names that arrived before are kept.", error=error)) from error


NAMES = Kind("fact_names", say("Fetch names"), NamesForm, fetch_waiting_names)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def facts_names(request: SignedInRequest) -> HttpResponse:
    """Have a worker ask a wiki for the names that files lacked."""
    form = NamesForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        return redirect("background_work", handed_on(request, NAMES, about={}).key)
    context = {"form": form, "waiting": len(waiting_for_names()), "works": latest(NAMES.code, request.user)}
    return render(request, "conflictbank/facts_names.html", context, status=status_of(form))


# --- Answers --------------------------------------------------------------------------------------------------------


def read_answers(given: dict[str, Any], *, check_only: bool, user: User) -> AnswerImport:
    return import_answers(given.pop("file"), **given, check_only=check_only, actor=user)


ANSWERS = Kind("conflict_answers", say("Import answers"), AnswersFileForm, read_answers)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def answers_import(request: SignedInRequest) -> HttpResponse:
    return import_page(request, "conflictbank/answers_import.html", ANSWERS, refused=why_hidden(request.user))


# --- Claims ---------------------------------------------------------------------------------------------------------


@role_required(Role.ADMIN)
@require_GET
def claim_sets(request: SignedInRequest) -> HttpResponse:
    """The sets of claims with their progress, and what new ones would be; the list alone for htmx."""
    rows = ClaimSet.objects.select_related("twins_of").annotate(
        set_aside=Count("conflicts", filter=~Q(conflicts__set_aside=""))
    )
    sets = list(rows.order_by("-pk"))
    context: dict[str, object] = {"sets": sets, "is_making": any(not each.is_finished for each in sets)}
    if request.headers.get("HX-Request"):
        return render(request, "conflictbank/_claim_sets.html", context)
    claims = ClaimsForm(request.GET if request.GET.get("plan") == "claims" else None)
    twins = TwinsForm(request.GET if request.GET.get("plan") == "twins" else None)
    context |= {"claims": claims, "twins": twins, "has_facts": Fact.objects.filter(state=FactState.READY).exists()}
    if claims.is_bound:
        context["claims_lines"] = planned(claims, lambda: make_claims(**claims.cleaned_data, check_only=True).lines())
    if twins.is_bound:
        context["twins_lines"] = planned(twins, lambda: make_twins(**twins_in(twins), check_only=True).lines())
    status = 400 if claims.errors or twins.errors else 200
    return render(request, "conflictbank/claim_sets.html", context, status=status)


def planned(form: forms.Form, lines: Callable[[], Iterable[str]]) -> list[str]:
    """The lines that say what would be done; none if the form is not valid, or a refusal is shown in it."""
    if not form.is_valid():
        return []
    try:
        return list(lines())
    except Refusal as refusal:
        form.add_error(None, refusal.message)
        return []


def twins_in(form: forms.Form) -> dict[str, Any]:
    return {"seed": form.cleaned_data["seed"], "of": form.cleaned_data["of"].seed}


@role_required(Role.ADMIN)
@require_http_methods(["POST"])
def claims_make(request: SignedInRequest, what: str) -> HttpResponse:
    """Have a worker make claims, or the twins of some."""
    form = TwinsForm(request.POST) if what == "twins" else ClaimsForm(request.POST)
    if not form.is_valid():
        raise Refusal(say("A setting of the claims is missing or wrong. Nothing was made."), status=400)
    ask = (
        ask_for_twins(**twins_in(form), actor=request.user)
        if what == "twins"
        else ask_for_claims(**form.cleaned_data, actor=request.user)
    )
    wake_making()
    messages.success(request, say("The {ask} are being made.", ask=str(ask)))
    return redirect("claim_sets")


# --- Release --------------------------------------------------------------------------------------------------------


@dataclass
class Released:
    """The items of a release, which a check has not made."""

    chosen: Chosen
    release: Release | None = None

    def lines(self) -> Iterator[str]:
        if self.release:
            yield say("Release {number} is made.", number=self.release.number)
        yield from self.chosen.lines()


def make_release(given: dict[str, Any], *, check_only: bool, user: User) -> Released:
    """Release what the form asks for, or only check that it can be released."""
    refuse_names(user)
    wanted = {"seed": given["claims"].seed, **{each: given[each] for each in ("model", "version", "with_twins")}}
    if check_only:
        chosen = chosen_items(**wanted)
        check_chosen(chosen, given["name"])
        return Released(chosen)
    release, chosen = release_conflicts(name=given["name"], **wanted, admin=user)
    return Released(chosen, release)


RELEASE = Kind("conflicts_release", say("Release conflicts"), ReleaseForm, make_release)


@role_required(Role.ADMIN)
@names_models
@require_http_methods(["GET", "HEAD", "POST"])
def conflicts_release(request: SignedInRequest) -> HttpResponse:
    """The items that a release would have, and why other conflicts are left out; then the release itself. A worker
    plans and releases many conflicts.
    """
    is_planned = request.GET.get("plan") == "yes"
    form = ReleaseForm(request.POST if request.method == "POST" else request.GET if is_planned else None)
    is_large = form.is_bound and form.is_valid() and form.cleaned_data["claims"].facts > MOST_CONFLICTS_AT_ONCE
    if is_large and request.method == "POST":
        work = handed_on(request, RELEASE, about={}, check_only=request.POST.get("action") == "check")
        return redirect("background_work", work.key)
    if request.method == "POST" and form.is_valid():
        release, chosen = release_conflicts(name=form.cleaned_data["name"], **form.wanted, admin=request.user)
        messages.success(
            request, say("Release {number} is made. {lines}", number=release.number, lines=" ".join(chosen.lines()))
        )
        return redirect("release", release.number)
    lines: list[str] = []

    def plan() -> list[str]:
        chosen = chosen_items(**form.wanted)
        lines.extend(chosen.lines())
        check_chosen(chosen, form.cleaned_data["name"])
        return lines

    context: dict[str, object] = {
        "form": form,
        "is_large": is_large,
        "works": latest(RELEASE.code, request.user),
        "most": MOST_CONFLICTS_AT_ONCE,
    }
    if form.is_bound and not is_large:
        planned(form, plan)
        context |= {"lines": lines, "can_release": bool(lines) and not form.errors}
    context["has_claims"] = ClaimSet.objects.filter(twins_of=None, finished_at__isnull=False).exists()
    return render(request, "conflictbank/release.html", context, status=status_of(form))
