"""Helpers of the tests of merging: a tag that two people annotated, and short ways to decide."""

from annotation.content.fields import Content
from annotation.content.parts import Choice
from annotation.desk.assignments.assignment import claim_next_tag
from annotation.models import Annotation, Tag
from annotation.reviewing.merging import comparison_of, merge_annotations
from core.models import User
from tests.annotation.desk_helpers import complete_content, submit
from tests.factories import TagFactory

# The second one's differences: texts, a choice, ticks, a question put differently and one more.
OTHERWISE = {
    "valid_comment": "Two sources, two years.",
    "paragraphA_information_standalone": "Harbour Bridge, in Leith, opened in 1903 to great applause.",
    "Contradict type I": ["DATE", "NUM"],
    "question1": "Was the Harbour Bridge in use in the year 1900?",
    "question2": "Who crossed it first?",
    "question2_answer1": "Nobody before 1903",
    "question2_answer2": "Cars",
    "confidence": "3",
}


def annotated_by(*people: User, contents: list[Content] | None = None, tag: Tag | None = None) -> list[Annotation]:
    """A tag that each of these people annotated and submitted: the second says some things otherwise."""
    tag = tag or TagFactory(annotations_needed=len(people))
    contents = contents or [complete_content(), complete_content(**OTHERWISE)]
    for person, content in zip(people, contents, strict=True):
        annotation = claim_next_tag(annotator=person)
        assert annotation is not None
        assert annotation.tag_id == tag.pk
        assert submit(annotation, content).is_submitted
    return list(Annotation.objects.filter(tag=tag).order_by("pk"))


def take(annotation: Annotation, reviewer: User, *, but: dict[str, Choice] | None = None) -> dict[str, Choice]:
    """All that differs taken from this annotation, except what `but` decides."""
    compared = comparison_of(annotation.tag, reviewer=reviewer)
    index = compared.index_of(annotation.pk)
    return {part.name: Choice(taken=index) for part in compared.parts if not part.agree} | (but or {})


def merge(
    originals: list[Annotation], reviewer: User, *, but: dict[str, Choice] | None = None, of: int = 0
) -> Annotation:
    """The merge that takes all that differs from one of the originals, except what `but` decides."""
    return merge_annotations(
        tag=originals[0].tag,
        reviewer=reviewer,
        choices=take(originals[of], reviewer, but=but),
        seen_versions={each.pk: each.version for each in originals},
    )
