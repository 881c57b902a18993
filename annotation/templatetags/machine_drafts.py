"""The place at a field of the desk where a language model's draft is asked for and shown."""

from typing import Any

from django import template

from ..desk.content import FIELDS
from ..desk.drafting import parts_of

register = template.Library()


@register.inclusion_tag("annotation/_machine_draft_place.html", takes_context=True)
def draft_place(context: dict[str, Any], target: str) -> dict[str, Any]:
    """Empty where drafting is off."""
    if not context.get("drafting_model"):
        return {}
    draft = context["open_drafts"].get(target)
    return {
        "drafting_model": context["drafting_model"],
        "annotation": context["annotation"],
        "kind": target if target in ("A", "B") else "question",
        "draft": draft,
        "parts": parts_of(draft) if draft else [],
    }


@register.filter
def field_label(name: str) -> str:
    return FIELDS[name].label if name in FIELDS else name
