"""Signing in with an account elsewhere, and connecting it to one's account here."""

from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.openid_connect.views import callback as allauth_callback
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from requests import RequestException

from ...accounts import people
from ...accounts.confirming import confirm_first
from ...languages import say
from ...refusals import Refusal
from ...sign_in.oidc import TOKEN
from ...web.access import SignedInRequest, role_required
from ...web.acts import page_before

UNREACHABLE = "The other site cannot be reached at the moment. Try again in a minute, or sign in with your password."


@never_cache
@require_POST
def sign_in(request: HttpRequest) -> HttpResponse:
    """Lead to the provider. A visitor with an invitation's link keeps it meanwhile."""
    if token := request.POST.get("invitation", ""):
        people.invitation_for(token)
        request.session[TOKEN] = token
    return _lead(request, "login")


@role_required()
@require_POST
@confirm_first
def connect(request: SignedInRequest) -> HttpResponse:
    return _lead(request, "connect")


@role_required()
@require_POST
@confirm_first
def disconnect(request: SignedInRequest) -> HttpResponse:
    if not request.user.has_usable_password():
        raise Refusal(say("Choose a password first: ask an admin for a link. Otherwise you could no longer sign in."))
    for row in SocialAccount.objects.filter(user=request.user):
        row.delete()
    messages.success(
        request, say("Your account is no longer connected with {oidc_name}.", oidc_name=settings.OIDC_NAME)
    )
    return redirect("account")


@role_required()
@require_GET
def confirm(request: SignedInRequest) -> HttpResponse:
    """The page on which a person without a password confirms who they are by signing in again."""
    return render(request, "account/confirm_by_provider.html", {"next": request.GET.get("next", "")})


def callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    """The address to which the provider leads back."""
    return allauth_callback(request, provider_id)


@require_GET
def cancelled(request: HttpRequest) -> HttpResponse:
    messages.info(request, say("You were not signed in: it was cancelled at the other site."))
    return redirect("account_login")


def _lead(request: HttpRequest, process: str) -> HttpResponse:
    if not settings.OIDC_ISSUER:
        raise Http404
    provider = get_adapter().get_provider(request, settings.OIDC_PROVIDER)
    try:
        return provider.redirect(request, process, next_url=page_before(request) or None)
    except RequestException:
        raise Refusal(UNREACHABLE, status=503) from None
