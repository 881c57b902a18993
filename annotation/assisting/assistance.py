"""Help while an annotator writes: words that need resolving, and suggestions with their outcomes."""

from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.models import Project, User
from core.refusals import Refusal

from .. import taxonomy
from ..content.fields import Content, clean_content
from ..models import Annotation, PassageSource, Suggestion, SuggestionOutcome
from .references import find_references
from .suggestions import Picked, suggest


def help_with(*, annotation: Annotation, content: object) -> dict[str, Any]:
    """Return, for the form's current content, the references in each stand-alone version, suggested codes, and the
    kind of each question.

    Offsets are counted in UTF-16 units, as browsers do. Raises Refusal if `content` is not a form's content.
    """
    cleaned = clean_content(content)
    suggested = suggest(cleaned, picked_from(annotation)) if Project.get().suggestions_on else None
    return {
        "references": references_in(cleaned),
        "suggestions": suggested.by_field() if suggested else {},
        "questions": list(suggested.questions) if suggested else [],
    }


def picked_from(annotation: Annotation) -> tuple[Picked, Picked]:
    """The origin of each passage's selection. A passage selected from both text and a table counts as text."""
    rows = PassageSource.objects.filter(passage__annotation=annotation)
    kinds: dict[int, list[tuple[str, str]]] = {1: [], 2: []}
    for position, kind, language in rows.values_list("passage__position", "kind", "evidence__language"):
        kinds[position].append((kind, language))
    one, two = (_picked(kinds[position]) for position in (1, 2))
    return one, two


def _picked(found: list[tuple[str, str]]) -> Picked:
    if not found:
        return Picked()
    kinds = [kind for kind, _ in found]
    return Picked(kind="text" if "text" in kinds else kinds[0], language=found[0][1])


def references_in(content: Content) -> dict[str, list[dict[str, Any]]]:
    """The words of each stand-alone version that may need their context, with offsets in UTF-16 units."""
    return {letter: _references(content, letter) for letter in "AB"}


def _references(content: Content, letter: str) -> list[dict[str, Any]]:
    text = content[f"paragraph{letter}_information_standalone"]
    found = find_references(text, content[f"paragraph{letter}_article"])

    def units(at: int) -> int:
        return len(text[:at].encode("utf-16-le", "surrogatepass")) // 2

    return [asdict(one) | {"start": units(one.start), "end": units(one.end)} for one in found]


@transaction.atomic
def record_suggestion(*, annotation: Annotation, annotator: User, field: str, suggested: str, outcome: str) -> None:
    """Store what was suggested for a field and whether it was taken. Raises Refusal if the values are not valid."""
    annotation.check_own(annotator)
    dimension = taxonomy.BY_KEY.get(field)
    known = dimension is not None and any(option.code == suggested for option in dimension.options)
    if not known or outcome not in SuggestionOutcome.values:
        raise Refusal("There is no such suggestion. Nothing was changed.", status=400)
    annotation.check_writable()
    Suggestion.objects.update_or_create(
        annotation=annotation,
        field=field,
        defaults={"suggested": suggested, "outcome": outcome, "at": timezone.now()},
    )
