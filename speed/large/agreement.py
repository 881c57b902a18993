"""Generates tags that two people annotated, in the database itself: thirty people, each of whom shares tags with
every other, over twelve months; one annotation in ten was returned once.
"""

from django.db import models

from speed.laboratory import analyse
from speed.large.queue import fill, first, make_people, references_checked_at_once

PEOPLE, MONTHS, TAGS_OF_AN_ARTICLE = 30, 12, 10
# One tag of this number is annotated by two people.
ONE_IN_TWICE = 5
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
        "family": f"CASE WHEN i % 10 = 3 THEN '{Family.CONTRADICT_OTHER}' ELSE '{Family.INCONSISTENT}' END",
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
    _spread(start, 2 * tags)
    content, moment = content_of(Annotation.objects.get(pk=start)), datetime(2026, 1, 1, tzinfo=UTC)
    FirstSubmission.objects.bulk_create(
        FirstSubmission(annotation_id=start + each, content=content, submitted_at=moment, returned_at=moment)
        for each in range(0, 2 * tags, 10)
    )


def _spread(start: int, count: int) -> None:
    """Spread the submissions of these annotations, in their order, over the last months, on every third day."""
    from datetime import timedelta

    from django.utils import timezone

    from annotation.models import Annotation

    now, days = timezone.now(), MONTHS * 10
    for day in range(days):
        low, high = (start + count * each // days for each in (day, day + 1))
        moment = now - timedelta(days=3 * (days - day))
        Annotation.objects.filter(pk__gte=low, pk__lt=high).update(submitted_at=moment)


@references_checked_at_once("annotation", "core")
def make_annotated_once(tags: int) -> None:
    """Add this many accepted tags with one annotation each, the time of each step of all annotations, and a quota for
    each person, to a database that `make_agreement` has filled.
    """
    from annotation.models import Annotation, AnnotationState, Article, Assignment, Quota, StepTime, Tag
    from core.models import User

    now, text = "CURRENT_TIMESTAMP", "'The bridge opened in 1903. {{Inconsistent}} It was closed in 1899.'"
    article, tag, annotation = last(Article), last(Tag), last(Annotation)
    of = f"{first(Article)} + i % {article - first(Article)}"
    standing = {"start": "50 + i", "end": "66 + i", "raw": "'Inconsistent|reason=line ' || i"}
    fill(Tag, tags, article_id=of, last_seen_in_id=of, family="'inconsistent'", paragraph=text, **standing)
    person = f"{first(User)} + i % {PEOPLE}"
    work = {"tag_id": f"{tag} + 1 + i", "annotator_id": person}
    fill(Assignment, tags, number="1", claimed_at=now, done_at=now, **work)
    accepted = {"state": f"'{AnnotationState.ACCEPTED}'", "reviewed_at": now, "reviewed_by_id": str(first(User))}
    fill(Annotation, tags, version="3", submitted_at=now, validity="'Valid'", confidence="4", **accepted, **work)
    _spread(annotation + 1, tags)
    for step in range(1, 7):
        seconds = f"20 + i * 7 % (60 * {step})"
        of = f"{first(Annotation)} + i"
        count = last(Annotation) - first(Annotation) + 1
        fill(StepTime, count, annotation_id=of, page="'page'", step=str(step), seconds=seconds)
    admin = str(first(User))
    fill(Quota, PEOPLE, person_id=f"{admin} + i", annotations=str(tags // 4 + 1_000), set_by_id=admin)
    analyse()


def last(model: type[models.Model]) -> int:
    """The primary key of the last row."""
    return model._base_manager.order_by("-pk").values_list("pk", flat=True)[0]
