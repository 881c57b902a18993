"""The values for every page's frame: the person's navigation and theme."""

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation

from ..languages import say
from ..models import User
from ..navigation import Menu, tour_called

# Short, for the menu.
THEMES = [
    (User.Theme.SYSTEM.value, say("System")),
    (User.Theme.LIGHT.value, say("Light")),
    (User.Theme.DARK.value, say("Dark")),
]


def navigation(request: HttpRequest) -> dict:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"theme": "system", "oidc_name": settings.OIDC_NAME, **languages()}
    found = {"menu": Menu(user, request.path), "theme": user.theme, "themes": THEMES, "oidc_name": settings.OIDC_NAME}
    found |= languages()
    if role := request.GET.get("tour"):
        found["tour"] = tour_called(role, user)
    return found


def languages() -> dict:
    return {"language": translation.get_language() or settings.LANGUAGE_CODE, "languages": settings.LANGUAGES}
