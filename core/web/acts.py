"""Acts of a form sent from a list: it asks before what nobody can undo, and goes back to its page."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme

from .access import SignedInRequest

NOT_SENT_AGAIN = ("csrfmiddlewaretoken", "sure")


def page_before(request: HttpRequest) -> str:
    """The address of this site that the form names as `next`; "" if it names none."""
    back = request.POST.get("next", "")
    is_page = back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return back if is_page else ""


def confirmation(
    request: SignedInRequest, *, what: str, final: Collection[str], rows: Sequence[object] | QuerySet[Any], back: str
) -> HttpResponse | None:
    """The page that asks whether to do a `final` action to these rows, and says that it can't be undone; None if the
    action is another one, if nothing is selected, or if the person said yes.

    Args:
        what: the rows in the words of the page: "people", "links" or "runs".
        back: the name of the address of their list.
    """
    action = request.POST.get("action", "")
    if action not in final or not rows or request.POST.get("sure"):
        return None
    sent = [(name, value) for name, of in request.POST.lists() if name not in NOT_SENT_AGAIN for value in of]
    context = {"what": what, "action": action, "rows": rows, "sent": sent, "back": back}
    return render(request, "core/confirm_change.html", context)
