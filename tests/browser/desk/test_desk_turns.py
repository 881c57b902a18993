"""Turns as two people see them, each in a browser of their own."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.content.rows import content_of
from annotation.models import Annotation, Assignment
from core.models import Project
from tests.annotation.desk_helpers import let_lapse
from tests.browser.conftest import awaited
from tests.browser.desk_driver import expect_saved, field, make_tag, play_with_mouse, take_tag

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_people_get_two_tags_and_the_next_one_is_told_that_nothing_is_left(
    open_page, annotator, other_annotator, reviewer
):
    make_tag()
    make_tag("River Ferry")
    one, two = open_page(annotator), open_page(other_annotator)
    assert take_tag(one, annotator).tag != take_tag(two, other_annotator).tag
    reviewer.groups.add(annotator.groups.get())
    three = open_page(reviewer, "/annotation/desk/")
    expect(three.get_by_text("2 tags are with other annotators.")).to_be_visible()
    # The first page of the desk leads back to the tag at hand.
    one.goto("/annotation/desk/")
    expect(one.get_by_role("heading", name="Harbour Bridge")).to_be_visible()


@pytest.mark.thorough
def test_the_open_page_keeps_its_tag_beyond_the_lease(open_page, annotator):
    Project.get()
    Project.objects.update(lease_seconds=2)
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    first_end = Assignment.objects.get().lease_expires_at
    with page.expect_response(lambda answer: "/renew/" in answer.url and timezone.now() > first_end):
        pass
    assert awaited(lambda: Assignment.objects.held().filter(annotator=annotator).exists())
    page.close()
    assert awaited(lambda: not Assignment.objects.held().filter(annotator=annotator).exists())


@pytest.mark.thorough
def test_a_tag_lost_and_finished_elsewhere_keeps_its_draft_and_says_so(open_page, annotator, other_annotator):
    make_tag()
    page = open_page(annotator)
    draft = take_tag(page, annotator)
    field(page, "valid_comment").fill("half a thought")
    field(page, "valid_comment").blur()
    expect_saved(page)
    page.goto("/")
    let_lapse(draft)
    other = open_page(other_annotator)
    take_tag(other, other_annotator)
    play_with_mouse(other)
    other.get_by_role("button", name="Submit").click()
    expect(other.get_by_text("Submitted “Harbour Bridge”.")).to_be_visible()
    page.goto("/annotation/work/")
    expect(page.get_by_text("Taken by other annotators; the draft is kept")).to_be_visible()
    page.get_by_role("link", name="Harbour Bridge").click()
    expect(field(page, "valid_comment")).to_have_value("half a thought")
    expect(page.locator("#desk-alerts")).to_contain_text("other annotators have taken it")
    play_with_mouse(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#desk-alerts")).to_contain_text("Not submitted")
    assert content_of(Annotation.objects.get(pk=draft.pk))["confidence"] == "5"


def test_who_comes_back_in_time_goes_on_with_the_draft(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    draft = take_tag(page, annotator)
    field(page, "valid_comment").fill("to be continued")
    field(page, "valid_comment").blur()
    expect_saved(page)
    page.goto("/")
    let_lapse(draft)
    assert take_tag(page, annotator) == draft
    expect(field(page, "valid_comment")).to_have_value("to be continued")
