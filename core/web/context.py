"""What every page's frame needs: the person's nav items and theme."""

from functools import partial

from django.http import HttpRequest

from ..navigation import nav_items_for


def navigation(request: HttpRequest) -> dict:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"nav_items": [], "theme": "system"}
    # Counted only if the page has the frame: a fragment uses none of it.
    shown = [(nav_item, partial(nav_item.waiting_for, user)) for nav_item in nav_items_for(user)]
    return {"nav_items": shown, "theme": user.theme}
