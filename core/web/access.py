"""Access to pages: one decorator, used by every view that needs a signed-in person."""

from collections.abc import Callable
from functools import wraps
from urllib.parse import urlencode, urlsplit

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme

from ..languages import say
from ..models import CoreAction, Event, Role, User
from ..refusals import Forbidden


class SignedInRequest(HttpRequest):
    """A request in a view behind `role_required`."""

    user: User


# Longer input is not carried through a page: the browser's Back button still has it.
KEPT_CHARACTERS = 1_000_000


def role_required(*roles: str) -> Callable:
    """Let in people with at least one of `roles`. Visitors who are not signed in go to the sign-in page, others get a
    plain 403.

    Without `roles`, everyone who is signed in is let in.
    """

    def decorate(view: Callable) -> Callable:
        @wraps(view)
        def guarded(request, *args, **kwargs):
            if not request.user.is_authenticated:
                return ask_to_sign_in(request)
            if roles and not request.user.has_role(*roles):
                if Role.ADMIN in roles and request.user.lacks_second_factor:
                    return ask_for_second_factor(request)
                needed = " or ".join(roles)
                raise Forbidden(
                    say("This page is for the role {needed}. An admin can give you that role.", needed=needed)
                )
            response = view(request, *args, **kwargs)
            if Role.ADMIN in roles:
                note_export(request, response)
            return response

        guarded.roles = roles  # type: ignore[attr-defined]  # read by the test that tries every page as every role
        return guarded

    return decorate


def note_export(request: HttpRequest, response: HttpResponseBase) -> None:
    """Record in the activity log that an admin downloads a file. Files of one's own work are not recorded: their
    names would tell other admins who judges what.
    """
    person = request.user
    is_file = response.get("Content-Disposition", "").startswith("attachment")
    if is_file and isinstance(person, User) and person.has_role(Role.ADMIN):
        Event.record(CoreAction.EXPORTED, person, actor=person, after={"address": request.get_full_path()[:500]})


SECOND_FACTOR_FIRST = (
    "Admins of this site need a second factor. Set one up on your account page; nothing was changed."
)


def ask_for_second_factor(request: HttpRequest) -> HttpResponse:
    """Lead an admin without a second factor to the page where it is set up.

    Raises Forbidden for what is sent, and for fragments.
    """
    if request.method not in ("GET", "HEAD") or request.headers.get("HX-Request"):
        raise Forbidden(SECOND_FACTOR_FIRST)
    messages.warning(request, say("Set up a second factor first: admins of this site need one."))
    return redirect("mfa_index")


def ask_to_sign_in(request: HttpRequest) -> HttpResponse:
    """Redirect to the sign-in page; if the request sends data, answer without losing any of it.

    A request by htmx gets a 401 with a link that opens beside the page. A posted form gets a page that holds the
    form's data and sends it again after signing in.
    """
    if request.headers.get("HX-Request"):
        return render(request, "_sign_in_first.html", {"sign_in": _sign_in_address(request)}, status=401)
    if request.method in ("GET", "HEAD"):
        return redirect_to_login(request.get_full_path())
    kept = [(name, value) for name, values in request.POST.lists() if "password" not in name for value in values]
    kept = [(name, value) for name, value in kept if name != "csrfmiddlewaretoken"]
    whole = not request.FILES and sum(len(name) + len(value) for name, value in kept) <= KEPT_CHARACTERS
    context = {"kept": kept if whole else None, "sign_in": resolve_url("account_login")}
    return render(request, "sign_in_first.html", context, status=401)


def _sign_in_address(request: HttpRequest) -> str:
    """The address of the sign-in page, which leads back to the page that sent the htmx request."""
    current = request.headers.get("HX-Current-URL", "")
    address = resolve_url("account_login")
    if not url_has_allowed_host_and_scheme(current, allowed_hosts={request.get_host()}):
        return address
    parts = urlsplit(current)
    return f"{address}?{urlencode({'next': parts.path + ('?' + parts.query if parts.query else '')})}"
