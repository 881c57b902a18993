"""An instance as its benchmark shows it; made of an annotation, as two passages with their contradicted spans."""

from collections.abc import Mapping

from django import template

from ..content.instances import Conflict
from ..content.marking import Piece, mark_spans
from ..kinds.registry import benchmark
from ..models import Instance
from ..releases.spans import spans_of

register = template.Library()


@register.simple_tag
def marked_passages(instance: Instance) -> list[list[Piece]]:
    """Passages 1 and 2 in pieces for `annotation/_marked.html`."""
    spans = spans_of([instance])[instance.pk]
    conflict = Conflict.of(instance)
    both = conflict.same_passage
    one, two = ({of: span for of, span in spans.items() if both or of == number} for number in (1, 2))
    return [mark_spans(conflict.passage_1, one), mark_spans(conflict.passage_2, two)]


@register.simple_tag
def instance_template(instance: Instance) -> str:
    """The template that shows an instance of its benchmark."""
    return benchmark(instance.benchmark).template


@register.simple_tag
def about_instance(instance: Instance) -> Mapping[str, object]:
    """The values that the template shows besides the instance itself."""
    return benchmark(instance.benchmark).about(instance)
