"""Suggestions by a model on the annotator's desk: requested with one click, offered beside the field, and put into it
only with another. Off until an admin names a model in the settings.

The app that knows models registers its `Suggester`; without one, suggestions are unavailable. That app handles the
request and its cost; this module handles the suggestion's later states.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.languages import in_sentence, say
from core.models import Project, User
from core.refusals import Refusal

from ..content.fields import FIELDS, Content, clean_content
from ..content.word_changes import KEPT, word_changes
from ..models import Annotation, ModelSuggestion, Suggestion, SuggestionOutcome, SuggestionState
from .drafts import FIELDS_DRAFTED
from .model_prompts import (
    PARTS,
    STANDALONE,
    NothingToSuggestFrom,
    UnreadableSuggestion,
    field_of,
    label_of,
    read_suggestion,
    write_prompt,
)

# Named as the model of a text that was drafted by rule.
RULE = "rule"


class Suggester(Protocol):
    """The interface that the app above provides."""

    def models(self) -> list[str]:
        """Names of the models that may be asked."""

    def ask(self, suggestion: ModelSuggestion) -> None:
        """Record the call for this suggestion, in the current transaction. Raises Refusal if the model cannot be
        asked."""

    def trouble(self, suggestion: ModelSuggestion) -> str:
        """The reason why there will be no reply; "" while one may still arrive."""

    def wake(self) -> None:
        """Have the call made once the transaction is committed. For views, tasks and commands."""


_suggesters: list[Suggester] = []


def on_suggestion(suggester: Suggester) -> None:
    """Register the app that makes suggestions."""
    _suggesters[:] = [suggester]


def models_that_suggest() -> list[str]:
    return _suggesters[0].models() if _suggesters else []


def suggestion_model() -> str:
    """The name of the model that annotators may ask; "" if suggestions by a model are off."""
    return Project.get().suggestion_model if _suggesters else ""


def wake_suggester() -> None:
    _suggesters[0].wake()


# --- One suggestion -----------------------------------------------------------------------------------------------


def ask_for_suggestion(*, annotation: Annotation, annotator: User, target: str, content: object) -> ModelSuggestion:
    """The open suggestion for this field or question; requests one if there is none. `content` is the form's current
    content.

    Asking twice has no further effect. Raises Refusal if suggestions by a model are off, the form lacks what a
    suggestion needs, or the model cannot be asked.
    """
    annotation.check_own(annotator)
    annotation.check_writable()
    model = suggestion_model()
    if not model:
        raise Refusal(say("Suggestions by a model are off in this project. No suggestion was requested."), status=404)
    if target not in PARTS:
        raise Refusal(say("There is no such field to suggest a text for. No suggestion was requested."), status=400)
    try:
        prompt = write_prompt(target, clean_content(content), paragraph=annotation.tag.paragraph_clean)
    except NothingToSuggestFrom as lacking:
        raise Refusal(say("{lacking} No suggestion was requested.", lacking=lacking.args[0]), status=400) from None
    if there := _open_suggestion(annotation, target):
        return there
    try:
        with transaction.atomic():
            suggestion = ModelSuggestion.objects.create(
                annotation=annotation, target=target, model=model, prompt=prompt
            )
            _suggesters[0].ask(suggestion)
    except IntegrityError:  # at the same moment, in another tab
        there = _open_suggestion(annotation, target)
        if there is None:
            raise
        return there
    return suggestion


def _open_suggestion(annotation: Annotation, target: str) -> ModelSuggestion | None:
    there = ModelSuggestion.objects.filter(
        annotation=annotation, target=target, state__in=SuggestionState.open()
    ).first()
    return there if there and look_at(there).state in SuggestionState.open() else None


def look_at(suggestion: ModelSuggestion) -> ModelSuggestion:
    """The suggestion in its current state: one whose reply will never come is marked as failed, with the reason."""
    if suggestion.state == SuggestionState.ASKED and (message := _suggesters[0].trouble(suggestion)):
        waiting = ModelSuggestion.objects.filter(pk=suggestion.pk, state=SuggestionState.ASKED)
        waiting.update(state=SuggestionState.FAILED, error=message)
        suggestion.refresh_from_db()
    return suggestion


@transaction.atomic
def deliver(suggestion_id: int, reply: str, *, problem: str = "") -> None:
    """Store the reply to a suggestion's call; `problem`, if given, says why the reply is not usable.

    A reply that comes after the suggestion was marked as failed is still offered, unless another suggestion is open
    by now. Never raises because of what a model wrote.
    """
    suggestion = ModelSuggestion.objects.select_for_update().get(pk=suggestion_id)
    if suggestion.state not in (SuggestionState.ASKED, SuggestionState.FAILED):
        return
    try:
        suggestion.texts = {} if problem else read_suggestion(suggestion.target, reply)
    except UnreadableSuggestion as unreadable:
        problem = str(unreadable)
    suggestion.error = problem
    suggestion.state = SuggestionState.FAILED if problem else SuggestionState.OFFERED
    try:
        with transaction.atomic():
            suggestion.save(update_fields=["state", "texts", "error"])
    except IntegrityError:
        suggestion.state, suggestion.error = (
            SuggestionState.FAILED,
            "The reply came too late: another suggestion had been asked for by then.",
        )
        suggestion.save(update_fields=["state", "texts", "error"])


@transaction.atomic
def decide_on_suggestion(*, suggestion: ModelSuggestion, annotator: User, is_used: bool) -> ModelSuggestion:
    """Use or reject the suggestion, once. Raises Refusal if the opposite was decided before or the suggestion is
    closed."""
    suggestion.annotation.check_own(annotator)
    suggestion.annotation.check_writable()
    decision = SuggestionState.ACCEPTED if is_used else SuggestionState.OWN
    offered = ModelSuggestion.objects.filter(pk=suggestion.pk, state=SuggestionState.OFFERED)
    decided = offered.update(state=decision, decided_at=timezone.now())
    suggestion.refresh_from_db()
    if not decided and suggestion.state != decision:
        raise Refusal(
            say(
                "This suggestion is “{state}” now. Nothing was changed.",
                state=in_sentence(suggestion.get_state_display()),
            )
        )
    return suggestion


# --- What the page shows ------------------------------------------------------------------------------------------


def suggestion_context(annotation: Annotation) -> dict[str, Any]:
    """The context of the desk's templates; empty if suggestions by a model are off or the annotation is closed."""
    model = annotation.suggestion_model if _suggesters else ""
    if not model or not annotation.is_writable:
        return {}
    there = annotation.has_model_suggestions is not False
    suggestions = list(ModelSuggestion.objects.filter(annotation=annotation)) if there else []
    for suggestion in suggestions:
        suggestion.annotation = annotation
    open_ones = [each for each in suggestions if look_at(each).state in SuggestionState.open()]
    return {
        "suggestion_model": model,
        "open_suggestions": {each.target: each for each in open_ones},
        "suggested_texts": [
            {"part": part, "target": each.target, "text": text, "model": each.model}
            for each in suggestions
            if each.state == SuggestionState.ACCEPTED
            for part, text in each.texts.items()
        ],
    }


def parts_of(suggestion: ModelSuggestion) -> list[tuple[str, str, str]]:
    """The part, label and text of each offered piece."""
    order = [part for part in PARTS[suggestion.target] if part in suggestion.texts]
    return [(part, label_of(suggestion.target, part), suggestion.texts[part]) for part in order]


# --- How much of the text is machine-made -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MachineShare:
    """Totals over some annotations: fields suggested by a model, their characters, and the number of these still as
    suggested.
    """

    fields: int = 0
    characters: int = 0
    as_drafted: int = 0

    @property
    def percent(self) -> float:
        return 100 * self.as_drafted / self.characters if self.characters else 0.0

    @property
    def words(self) -> str:
        return f"{self.fields:,} ({self.percent:.1f}% of their characters are still as suggested)"


def machine_made(annotation: Annotation, content: Content) -> list[dict[str, Any]]:
    """For each field whose final text still has some of a used suggestion, by a model or (`RULE`) drafted by rule:
    model, characters, and the number still as suggested.

    Questions move when one is removed, so a question is compared with all those suggested for this annotation.
    """
    drafted = [] if annotation.has_drafts is False else _drafted(annotation, content)
    return drafted + ([] if annotation.has_model_suggestions is False else _suggested(annotation, content))


def _drafted(annotation: Annotation, content: Content) -> list[dict[str, Any]]:
    rows = Suggestion.objects.filter(
        annotation=annotation, field__in=FIELDS_DRAFTED, outcome=SuggestionOutcome.ACCEPTED
    )
    kept = {row.field: _kept(row.suggested, content[row.field]) for row in rows}
    return [
        {"field": name, "model": RULE, "characters": len(content[name]), "as_drafted": count}
        for name, count in kept.items()
        if count
    ]


def _suggested(annotation: Annotation, content: Content) -> list[dict[str, Any]]:
    used = list(ModelSuggestion.objects.filter(annotation=annotation, state=SuggestionState.ACCEPTED))
    made = []
    for target, parts in PARTS.items() if used else ():
        for part in parts:
            name = field_of(target, part)
            suggestions = [
                each for each in used if part in each.texts and (part != STANDALONE or each.target == target)
            ]
            best = max(suggestions, key=lambda each: _kept(each.texts[part], content[name]), default=None)
            if best and (kept := _kept(best.texts[part], content[name])):
                made.append(
                    {"field": name, "model": best.model, "characters": len(content[name]), "as_drafted": kept}
                )
    return made


def _kept(suggested: str, final: str) -> int:
    return sum(len(change.text) for change in word_changes(suggested, final) if change.kind == KEPT)


def machine_share(annotations: QuerySet[Annotation], *, by_rule: bool = False) -> MachineShare:
    """Totals over these annotations, as last submitted: of texts by models, or of those drafted by rule."""
    rows = annotations.exclude(machine_made=[]).values_list("machine_made", flat=True)
    fields = [
        field for row in rows for field in row if field["field"] in FIELDS and (field["model"] == RULE) is by_rule
    ]
    return MachineShare(
        len(fields), sum(field["characters"] for field in fields), sum(field["as_drafted"] for field in fields)
    )
