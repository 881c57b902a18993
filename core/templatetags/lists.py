"""What every list has: the views of it that a person saved."""

from typing import Any

from django import template
from django.template.context import RequestContext

from ..models import SavedView
from ..navigation import saved_views as rules

register = template.Library()


@register.inclusion_tag("_saved_views.html", takes_context=True)
def saved_views(context: RequestContext) -> dict[str, Any]:
    """The person's views of the list at hand, and a form to save it where it has filters that none of them has."""
    request = context["request"]
    here = rules.search_of(request.GET)
    views = rules.views_of(request.user, request.path)
    return {
        "views": views,
        "here": here,
        "path": request.path,
        "may_save": bool(here) and all(view.search != here for view in views),
        "most": SavedView.NAME_LENGTH,
        "csrf_token": context["csrf_token"],
    }
