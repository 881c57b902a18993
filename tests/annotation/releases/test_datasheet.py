"""The datasheet says what is in a release, and reads the same whenever it is made."""

import pytest
from django.urls import reverse

from annotation.models import Annotation, AnnotationState, ContradictionType, Validity, WatchResult
from annotation.releases.datasheets.datasheet import datasheet, markdown
from annotation.releases.freezing import create_release
from tests.factories import AnnotationFactory, ArticleFactory, TagFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(admin, annotator, reviewer):
    tag = TagFactory(
        article=ArticleFactory(url="https://en.wikipedia.org/wiki/X"),
        raw="Contradicts other|Y",
        family="contradict-other",
    )
    first = AnnotationFactory(annotator=annotator, reviewed_by=reviewer, tag=tag)
    ContradictionType.objects.create(annotation=first, position=9, dimension="semantic_type", code="NUM")
    AnnotationFactory(validity=Validity.INVALID, valid_comment="No.")
    return create_release(name="A *star* | <b>", notes="One\n\n# Two", admin=admin)


def test_it_counts_what_was_frozen(release):
    text = markdown(datasheet(release))
    for line in (
        "| Tags annotated | 2 |",
        "| Verified valid tags | 1 |",
        "| Annotated instances | 1 |",
        "| Implicit contradictions | 1 |",
        "| Contradicts another article | 1 |",
        "| Inconsistent | 1 |",
        "| (PhraseLevel) Entity - Number | 1 |",
        "| (PhraseLevel) Entity - Date/time | 1 |",
        "| Articles from en.wikipedia.org | 1 |",
        "| Annotators | 1 |",
        "| Tags annotated by two people or more | 0 (0.0 %) |",
    ):
        assert line in text
    assert release.content_hash in text
    assert "CC BY-SA" in text


def test_it_reads_the_same_after_everything_else_changed(release):
    before = markdown(datasheet(release))
    AnnotationFactory()
    Annotation.objects.update(validity=Validity.INVALID, annotator=None, reviewed_by=None)
    ContradictionType.objects.all().delete()
    assert markdown(datasheet(release)) == before


def test_it_says_last_what_became_of_the_tags_since(release):
    before = markdown(datasheet(release))
    for annotation, state in zip(Annotation.objects.order_by("pk"), ("changed", "tag gone"), strict=True):
        WatchResult.objects.create(tag=annotation.tag, state="unchanged", revision_id=7)
        WatchResult.objects.create(tag=annotation.tag, state=state, revision_id=8)
    after = markdown(datasheet(release))
    assert after.startswith(before)
    for line in (
        "## Since the articles were read",
        "| Passage changed | 1 |",
        "| Tag no longer in the article | 1 |",
    ):
        assert line in after


def test_what_people_wrote_is_no_markup_in_it(release, admin, sign_in):
    text = markdown(datasheet(release))
    assert r"A \*star\* \| \<b\>" in text
    assert "\n\\# Two\n" in text
    page = sign_in(admin).get(reverse("release_datasheet", args=[1])).content.decode()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page


def test_it_says_what_was_left_out_how_far_annotators_agree_and_what_is_wrong_with_it(admin, annotator, reviewer):
    AnnotationFactory(annotator=annotator, reviewed_by=reviewer)
    AnnotationFactory(annotator=annotator, state=AnnotationState.EXCLUDED, review_message="Unclear.")
    text = markdown(datasheet(create_release(name="First", admin=admin)))
    for line in (
        "| Annotations: Excluded | 1 |",
        "| Times that a reviewer returned an annotation | 0 |",
        "No released tag has annotations by two people here.",
        "## Maintenance",
        "| Tags annotated by one person only, or imported | 1 of 1 |",
    ):
        assert line in text


def test_a_release_made_before_these_were_kept_says_so(release):
    release.how_made = {name: value for name, value in release.how_made.items() if name not in ("making", "sources")}
    assert "These numbers were not kept when this release was made." in markdown(datasheet(release))
