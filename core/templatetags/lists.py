"""Parts of lists: the active filters, and the person's saved views."""

from collections.abc import Iterable

from django import template
from django.template.context import RequestContext
from django.template.defaulttags import querystring
from django.utils.html import format_html

from ..languages import say
from ..models import SavedView
from ..navigation import saved_views as rules

register = template.Library()


@register.inclusion_tag("_saved_views.html", takes_context=True)
def saved_views(context: RequestContext) -> dict[str, object]:
    """The person's views of the current list, and a form to save it if its filters are not saved yet."""
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


@register.inclusion_tag("_filter_chips.html", takes_context=True)
def filter_chips(
    context: RequestContext, name: str, offered: Iterable[tuple], chosen: str, label: str
) -> dict[str, object]:
    """A link for each value of a filter, and one for all. `offered` has value, words and, if known, the number of
    rows.
    """
    values = (("", say("All")), *offered)
    addresses = [querystring(context, **{name: value or None, "page": None}) for value, *_ in values]
    return {"label": label, "chosen": chosen or "", "chips": list(zip(addresses, values, strict=True))}


@register.simple_block_tag(takes_context=True)
def chip_off(context: RequestContext, content: str, *names: str) -> str:
    """A link that removes these filters from the address; its words are the content of the tag."""
    return format_html(
        '<li><a class="chip" href="{}">{} <span aria-hidden="true">×</span>'
        '<span class="visually-hidden">{}</span></a></li>',
        querystring(context, **dict.fromkeys([*names, "page"])),
        content,
        say(", remove filter"),
    )
