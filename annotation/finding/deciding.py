"""Admins' decisions on candidates: sent to the queue, dismissed, and either taken back."""

from collections.abc import Callable, Iterable

from django.db import models, transaction
from django.utils import timezone

from core.languages import joined, say
from core.models import Event, User
from core.refusals import Refusal
from core.writing.locking import lock

from ..assisting.untagged.pages import INFOBOX, LEAD, light_page, readable_lines
from ..desk.visibility import refuse_blind
from ..harvesting.revisions import add_tag
from ..models import Annotation, AnnotationAction, Assignment, Candidate, CandidateKind, CandidateState, Family, Tag


class CandidateAction(models.TextChoices):
    SEND = "send", say("Send to the queue")
    DISMISS = "dismiss", say("Dismiss")
    TAKE_BACK = "take_back", say("Undo the decision")


def decide_on_candidates(*, candidates: Iterable[Candidate], action: str, admin: User) -> tuple[int, list[str]]:
    """Apply the action to each of the candidates; returns the number changed, and the reasons for the others. Raises
    `Refusal`, having changed nothing, if there is no such action.
    """
    change: dict[str, Callable[..., object]] = {
        CandidateAction.SEND: send_to_queue,
        CandidateAction.DISMISS: dismiss_candidate,
        CandidateAction.TAKE_BACK: take_back_decision,
    }
    if action not in change:
        raise Refusal(say("Choose an action for the selected candidates. Nothing was changed."), status=400)
    done = 0
    refused: list[str] = []
    for candidate in candidates:
        try:
            change[action](candidate=candidate, admin=admin)
            done += 1
        except Refusal as refusal:
            refused.append(joined([candidate.article.title, refusal.message], ": "))
    return done, refused


@transaction.atomic
def decide_on_all_candidates(*, candidates: Iterable[Candidate], action: str, admin: User) -> int:
    """Like `decide_on_candidates`, but for all or none: raises Refusal, saying why, if one cannot be changed. Returns
    the number of candidates.
    """
    done, refused = decide_on_candidates(candidates=candidates, action=action, admin=admin)
    if refused:
        raise Refusal(say("{reason} None of these candidates was changed.", reason=refused[0]))
    return done


@transaction.atomic
def send_to_queue(*, candidate: Candidate, admin: User) -> Tag:
    """Make the candidate a tag, which annotators get as found by the program. Raises Refusal if it is decided."""
    _decide(candidate, CandidateState.SENT, admin)
    tag = Tag.objects.filter(candidate=candidate).first()
    if tag is None:
        tag = add_tag(article=candidate.article, harvest=None, candidate=candidate, **tag_columns(candidate))
    else:
        Tag.objects.filter(pk=tag.pk).update(gone_at=None)
        Event.record(AnnotationAction.CAME_BACK, tag, actor=admin, after={"gone_at": None})
    after = {"state": CandidateState.SENT, "tag": tag.pk}
    Event.record(AnnotationAction.SENT_TO_QUEUE, candidate, actor=admin, before={"state": "waiting"}, after=after)
    return tag


@transaction.atomic
def dismiss_candidate(*, candidate: Candidate, admin: User) -> None:
    """Dismiss it: a later pass does not bring it back. Raises Refusal if it is decided."""
    _decide(candidate, CandidateState.DISMISSED, admin)
    after = {"state": CandidateState.DISMISSED}
    Event.record(AnnotationAction.DISMISSED, candidate, actor=admin, before={"state": "waiting"}, after=after)


@transaction.atomic
def take_back_decision(*, candidate: Candidate, admin: User) -> None:
    """Let it wait for a decision again. Raises Refusal if it is not decided, or if a person works on its tag."""
    before = _locked(candidate).state
    if before == CandidateState.WAITING:
        raise Refusal(say("Nobody has decided on this candidate. Nothing was changed."))
    if tag := Tag.objects.filter(candidate=candidate).first():
        _withdraw(tag, admin)
    waiting = {"state": CandidateState.WAITING, "decided_at": None, "decided_by": None}
    Candidate.objects.filter(pk=candidate.pk).update(**waiting)
    Event.record(
        AnnotationAction.RECONSIDERED_CANDIDATE,
        candidate,
        actor=admin,
        before={"state": before},
        after={"state": CandidateState.WAITING},
    )


def tag_columns(candidate: Candidate) -> dict[str, object]:
    """The columns of the tag of a candidate. Its paragraph is the line of the text that the other one contradicts."""
    marked, other, part, other_part = candidate.text_1, candidate.text_2, candidate.part_1, candidate.part_2
    if candidate.part_1 == INFOBOX and candidate.kind != CandidateKind.TOTAL:
        marked, other, part, other_part = other, marked, other_part, part
    where = f" ({other_part})" if other_part else ""
    paragraph = _line_with(candidate, marked)
    return {
        "raw": "",
        "family": Family.SELF_CONTRADICTORY,
        "reason": f"{candidate.reason}. Compare{where}: “{other}”",
        "section": "" if part in (INFOBOX, LEAD) else part,
        "paragraph": paragraph,
        "paragraph_clean": paragraph,
    }


def _line_with(candidate: Candidate, text: str) -> str:
    """The whole line of the article in which this text is, so that the desk finds its paragraph; else the text."""
    article = candidate.article
    if article.page_id is None:
        return next((line for line in article.wikitext.split("\n") if text in line), text)
    lines = readable_lines(light_page(article.title, article.wikitext))
    return next((line.text for line in lines if text in line.text), text)


def _locked(candidate: Candidate) -> Candidate:
    rows = Candidate.objects.filter(pk=candidate.pk)
    lock(rows)
    return rows.get()


def _decide(candidate: Candidate, state: CandidateState, admin: User) -> None:
    decided = {"state": state, "decided_at": timezone.now(), "decided_by": admin}
    waiting = Candidate.objects.filter(pk=candidate.pk, state=CandidateState.WAITING)
    if not waiting.update(**decided):
        raise Refusal(say("This candidate is decided already. Nothing was changed."))


def _withdraw(tag: Tag, admin: User) -> None:
    """Mark the tag gone, so that nobody gets it. Raises Refusal if a person has it, or has annotated it."""
    refuse_blind(tag, admin)
    lock(Assignment.objects.filter(tag=tag))
    taken = Assignment.objects.filter(tag=tag).exclude(annotator=None, done_at=None)
    if taken.exists() or Annotation.objects.filter(tag=tag).exists():
        raise Refusal(say("A person has begun to work on its tag, so it stays in the queue. Nothing was changed."))
    if tag.gone_at is None:
        now = timezone.now()
        Tag.objects.filter(pk=tag.pk).update(gone_at=now)
        message = "An admin took it back from the queue."
        Event.record(
            AnnotationAction.MARKED_GONE, tag, actor=admin, after={"gone_at": now.isoformat()}, message=message
        )
