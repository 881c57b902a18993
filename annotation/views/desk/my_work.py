"""A person's annotations, current and past, by state."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from core.lists.pages import page_of
from core.models import Role
from core.web.access import SignedInRequest, role_required

from ...desk.work.own_work import TO_DO, OwnWork, WorkState, in_work_state, own_rows, own_work, window_of


@role_required(Role.ANNOTATOR)
@require_GET
def my_work(request: SignedInRequest) -> HttpResponse:
    """Work that needs the person; with `?state=`, the list of all in that state."""
    person, chosen = request.user, request.GET.get("state")
    work = own_work(person)
    if chosen not in WorkState.values:
        return _page(request, work, None, groups=work.groups(person, TO_DO))
    state = WorkState(chosen)
    page = page_of(
        request,
        in_work_state(state, person),
        window=window_of(state, person.pk),
        fetch=lambda rows: own_rows(rows, person=person),
    )
    return _page(request, work, state, page=page)


def _page(request: SignedInRequest, work: OwnWork, state: WorkState | None, **more: object) -> HttpResponse:
    chips = [(each, work.counts[each]) for each in WorkState if work.counts[each] or each == state]
    return render(request, "annotation/my_work.html", {"state": state, "chips": chips} | more)
