"""Your own account, the links that open accounts, and signing in where allauth's own view is not enough."""

from allauth.account.utils import perform_login
from allauth.account.views import password_change, password_reset
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from ..accounts import people, tokens
from ..accounts.confirming import confirm_to_read
from ..accounts.forms import JoinForm, LanguageForm, MailForm, NameForm, NewPasswordForm, ThemeForm, TokenForm
from ..keeping.sending import held_folders
from ..languages import say
from ..languages.choosing import keep_in_browser
from ..leaving.own_data import data_of
from ..models import ROLE_WORDS, AccessToken, Invitation, Role, User
from ..notices.mail import set_mail as set_mail_choices
from ..refusals import Refusal
from ..web.access import SignedInRequest, role_required
from ..web.acts import page_before
from ..web.files import as_json, download
from ..web.kept_text import accepted
from ..web.middleware import refusal_response


@role_required()
@require_GET
def account(request: SignedInRequest) -> HttpResponse:
    return _account_page(request)


@role_required()
@require_POST
def set_name(request: SignedInRequest) -> HttpResponse:
    form = NameForm(request.POST, instance=User.objects.get(pk=request.user.pk))
    if not form.is_valid():
        return _account_page(request, name_form=form, status=400)
    people.set_name(person=request.user, **form.cleaned_data)
    messages.success(request, say("Your name is saved."))
    return redirect("account")


@role_required()
def change_password(request: SignedInRequest) -> HttpResponseBase:
    """allauth's page, for accounts that have a password: who signs in with another site's account may have none."""
    if not request.user.has_usable_password():
        raise Refusal(
            say(
                "Your account has no password: you sign in another way. An admin can create a password link for you. "
                "Nothing was changed."
            )
        )
    return password_change(request)


@role_required()
@require_POST
def set_theme(request: SignedInRequest) -> HttpResponse:
    form = ThemeForm(request.POST)
    if not form.is_valid():
        return _account_page(request, theme_form=form, status=400)
    people.set_theme(person=request.user, theme=form.cleaned_data["theme"])
    if request.headers.get("HX-Request"):
        return HttpResponse(status=204)
    return redirect(page_before(request) or reverse("account"))


@require_http_methods(["GET", "HEAD", "POST"])
def set_language(request: HttpRequest) -> HttpResponse:
    """Choose the language of pages: of the signed-in person, or before that of this browser."""
    if request.method != "POST":
        return redirect("account")
    form = LanguageForm(request.POST)
    if not form.is_valid():
        raise Refusal(say("Choose one of the languages that the page offers."), status=400)
    language = form.cleaned_data["language"]
    if request.user.is_authenticated:
        people.set_language(person=request.user, language=language)
    response = redirect(
        page_before(request) or reverse("account" if request.user.is_authenticated else "account_login")
    )
    keep_in_browser(response, language)
    return response


@role_required()
@require_POST
def set_mail(request: SignedInRequest) -> HttpResponse:
    form = MailForm(request.POST)
    if not form.is_valid():
        return _account_page(request, mail_form=form, status=400)
    set_mail_choices(person=request.user, mail=form.cleaned_data["mail"], kinds=form.chosen_by_kind)
    messages.success(request, say("Your email settings are saved."))
    return redirect("account")


@role_required()
@never_cache
@require_POST
def make_token(request: SignedInRequest) -> HttpResponse:
    """Show the token, this once. It is in the answer to the POST itself, so that it is stored nowhere."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _account_page(request, token_form=form, status=400)
    chosen = form.cleaned_data
    row, token = tokens.make_token(
        person=request.user,
        name=chosen["name"],
        may_work="work" in chosen["scopes"],
        may_administer="admin" in chosen["scopes"],
        days=chosen["days"],
    )
    accepted(request)
    return render(request, "account/token_made.html", {"row": row, "token": token})


@role_required()
@require_GET
@confirm_to_read
def own_data(request: SignedInRequest) -> HttpResponseBase:
    return download("my-data.json", as_json(data_of(request.user, reader=request.user)))


@role_required()
@require_POST
def revoke_token(request: SignedInRequest, pk: int) -> HttpResponse:
    row = get_object_or_404(AccessToken, pk=pk, person=request.user)
    tokens.revoke_token(token=row, person=request.user)
    messages.success(request, say("The token “{name}” no longer works.", name=row.name))
    return redirect("account")


def _account_page(request: SignedInRequest, *, status: int = 200, **refused: BaseForm) -> HttpResponse:
    """The page; a form that was `refused` is shown with what was typed."""
    context = {
        "roles": [ROLE_WORDS[Role(name)] for name in sorted(request.user.roles)],
        "name_form": NameForm(instance=request.user),
        "theme_form": ThemeForm(initial={"theme": request.user.theme}),
        "mail_form": MailForm.of(request.user),
        "mails": settings.MAIL_CONFIGURED,
        "mail_is_held": bool(held_folders()),  # not `may_send`, which may write
        "mail_hour": f"{settings.MAIL_HOUR}:00",
        "token_form": TokenForm(),
        "tokens": tokens.tokens_of(request.user),
        "is_connected": SocialAccount.objects.filter(user=request.user).exists(),
    }
    return render(request, "account/account.html", context | refused, status=status)


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """The page behind an invitation's link: make an account, or choose a new password."""
    invitation = people.invitation_for(token)
    if request.user.is_authenticated and request.user != invitation.person:
        return render(request, "account/join_signed_in.html", {"invitation": invitation})
    data = request.POST if request.method == "POST" else None
    if invitation.person:
        form = NewPasswordForm(data, user=invitation.person)
    else:
        form = JoinForm(data, email=invitation.email)
    if not form.is_valid():
        return render(request, "account/join.html", {"invitation": invitation, "form": form, "token": token})
    person = _open_account(invitation, form.cleaned_data)
    # By allauth, so that a second factor is asked for: a link by mail is no reason to go without.
    welcome = None if invitation.person else f"{reverse('home')}?welcome"
    return perform_login(request, person, redirect_url=welcome)


def _open_account(invitation: Invitation, chosen: dict) -> User:
    if invitation.person:
        return people.choose_password(invitation=invitation, **chosen)
    return people.accept_invitation(invitation=invitation, **chosen)


def forgotten_password(request: HttpRequest) -> HttpResponse:
    """Send a password link by email; if the server sends no email, say who can help instead."""
    if not settings.MAIL_CONFIGURED:
        return render(request, "account/password_reset_by_admin.html")
    return password_reset(request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    message = say(
        "The page you sent this from is older than your sign-in, or your browser blocks cookies for this site. "
        "Nothing was changed. Go back: your text is still there. Copy it, reload that page, and send it again."
    )
    get_token(request)  # a browser without the cookie gets one
    response = refusal_response(request, message, 403)
    response["X-Refused"] = "token"  # our scripts send the request again with the token of now
    return response
