"""For admins: untagged contradictions that the program found, and the decisions on them."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.background.shown import latest
from core.languages import say, say_count
from core.lists.pages import ROWS_ON_A_PAGE, page_of
from core.models import Role, User
from core.outside import row_numbers
from core.web.access import SignedInRequest, role_required
from core.web.acts import page_before
from core.web.files import handed_on

from ..finding.deciding import CandidateAction, decide_on_candidates
from ..finding.listing import FILTERS, CandidateFilters, chip_counts, latest_decisions
from ..finding.searching import SEARCH, SearchForm
from ..models import Candidate, CandidateKind, CandidateState, Wiki

REFUSALS_SHOWN = 5


@role_required(Role.ADMIN)
@require_GET
def candidates(request: SignedInRequest) -> HttpResponse:
    filters = CandidateFilters(request.GET)
    chosen, narrowed = filters.chosen, [name for name in FILTERS if filters.chosen[name]]
    # Beside another filter the numbers would be of something else.
    counts = chip_counts().now() if narrowed in ([], ["state"]) else dict.fromkeys(CandidateState.values, "")
    context = {
        "page": page_of(request, filters.candidates(), window=filters.window()),
        "filters": filters,
        "chosen": chosen,
        "kind": CandidateKind(chosen["kind"]).label if chosen["kind"] else "",
        "narrowed": narrowed,
        "states": [(value, label, counts[value]) for value, label in CandidateState.choices],
        "actions": CandidateAction.choices,
        "latest": latest_decisions(request.user),
    }
    return render(request, "annotation/candidates.html", context | _searches(request.user))


def _searches(admin: User) -> dict[str, object]:
    """This admin's searches in progress and the last ones."""
    searches = latest(SEARCH.code, admin)
    ended = [each for each in searches if not each.work.is_open]
    is_last_bad = any(each.work.problem for each in ended[:1])
    is_searching = len(ended) < len(searches)
    return {"searches": searches, "is_searching": is_searching, "has_ended": bool(ended), "is_last_bad": is_last_bad}


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def candidates_search(request: SignedInRequest) -> HttpResponse:
    """The form of a search, which a worker does."""
    first = Wiki.objects.filter(is_allowed=True).first()
    is_sent = request.method == "POST"
    initial = {"wiki": first, "dump_wiki": first}
    form = SearchForm(request.POST, request.FILES) if is_sent else SearchForm(initial=initial)
    if is_sent and form.is_valid():
        handed_on(request, SEARCH, about={})
        return redirect("untagged")
    return render(request, "annotation/search_new.html", {"form": form}, status=400 if is_sent else 200)


@role_required(Role.ADMIN)
@require_POST
def candidates_change(request: SignedInRequest) -> HttpResponse:
    """Apply an action to the selected candidates, or to the one whose button was pressed; then return to the page."""
    action, _, number = request.POST.get("one", "").partition(":")
    ids = row_numbers([number] if number else request.POST.getlist("candidate"))[:ROWS_ON_A_PAGE]
    chosen = Candidate.objects.filter(pk__in=ids).select_related("article__wiki")
    action = action or request.POST.get("action", "")
    done, refused = decide_on_candidates(candidates=chosen, action=action, admin=request.user)
    if done:
        messages.success(request, _done(done, CandidateAction(action)))
    elif not refused:
        messages.warning(request, say("No candidate was selected, so nothing was changed."))
    for message in refused[:REFUSALS_SHOWN]:
        messages.warning(request, message)
    if len(refused) > REFUSALS_SHOWN:
        messages.warning(request, say("{more} more were refused.", more=len(refused) - REFUSALS_SHOWN))
    return redirect(page_before(request) or reverse("untagged"))


def _done(count: int, action: CandidateAction) -> str:
    match action:
        case CandidateAction.SEND:
            return say_count(
                count,
                "{count:,} candidate sent to the queue, as found by the program.",
                "{count:,} candidates sent to the queue, as found by the program.",
            )
        case CandidateAction.DISMISS:
            return say_count(count, "{count:,} candidate dismissed.", "{count:,} candidates dismissed.")
        case CandidateAction.TAKE_BACK:
            return say_count(count, "{count:,} candidate to decide again.", "{count:,} candidates to decide again.")
