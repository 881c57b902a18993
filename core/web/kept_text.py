"""Tells the browser that a form was accepted, so it drops its copy of the text. See `static/scripts/keep.js`."""

import re

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

NUMBER = re.compile(r"[0-9a-f]{32}")
HOUR = 3600


def accepted(request: HttpRequest) -> None:
    """Mark a form as accepted although it is answered with a page rather than a redirect."""
    request.accepted_text = True  # type: ignore[attr-defined]


class KeptTextMiddleware(MiddlewareMixin):
    """If a form was sent with a `kept_number` and accepted, set a cookie with that number.

    A redirect means that it was accepted, or the view marks it (`accepted`): a refused form is answered with a page.
    The cookie holds nothing but the number, which the page's script made up and reads back.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        was_accepted = response.status_code in (302, 303) or hasattr(request, "accepted_text")
        if request.method == "POST" and was_accepted:
            number = request.POST.get("kept_number", "")
            if NUMBER.fullmatch(number):
                response.set_cookie(
                    f"kept-{number}", "1", max_age=HOUR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
                )
        return response
