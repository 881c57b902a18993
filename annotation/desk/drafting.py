"""Drafts by a language model on the annotator's desk: asked for with a press, offered beside the field, never put in
without another press. Off until an admin names a model in the settings.

The app that knows models registers its `Drafter`; without one there is nothing to ask. What is asked, and what it
costs, is that app's business; what becomes of a draft is decided here.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from ..errors import Forbidden, Refusal
from ..models import Annotation, DraftState, MachineDraft, Project, User
from .content import FIELDS, Content, clean_content
from .draft_prompts import (
    PARTS,
    STANDALONE,
    NothingToDraftFrom,
    UnreadableDraft,
    field_of,
    label_of,
    read_draft,
    write_prompt,
)
from .word_changes import KEPT, word_changes


class Drafter(Protocol):
    """What the app above offers."""

    def models(self) -> list[str]:
        """Names of the models that may be asked."""

    def ask(self, draft: MachineDraft) -> None:
        """Write down the call for a draft that is asked for, in this transaction. Raises Refusal."""

    def trouble(self, draft: MachineDraft) -> str:
        """Why no reply came, or none will; empty while one may still come by itself."""

    def wake(self) -> None:
        """Have the call made, once the transaction is committed. For doors."""


_drafters: list[Drafter] = []


def on_draft(drafter: Drafter) -> None:
    """Have this asked for drafts."""
    _drafters[:] = [drafter]


def models_that_draft() -> list[str]:
    return _drafters[0].models() if _drafters else []


def drafting_model(project: Project) -> str:
    """The model that annotators may ask; empty where drafting is off."""
    return project.drafting_model if _drafters else ""


def wake_drafter() -> None:
    _drafters[0].wake()


# --- One draft ----------------------------------------------------------------------------------------------------


def ask_for_draft(*, annotation: Annotation, annotator: User, target: str, content: object) -> MachineDraft:
    """The open draft for this field or question, asked for now unless there is one. `content` is the form as it is.

    Asking twice is asking once. Raises Refusal where drafting is off, the form lacks what a draft is made of, or the
    model cannot be asked.
    """
    _check_own(annotation, annotator)
    model = drafting_model(Project.get())
    if not model:
        raise Refusal("Drafts are off in this project. Nothing was asked.", status=404)
    if target not in PARTS:
        raise Refusal("There is no such field to draft. Nothing was asked.", status=400)
    try:
        prompt = write_prompt(target, clean_content(content), paragraph=annotation.tag.paragraph_clean)
    except NothingToDraftFrom as lacking:
        raise Refusal(f"{lacking} Nothing was asked.", status=400) from None
    if there := _open_draft(annotation, target):
        return there
    try:
        with transaction.atomic():
            draft = MachineDraft.objects.create(annotation=annotation, target=target, model=model, prompt=prompt)
            _drafters[0].ask(draft)
    except IntegrityError:  # in this instant, in another tab
        there = _open_draft(annotation, target)
        if there is None:
            raise
        return there
    return draft


def _open_draft(annotation: Annotation, target: str) -> MachineDraft | None:
    there = MachineDraft.objects.filter(annotation=annotation, target=target, state__in=DraftState.open()).first()
    return there if there and look_at(there).state in DraftState.open() else None


def look_at(draft: MachineDraft) -> MachineDraft:
    """The draft as it is now: one whose reply will not come has failed, and says why."""
    if draft.state == DraftState.ASKED and (message := _drafters[0].trouble(draft)):
        waiting = MachineDraft.objects.filter(pk=draft.pk, state=DraftState.ASKED)
        waiting.update(state=DraftState.FAILED, error=message)
        draft.refresh_from_db()
    return draft


@transaction.atomic
def deliver(draft_id: int, reply: str, *, problem: str = "") -> None:
    """The reply to a draft's call came; `problem` says why it is no answer.

    A reply that comes late, when the draft counted as failed, is offered all the same, unless another draft has its
    place by now. Never raises for what a model wrote.
    """
    draft = MachineDraft.objects.select_for_update().get(pk=draft_id)
    if draft.state not in (DraftState.ASKED, DraftState.FAILED):
        return
    try:
        draft.texts = {} if problem else read_draft(draft.target, reply)
    except UnreadableDraft as unreadable:
        problem = str(unreadable)
    draft.error = problem
    draft.state = DraftState.FAILED if problem else DraftState.OFFERED
    try:
        with transaction.atomic():
            draft.save(update_fields=["state", "texts", "error"])
    except IntegrityError:
        draft.state, draft.error = DraftState.FAILED, "The reply came late, when another draft was asked for."
        draft.save(update_fields=["state", "texts", "error"])


@transaction.atomic
def decide_on_draft(*, draft: MachineDraft, annotator: User, is_used: bool) -> MachineDraft:
    """Use the draft or leave it, once. Raises Refusal where it was decided otherwise, or the annotation is closed."""
    _check_own(draft.annotation, annotator)
    decision = DraftState.ACCEPTED if is_used else DraftState.OWN
    offered = MachineDraft.objects.filter(pk=draft.pk, state=DraftState.OFFERED)
    decided = offered.update(state=decision, decided_at=timezone.now())
    draft.refresh_from_db()
    if not decided and draft.state != decision:
        raise Refusal(f"This draft is “{draft.get_state_display().lower()}” by now. Nothing was changed.")
    return draft


def _check_own(annotation: Annotation, annotator: User) -> None:
    if annotation.annotator_id != annotator.pk:
        raise Forbidden("This annotation is somebody else's. Nothing was changed.")
    if not annotation.is_writable:
        raise Refusal(f"This annotation is “{annotation.get_state_display()}” by now. Nothing was changed.")


# --- What the page shows ------------------------------------------------------------------------------------------


def drafting_context(annotation: Annotation, project: Project) -> dict[str, Any]:
    """What the desk's templates need; nothing where drafting is off or the annotation is closed."""
    model = drafting_model(project)
    if not model or not annotation.is_writable:
        return {}
    drafts = list(MachineDraft.objects.filter(annotation=annotation))
    for draft in drafts:
        draft.annotation = annotation
    return {
        "drafting_model": model,
        "open_drafts": {each.target: each for each in drafts if look_at(each).state in DraftState.open()},
        "drafted_texts": [
            {"part": part, "target": each.target, "text": text, "model": each.model}
            for each in drafts
            if each.state == DraftState.ACCEPTED
            for part, text in each.texts.items()
        ],
    }


def parts_of(draft: MachineDraft) -> list[tuple[str, str, str]]:
    """Part, label and text of what is offered."""
    order = [part for part in PARTS[draft.target] if part in draft.texts]
    return [(part, label_of(draft.target, part), draft.texts[part]) for part in order]


# --- How much of the text is machine-made -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MachineShare:
    """Over some annotations: fields that a model drafted, their characters, and how many stand as drafted."""

    fields: int = 0
    characters: int = 0
    as_drafted: int = 0

    @property
    def percent(self) -> float:
        return 100 * self.as_drafted / self.characters if self.characters else 0.0

    @property
    def words(self) -> str:
        return f"{self.fields:,} ({self.percent:.1f} % of their characters stand as drafted)"


def machine_made(annotation: Annotation, content: Content) -> list[dict[str, Any]]:
    """For each field whose final text has something of a used draft: its model, characters, and those as drafted.

    Questions move when one is removed: a question is compared with all that were drafted for this annotation.
    """
    used = list(MachineDraft.objects.filter(annotation=annotation, state=DraftState.ACCEPTED))
    made = []
    for target, parts in PARTS.items() if used else ():
        for part in parts:
            name = field_of(target, part)
            drafts = [each for each in used if part in each.texts and (part != STANDALONE or each.target == target)]
            best = max(drafts, key=lambda each: _kept(each.texts[part], content[name]), default=None)
            if best and (kept := _kept(best.texts[part], content[name])):
                made.append(
                    {"field": name, "model": best.model, "characters": len(content[name]), "as_drafted": kept}
                )
    return made


def _kept(drafted: str, final: str) -> int:
    return sum(len(change.text) for change in word_changes(drafted, final) if change.kind == KEPT)


def machine_share(annotations: QuerySet[Annotation]) -> MachineShare:
    """Over these annotations, as each was handed in last."""
    rows = annotations.exclude(machine_made=[]).values_list("machine_made", flat=True)
    fields = [field for row in rows for field in row if field["field"] in FIELDS]
    return MachineShare(
        len(fields),
        sum(field["characters"] for field in fields),
        sum(field["as_drafted"] for field in fields),
    )
