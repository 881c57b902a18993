"""Generates tags that two people annotated, in the database itself: thirty people, each of whom shares tags with
every other, over twelve months; one annotation in ten was returned once.
"""

from speed.laboratory import analyse
from speed.large.queue import fill, first, make_people, references_checked_at_once

PEOPLE, MONTHS, TAGS_OF_AN_ARTICLE = 30, 12, 10
# The annotators of the tag with number i / 2 are two of thirty; i is the number of the annotation.
PERSON = f"i / 2 % {PEOPLE}"
OTHER = f"(i / 2 + 1 + i / 2 / {PEOPLE} % {PEOPLE - 1}) % {PEOPLE}"
PASSAGE = "'In the year ' || i / 2 % 90 || ' the bridge opened after nine years of work; the piers are of granite"


@references_checked_at_once("annotation", "core")
def make_agreement(tags: int) -> None:
    """Add this many tags with two annotations each, to a database without tags."""
    from annotation import taxonomy
    from annotation.models import (
        Annotation,
        AnnotationState,
        Article,
        Assignment,
        ContradictionType,
        Family,
        Passage,
        Question,
        Tag,
        Wiki,
    )
    from core.models import User

    make_people(PEOPLE + 100)
    now, text = "CURRENT_TIMESTAMP", "'The bridge opened in 1903. {{Inconsistent}} It was closed in 1899.'"
    wiki = Wiki.objects.create(name="Wiki", api_url="https://wiki.example/w/api.php", language="en")
    number = {"page_id": "i + 1", "revision_id": "i + 1"}
    fill(
        Article, tags // TAGS_OF_AN_ARTICLE + 1, wiki_id=str(wiki.pk), title="'Bridge ' || i", wikitext=text, **number
    )
    article = f"{first(Article)} + i / {TAGS_OF_AN_ARTICLE}"
    standing = {
        "start": "27",
        "end": "43",
        "raw": "'Inconsistent|reason=year ' || i",
        "family": f"'{Family.INCONSISTENT}'",
    }
    fill(Tag, tags, article_id=article, last_seen_in_id=article, paragraph=text, paragraph_clean=text, **standing)
    tag = f"{first(Tag)} + i / 2"
    person = f"{first(User)} + CASE i % 2 WHEN 0 THEN {PERSON} ELSE {OTHER} END"
    fill(Assignment, 2 * tags, tag_id=tag, number="1 + i % 2", annotator_id=person, claimed_at=now, done_at=now)
    fill(
        Annotation,
        2 * tags,
        tag_id=tag,
        annotator_id=person,
        state=f"'{AnnotationState.SUBMITTED}'",
        version="3",
        submitted_at=now,
        validity="CASE WHEN i % 20 = 3 THEN 'Invalid' ELSE 'Valid' END",
        same_passage="'Different'",
        confidence="1 + (i / 2 + i % 7 / 6) % 5",
    )
    annotation = f"{first(Annotation)} + i"
    for position in (1, 2):
        said = {
            "article_title": "'Bridge'",
            "text": f"{PASSAGE}' || i % 3 || ' of {position}'",
            "standalone_text": "''",
        }
        fill(Passage, 2 * tags, annotation_id=annotation, position=str(position), **said)
    asked = {"text": "'When did it open?'", "answer_1": "'1901'", "answer_2": "'1902'"}
    fill(Question, 2 * tags, annotation_id=annotation, position="1", **asked)
    for position, dimension in enumerate(taxonomy.DIMENSIONS):
        codes = [option.code for option in dimension.options]
        chosen = " ".join(f"WHEN {number} THEN '{code}'" for number, code in enumerate(codes))
        code = f"CASE (i / 2 + i % 5 / 4) % {len(codes)} {chosen} END"
        of = {"dimension": f"'{dimension.code}'", "code": code, "position": str(position)}
        fill(ContradictionType, 2 * tags, annotation_id=annotation, **of)
    make_history(tags)
    analyse()


def make_history(tags: int) -> None:
    """Spread the submissions over the months, and have every tenth annotation returned once."""
    from datetime import UTC, datetime

    from annotation.content.rows import content_of
    from annotation.models import Annotation, FirstSubmission

    start = first(Annotation)
    for month in range(MONTHS):
        low, high = (start + 2 * tags * each // MONTHS for each in (month, month + 1))
        moment = datetime(2026, month + 1, 15, tzinfo=UTC)
        Annotation.objects.filter(pk__gte=low, pk__lt=high).update(submitted_at=moment)
    content, moment = content_of(Annotation.objects.get(pk=start)), datetime(2026, 1, 1, tzinfo=UTC)
    FirstSubmission.objects.bulk_create(
        FirstSubmission(annotation_id=start + each, content=content, submitted_at=moment, returned_at=moment)
        for each in range(0, 2 * tags, 10)
    )
