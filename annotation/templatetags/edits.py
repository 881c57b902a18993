"""Suggested edits at their fields, on the desk for reading and on the desk for writing."""

from django import template
from django.template import Context

from ..content.fields import FIELDS
from ..models import EditState
from ..reviewing.edits import text_fields

register = template.Library()


@register.inclusion_tag("annotation/_read_edits.html", takes_context=True)
def edits_at(context: Context, name: str) -> dict[str, object]:
    """The edits suggested for the field `name`, and a form to suggest one if the page offers that."""
    content, edits = context["content"], context["edits"].get(name, [])
    own = [edit for edit in edits if edit.state == EditState.OPEN and edit.suggested_by == context["user"]]
    # A comment nobody wrote needs no form.
    is_offered = context["may_suggest"] and (content[name] or not name.endswith("comment"))
    return {
        "field": FIELDS[name],
        "edits": edits,
        "own": own[0] if own else None,
        "current": content[name],
        "is_offered": is_offered and name in text_fields(content),
        "annotation": context["annotation"],
    }


@register.inclusion_tag("annotation/_desk_edits.html", takes_context=True)
def edits_to_take(context: Context, name: str) -> dict[str, object]:
    """The open edits suggested for the field `name`, ready to be taken or declined."""
    edits = [edit for edit in context["edits"].get(name, []) if edit.state == EditState.OPEN]
    return {"edits": edits, "field": context["field"], "annotation": context["annotation"]}


@register.filter
def count_open(edits: dict[str, list]) -> int:
    return sum(edit.state == EditState.OPEN for of_field in edits.values() for edit in of_field)
