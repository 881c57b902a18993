"""The values for every page's frame: the person's navigation and theme."""

from django.conf import settings
from django.http import HttpRequest

from ..models import User
from ..navigation import Menu, tour_called

# Short, for the menu.
THEMES = [(User.Theme.SYSTEM.value, "System"), (User.Theme.LIGHT.value, "Light"), (User.Theme.DARK.value, "Dark")]


def navigation(request: HttpRequest) -> dict:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"theme": "system", "oidc_name": settings.OIDC_NAME}
    found = {"menu": Menu(user, request.path), "theme": user.theme, "themes": THEMES, "oidc_name": settings.OIDC_NAME}
    if role := request.GET.get("tour"):
        found["tour"] = tour_called(role, user)
    return found
