"""The language of a request: the person's, else that of the browser's cookie, else English.

The browser's `Accept-Language` does not count: nobody should get another language without having chosen it.
"""

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation

from .texts import ENGLISH

# Programs get English whoever asks, and these are asked where no session can be read.
ALWAYS_ENGLISH = ("/api/v1/", "/health/", "/ready/", "/metrics/", "/csp-report/")
COOKIE_SECONDS = 60 * 60 * 24 * 365


class LanguageMiddleware:
    """Answers in the language of the request. What is sent after the view has ended, such as a long export, is
    English.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with translation.override(language_of(request)):
            return self.get_response(request)


def language_of(request: HttpRequest) -> str:
    if request.path_info.startswith(ALWAYS_ENGLISH):
        return ENGLISH
    chosen = request.user.language if SESSION_KEY in request.session and request.user.is_authenticated else ""
    kept = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    return chosen or (kept if kept in dict(settings.LANGUAGES) else ENGLISH)


def keep_in_browser(response: HttpResponseBase, language: str) -> None:
    """Set the cookie that says the language where nobody is signed in."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=COOKIE_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
