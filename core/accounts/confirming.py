"""Acts that a person confirms: whoever sits down at an open browser can do none of them."""

import time
from collections.abc import Callable
from functools import wraps
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import get_authentication_records
from allauth.core.exceptions import ReauthenticationRequired
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from ..web.acts import page_before


def confirmed_recently(request: HttpRequest) -> bool:
    """Return whether the person signed in, or confirmed who they are, within the time that the settings give."""
    times = [record["at"] for record in get_authentication_records(request, request.user)]
    return bool(times) and time.time() - max(times) < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT


def confirm_first(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Have the person confirm who they are before what they send is acted upon; it is then sent on. Put it below
    `role_required`.
    """
    return _confirm(view, reading=False)


def confirm_to_read(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Like `confirm_first`, for pages and files that not even a reader at an open browser may see."""
    return _confirm(view, reading=True)


def _confirm(view: Callable[..., HttpResponseBase], *, reading: bool) -> Callable[..., HttpResponseBase]:

    @wraps(view)
    def confirmed(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if (request.method in ("GET", "HEAD") and not reading) or confirmed_recently(request):
            return view(request, *args, **kwargs)
        if get_adapter().get_reauthentication_methods(request.user):
            raise ReauthenticationRequired  # allauth keeps the form and leads on
        back = request.get_full_path() if request.method == "GET" else page_before(request) or reverse("home")
        return redirect(f"{reverse('confirm_by_provider')}?{urlencode({'next': back})}")

    return confirmed
