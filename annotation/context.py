"""What every page's frame needs: the person's places and theme."""

from functools import partial

from django.http import HttpRequest

from .places import places_for


def navigation(request: HttpRequest) -> dict:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"places": [], "theme": "system"}
    # Counted only where a page has the frame: a fragment asks for none of it.
    shown = [(place, partial(place.waiting_for, user)) for place in places_for(user)]
    return {"places": shown, "theme": user.theme}
