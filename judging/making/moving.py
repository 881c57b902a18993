"""Another gap for the new sentence of a candidate, as a person who verified it proposed."""

import hashlib
import json

from ..models import Candidate, CandidateState
from .registry import Edit, maker_of


def edit_digest(edit: Edit) -> str:
    """The same for equal edits of a document."""
    return hashlib.sha256(json.dumps([edit.start, edit.end, edit.new_text]).encode()).hexdigest()


def move_candidate(candidate: Candidate, offset: int) -> Candidate:
    """The candidate with the same sentence in the gap at this offset of the clean document, chosen for verification;
    the one that is there already, if there is one."""
    edit = maker_of(candidate.benchmark).insertion(candidate.document.text, offset, candidate.sentence)
    return Candidate.objects.get_or_create(
        document=candidate.document,
        digest=edit_digest(edit),
        defaults={
            "statement": candidate.statement,
            "moved_from": candidate,
            "method": candidate.method,
            "operation": candidate.operation,
            "is_rewording": candidate.is_rewording,
            "start": edit.start,
            "end": edit.end,
            "new_text": edit.new_text,
            "state": CandidateState.CHOSEN,
        },
    )[0]
