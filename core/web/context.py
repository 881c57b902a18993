"""The values for every page's frame: the person's navigation and theme."""

from django.http import HttpRequest

from ..models import User
from ..navigation import Menu

# Short, for the menu.
THEMES = [(User.Theme.SYSTEM.value, "System"), (User.Theme.LIGHT.value, "Light"), (User.Theme.DARK.value, "Dark")]


def navigation(request: HttpRequest) -> dict:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"theme": "system"}
    return {"menu": Menu(user, request.path), "theme": user.theme, "themes": THEMES}
