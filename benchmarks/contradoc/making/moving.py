"""Moves a candidate's new sentence to another gap, as proposed by a person who verified it."""

from ..maker.maker import MAKER
from ..models import Candidate, CandidateState
from .candidates import candidate_of, digest_of


def move_candidate(candidate: Candidate, offset: int) -> Candidate:
    """The candidate with the same sentence in the gap at this offset of the clean document, chosen for verification.
    An existing one is chosen, too, unless people have decided on it.
    """
    edit = MAKER.insertion(candidate.document.text, offset, candidate.sentence)
    there = Candidate.objects.filter(document=candidate.document, digest=digest_of(edit)).first()
    if there is not None:
        if there.state not in CandidateState.by_people():
            there.state, there.moved_from = CandidateState.CHOSEN, there.moved_from or candidate
            there.save(update_fields=["state", "moved_from"])
        return there
    moved = candidate_of(candidate.statement, edit, candidate.method, moved_from=candidate)
    moved.is_rewording, moved.state = candidate.is_rewording, CandidateState.CHOSEN
    moved.save()
    return moved
