"""What every page's frame needs: the person's places and theme."""

from django.http import HttpRequest

from .places import places_for


def navigation(request: HttpRequest) -> dict:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"places": [], "theme": "system"}
    return {"places": places_for(user), "theme": user.theme}
