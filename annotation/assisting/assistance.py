"""Help while an annotator writes: words that need resolving, suggestions and drafts, and their outcomes."""

from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.languages import say
from core.models import Project, User
from core.refusals import Refusal

from .. import taxonomy
from ..content.checks import is_empty
from ..content.fields import Content, clean_content
from ..models import Annotation, PassageSource, Suggestion, SuggestionOutcome
from .drafts import FIELDS_DRAFTED, LONGEST_DRAFT, SPANS, drafts_for
from .references import find_references
from .suggestions import Picked, suggest


def help_with(*, annotation: Annotation, content: object) -> dict[str, Any]:
    """Return, for the form's current content, the references in each stand-alone version, suggested codes, the kind
    of each question, and drafts of fields.

    Offsets are counted in UTF-16 units, as browsers do. Raises Refusal if `content` is not a form's content.
    """
    cleaned = clean_content(content)
    is_on = Project.get().suggestions_on
    drafts = drafts_for(cleaned).texts if is_on else {}
    suggested = suggest(_with_spans(cleaned, drafts), picked_from(annotation)) if is_on else None
    return {
        "drafts": drafts,
        "references": references_in(cleaned),
        "suggestions": suggested.by_field() if suggested else {},
        "questions": list(suggested.questions) if suggested else [],
    }


def _with_spans(content: Content, drafts: dict[str, str]) -> Content:
    """The content with the drafts of blank spans. From them the semantic type is suggested, and one key uses both."""
    return content | {name: drafts[name] for name in SPANS if name in drafts and is_empty(content[name])}


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


def _units(text: str, at: int) -> int:
    return len(text[:at].encode("utf-16-le", "surrogatepass")) // 2


def _references(content: Content, letter: str) -> list[dict[str, Any]]:
    text = content[f"paragraph{letter}_information_standalone"]
    found = find_references(text, content[f"paragraph{letter}_article"])
    return [asdict(one) | {"start": _units(text, one.start), "end": _units(text, one.end)} for one in found]


@transaction.atomic
def record_suggestion(*, annotation: Annotation, annotator: User, field: str, suggested: str, outcome: str) -> None:
    """Store what was suggested for a field, a code or a draft, and whether it was taken. Raises Refusal if the values
    are not valid.
    """
    annotation.check_own(annotator)
    if not _may_be_suggested(field, suggested) or outcome not in SuggestionOutcome.values:
        raise Refusal(say("There is no such suggestion. Nothing was changed."), status=400)
    annotation.check_writable()
    Suggestion.objects.update_or_create(
        annotation=annotation,
        field=field,
        defaults={"suggested": suggested, "outcome": outcome, "at": timezone.now()},
    )


def _may_be_suggested(field: str, suggested: str) -> bool:
    if field in FIELDS_DRAFTED:
        return 0 < len(suggested) <= LONGEST_DRAFT
    dimension = taxonomy.BY_KEY.get(field)
    return dimension is not None and any(option.code == suggested for option in dimension.options)
