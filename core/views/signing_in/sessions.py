"""Pages about a person's own sessions."""

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from ...accounts import tokens
from ...languages import say
from ...sign_in import sessions as rules
from ...web.access import SignedInRequest, role_required


@role_required()
@require_GET
def sessions(request: SignedInRequest) -> HttpResponse:
    shown = rules.sessions_of(request.user, current=request.session.session_key)
    context = {
        "sessions": shown,
        "tokens": [token for token in tokens.tokens_of(request.user) if token.is_usable()],
        "idle_minutes": settings.IDLE_MINUTES,
    }
    return render(request, "account/sessions.html", context)


@role_required()
@require_POST
def end(request: SignedInRequest, pk: int) -> HttpResponse:
    if not rules.end_session(person=request.user, pk=pk):
        raise Http404
    messages.success(request, say("That browser is signed out."))
    return redirect("account_sessions")


@role_required()
@require_POST
def end_everywhere(request: SignedInRequest) -> HttpResponse:
    """Sign out everywhere else, and here too if the person asks for that."""
    person = request.user
    rules.end_everywhere(person=person, tokens=bool(request.POST.get("tokens")))
    if request.POST.get("here"):
        return redirect("account_login")
    update_session_auth_hash(request, person)
    UserSession.objects.create_from_request(request)
    messages.success(request, say("You are signed out in all other browsers."))
    return redirect("account_sessions")
