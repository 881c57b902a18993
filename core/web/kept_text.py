"""Tells the browser that a form was accepted, so that it drops its copy of the text. See `static/scripts/keep.js`."""

import re

from django.conf import settings
from django.http import HttpRequest, HttpResponse

NUMBER = re.compile(r"[0-9a-f]{32}")
HOUR = 3600


class KeptTextMiddleware:
    """A form that was sent with a `kept_number` and answered with a redirect gets a cookie of that number.

    Only a redirect says that the form was accepted: refused ones are answered with a page. The cookie holds nothing
    but the number, which the page made up, and is read by its script.
    """

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.method == "POST" and response.status_code in (302, 303):
            number = request.POST.get("kept_number", "")
            if NUMBER.fullmatch(number):
                response.set_cookie(
                    f"kept-{number}", "1", max_age=HOUR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
                )
        return response
