"""The mark beside a field that leads to its comments."""

from django import template

register = template.Library()


@register.inclusion_tag("annotation/_comment_mark.html", takes_context=True)
def comment_mark(context: template.Context, name: str, label: str) -> dict[str, object]:
    """The mark of the field `name`; empty on a page without comments. An empty name means the whole annotation."""
    counts = context.get("comment_counts")
    if counts is None:
        return {}
    threads, are_open = counts.get(name, (0, 0))
    return {"pk": context["annotation"].pk, "name": name, "label": label, "threads": threads, "open": are_open}
