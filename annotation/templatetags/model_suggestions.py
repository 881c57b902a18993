"""The part of a desk field where a model's suggestion is requested and shown."""

from typing import Any

from django import template

from ..assisting.model_suggestions import parts_of
from ..content.fields import FIELDS

register = template.Library()


@register.inclusion_tag("annotation/_model_suggestion_offer.html", takes_context=True)
def suggestion_offer(context: dict[str, Any], target: str) -> dict[str, Any]:
    """The context of the offer; empty if suggestions by a model are off."""
    if not context.get("suggestion_model"):
        return {}
    suggestion = context["open_suggestions"].get(target)
    return {
        "suggestion_model": context["suggestion_model"],
        "annotation": context["annotation"],
        "kind": target if target in ("A", "B") else "question",
        "suggestion": suggestion,
        "parts": parts_of(suggestion) if suggestion else [],
    }


@register.filter
def field_label(name: str) -> str:
    return FIELDS[name].label if name in FIELDS else name
