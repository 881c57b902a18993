"""Weeks of annotators' work, drawn from a seed: submissions, times by step, reviews, tags annotated twice."""

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from annotation.content.rows import content_of
from annotation.models import (
    Annotation,
    AnnotationState,
    Assignment,
    ContradictionType,
    Family,
    FirstSubmission,
    Passage,
    Question,
    StepTime,
)
from core.models import User

from .annotation import AnnotationFactory, TagFactory

# Seconds that a step takes at the median.
STEPS = {1: 70, 2: 190, 3: 60, 4: 80, 5: 150, 6: 15}
SUBJECTS = (
    "lighthouse",
    "railway station",
    "aqueduct",
    "cathedral",
    "ferry line",
    "observatory",
    "harbour",
    "theatre",
)
TOWNS = (
    "Aldermoor",
    "Brenn",
    "Castelnuovo",
    "Dunhaven",
    "Eskdale",
    "Fjordby",
    "Granvik",
    "Hollin",
    "Isarn",
    "Jorvik",
)
TYPES: dict[str, Sequence[str]] = {
    "semantic_type": ("DATE", "NUM", "LOC", "PER", "REL"),
    "modality": ("TT", "TI", "II"),
    "origin": ("SAME", "CROSS"),
    "reasoning_type": ("EXP", "IMP"),
}
AT_WORK_ON_A_DAY, TWICE = 0.75, 0.4


def weeks_of_work(
    people: Sequence[User], reviewer: User, *, weeks: int, until: datetime, seed: int = 5, a_day: int = 3
) -> list[Annotation]:
    """The annotations that these people submit on working days of the weeks before `until`, some of them returned,
    excluded or still waiting, and two fifths of the tags annotated by two.
    """
    draw = random.Random(seed)
    made: list[Annotation] = []
    for day in range(weeks * 7, 0, -1):
        at = until - timedelta(days=day)
        if at.weekday() > 4:
            continue
        for person in people:
            if draw.random() > AT_WORK_ON_A_DAY:
                continue
            for number in range(draw.randint(1, 2 * a_day - 1)):
                others = [each for each in people if each != person]
                two = [person, draw.choice(others)] if others and draw.random() < TWICE else [person]
                made += _tag(two, reviewer, at + timedelta(minutes=25 * number), draw, is_old=day > 5)
    return made


def _tag(
    people: Sequence[User], reviewer: User, at: datetime, draw: random.Random, *, is_old: bool
) -> list[Annotation]:
    town, subject, year = draw.choice(TOWNS), draw.choice(SUBJECTS), draw.randint(1650, 1990)
    family = draw.choices([Family.INCONSISTENT, Family.SELF_CONTRADICTORY, Family.CONTRADICT_OTHER], [5, 3, 2])[0]
    paragraph = f"The {subject} of {town} was opened in {year}.{{{{Inconsistent|date=May 2024}}}} It closed later."
    tag = TagFactory(
        article__title=f"{town} {subject}", article__wiki=None, family=family, paragraph=paragraph,
        paragraph_clean=paragraph.replace("{{Inconsistent|date=May 2024}}", ""), annotations_needed=len(people),
        found_at=at - timedelta(days=9),
    )  # fmt: skip
    Assignment.objects.filter(tag=tag).delete()
    truth = {dimension: draw.choice(codes) for dimension, codes in TYPES.items()}
    made = []
    for number, person in enumerate(people, start=1):
        Assignment.objects.create(
            **_assigned(tag, number, person, at),
        )
        made.append(_annotation(tag, person, at + timedelta(minutes=draw.randint(5, 18)), draw, truth, year))
    if is_old:
        _review(made, reviewer, draw)
    return made


def _assigned(tag: Any, number: int, person: User, at: datetime) -> dict[str, Any]:
    return {
        "tag": tag,
        "number": number,
        "annotator": person,
        "claimed_at": at,
        "done_at": at + timedelta(minutes=12),
    }


def _annotation(
    tag: Any, person: User, at: datetime, draw: random.Random, truth: dict[str, str], year: int
) -> Annotation:
    valid = "Valid" if draw.random() < 0.85 else "Invalid"
    annotation = AnnotationFactory(
        tag=tag, annotator=person, validity=valid, state=AnnotationState.SUBMITTED, version=4,
        confidence=draw.choices([2, 3, 4, 5], [1, 3, 5, 4])[0], created_at=at, saved_at=at, submitted_at=at,
        valid_comment="" if valid == "Valid" else "Both years are right: the second is of the new building.",
    )  # fmt: skip
    if valid == "Valid":
        _fill_in(annotation, draw, truth, year)
    else:
        for model in (ContradictionType, Question):
            model.objects.filter(annotation=annotation).delete()
        Passage.objects.filter(annotation=annotation).update(text="", standalone_text="", statement="", span="")
    slow = 0.7 + (person.pk % 5) * 0.2
    StepTime.objects.bulk_create(
        StepTime(annotation=annotation, page="a", step=step, last_at=at,
                 seconds=max(3, round(draw.lognormvariate(0, 0.45) * seconds * slow)))
        for step, seconds in STEPS.items()
        if valid == "Valid" or step in (1, 6)
    )  # fmt: skip
    return annotation


def _fill_in(annotation: Annotation, draw: random.Random, truth: dict[str, str], year: int) -> None:
    other = year + draw.choice([1, 3, 10, 12])
    title = annotation.tag.article.title
    texts = (f"The {title} was opened in {year}.", f"After a fire, the {title} was opened again in {other}.")
    if draw.random() < 0.3:
        texts = (texts[0] + " It closed later.", texts[1])
    for position, (text, span) in enumerate(zip(texts, (year, other), strict=True), start=1):
        Passage.objects.filter(annotation=annotation, position=position).update(
            article_title=title, text=text, standalone_text=text, statement=text[:-1].lower(), span=str(span)
        )
    for dimension, code in truth.items():
        codes = TYPES[dimension]
        chosen = code if draw.random() < 0.82 else draw.choice(codes)
        ContradictionType.objects.filter(annotation=annotation, dimension=dimension).update(code=chosen)
    words = draw.choice([f"When was the {title} opened?", f"In which year did the {title} open?"])
    Question.objects.filter(annotation=annotation).update(text=words, answer_1=str(year), answer_2=str(other))


def _review(annotations: Sequence[Annotation], reviewer: User, draw: random.Random) -> None:
    """The first is accepted or excluded, perhaps after a return; the others are then not chosen."""
    first = annotations[0]
    at = (first.submitted_at or first.saved_at) + timedelta(days=1)
    if draw.random() < 0.2:
        FirstSubmission.objects.create(
            annotation=first, content=content_of(first), submitted_at=first.submitted_at, returned_at=at
        )
        at += timedelta(days=1)
    changes: dict[str, Any] = {"state": AnnotationState.ACCEPTED, "reviewed_by": reviewer, "reviewed_at": at}
    if draw.random() < 0.1:
        changes |= {"state": AnnotationState.EXCLUDED, "review_message": "It cannot be told which year is meant."}
    Annotation.objects.filter(pk=first.pk).update(**changes)
