"""Signs in as one of the sample people with one click, on the machine of a first start. Never on a server."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from ..accounts.sample_people import TO_TRY, demo_people
from ..accounts.second_factor import has_second_factor
from ..models import User
from ..web.client_address import client_address, is_on_this_machine


def is_offered_to(request: HttpRequest) -> bool:
    """Return whether this request may sign in as a sample person without a password: the site is for this machine
    only, and the request comes from it, not through a proxy.
    """
    through_a_proxy = any(name in request.META for name in ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_VIA"))
    return settings.SITE_IS_LOCAL and not through_a_proxy and is_on_this_machine(client_address(request))


def for_samples(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """For a view of sample people: elsewhere, or once all of them have another password, there is no such page."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        people = [each for each in demo_people() if not has_second_factor(each)] if is_offered_to(request) else []
        if not people:
            raise Http404
        return view(request, people, *args, **kwargs)

    return guarded


@for_samples
@require_GET
def sample_roles(request: HttpRequest, people: list[User]) -> HttpResponse:
    return render(
        request, "account/sample_roles.html", {"people": [(each, TO_TRY[each.username]) for each in people]}
    )


@for_samples
@require_POST
def sample_sign_in(request: HttpRequest, people: list[User], name: str) -> HttpResponse:
    person = next((each for each in people if each.username == name), None)
    if person is None:
        raise Http404
    login(request, person, backend=settings.AUTHENTICATION_BACKENDS[0])
    return redirect(f"{reverse('home')}?welcome")
