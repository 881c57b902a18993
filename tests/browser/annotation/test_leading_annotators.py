"""The pages of those who lead annotators, in a real browser, over weeks of work."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import CheckTag, GuidelineVersion, Quota
from tests.browser.conftest import errors_of_look
from tests.factories import AnnotationFactory, TagFactory
from tests.factories.weeks import weeks_of_work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def weeks(annotator, other_annotator, reviewer) -> None:
    weeks_of_work([annotator, other_annotator], reviewer, weeks=4, until=timezone.now(), a_day=1)


def test_disagreements_are_filtered_and_read_side_by_side(weeks, open_page, admin):
    page = open_page(admin, "/review/annotations/disagreements/")
    page.get_by_role("link", name="Reasoning Type", exact=True).click()
    expect(page.locator("#field")).to_have_value("reasoning_type")
    first = page.locator(".differing").first
    expect(first.locator("mark").first).to_be_visible()
    expect(first.get_by_role("link", name="All annotations of the tag")).to_be_visible()
    assert errors_of_look(page) == []


def test_a_quota_is_set_and_the_quality_of_the_person_is_one_click_away(weeks, open_page, admin, annotator):
    page = open_page(admin, "/annotation/workload/")
    page.get_by_label(f"Quota of {annotator}").fill("400")
    page.get_by_role("row", name=str(annotator)).get_by_role("button", name="Save").click()
    expect(page.get_by_text(f"The quota of {annotator} is saved.")).to_be_visible()
    assert Quota.objects.get(person=annotator).annotations == 400
    assert errors_of_look(page) == []
    page.get_by_role("link", name=str(annotator), exact=True).click()
    expect(page.locator("svg").first).to_be_visible()
    assert errors_of_look(page) == []


def test_a_version_of_the_guideline_is_previewed_and_published(open_page, admin):
    page = open_page(admin, "/annotation/guideline/edit/")
    page.get_by_label("Text of step 1").fill("Look for **two** passages that cannot both be true.")
    page.get_by_role("button", name="Update the preview").click()
    expect(page.get_by_label("Step 1 as shown").locator("strong")).to_have_text("two")
    page.get_by_label("What changed").fill("Step 1 is shorter.")
    page.get_by_role("button", name="Publish version 2").click()
    expect(page.get_by_text("Step 1 is shorter.").first).to_be_visible()
    assert GuidelineVersion.objects.count() == 2


def test_check_tags_are_mixed_in_and_taken_out(open_page, admin, annotator, other_annotator, reviewer):
    TagFactory.create_batch(10)
    AnnotationFactory(tag=TagFactory(annotations_needed=0), annotator=other_annotator, reviewed_by=reviewer)
    page = open_page(admin, "/annotation/check-tags/")
    page.get_by_role("group", name="Accepted annotations whose answer you trust").get_by_role("checkbox").check()
    page.get_by_role("button", name="Mix in").click()
    check = CheckTag.objects.get()
    page.get_by_role("checkbox", name=f"for {check.person}").check()
    page.get_by_role("button", name="Take the selected ones out of the queue").click()
    expect(page.get_by_text("1 check tag is taken out of the queue.")).to_be_visible()
    check.tag.refresh_from_db()
    assert check.tag.gone_at is not None
    assert errors_of_look(page) == []
