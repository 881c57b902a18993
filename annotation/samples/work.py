"""A little finished work on the sample articles: four annotations, accepted and released, so that later pages are not
empty. Most tags stay free for people trying the desk.
"""

import json
import uuid
from pathlib import Path
from typing import Any

from django.db import transaction

from core.languages import say
from core.models import User
from core.refusals import Refusal

from ..desk.assignments.assigning import assign_tag
from ..desk.decisions import accept_annotation
from ..desk.drafts.submission import submit_annotation
from ..models import Annotation, Release, Tag
from ..releases.freezing import create_release
from . import WIKI

ANNOTATIONS = Path(__file__).parent / "annotations.json"
PEOPLE = ("annotator", "annotator2", "reviewer", "admin")
NOTES = "Four annotations of invented articles, so that there is something to try. No statement about the world."


def sample_annotations() -> list[dict[str, Any]]:
    return json.loads(ANNOTATIONS.read_text("utf-8"))


def release_samples() -> Release | None:
    """Annotate some sample tags as the demo people, accept the annotations, and release them.

    Returns None, and does nothing, if any annotation has been written or the demo people are gone.
    """
    samples = Tag.objects.filter(article__wiki__api_url=WIKI["api_url"])
    people = {user.username: user for user in User.objects.filter(username__in=PEOPLE, is_active=True)}
    if len(people) < len(PEOPLE) or not samples.exists():
        return None
    if Annotation.objects.exists() or Release.objects.exists():
        return None
    with transaction.atomic():
        for sample in sample_annotations():
            tag = samples.get(article__title=sample["title"], raw=sample["tag"])
            annotator = people[sample["annotator"]]
            assign_tag(tag=tag, annotator=annotator, admin=people["admin"])
            annotation = Annotation.objects.get(tag=tag, annotator=annotator)
            result = submit_annotation(
                annotation=annotation,
                annotator=annotator,
                content=sample["content"],
                base_version=annotation.version,
                operation=uuid.uuid4(),
            )
            if not result.is_submitted:
                raise Refusal(
                    say(
                        "The sample annotation of {title} is not complete: {problems}",
                        title=sample["title"],
                        problems=result.problems,
                    )
                )
            annotation.refresh_from_db()
            accept_annotation(annotation=annotation, reviewer=people["reviewer"])
    return create_release(name="Sample articles", notes=NOTES, admin=people["admin"])
