"""The next tag comes without what this browser keeps, and looks and works the same."""

import pytest
from playwright.sync_api import expect

from annotation.models import Annotation, AnnotationState
from tests.browser.desk_driver import expect_form, make_tag, play_with_mouse, take_tag

pytestmark = pytest.mark.django_db(transaction=True)

KEPT = "() => document.cookie.includes('desk-parts=') && localStorage.getItem('desk-parts') !== null"


def is_desk(answer) -> bool:
    return answer.request.resource_type == "document" and answer.url.rstrip("/")[-1].isdigit()


@pytest.mark.thorough
def test_two_tags_in_a_row_and_a_browser_that_lost_what_it_kept(open_page, annotator):
    for title in ("Harbour Bridge", "River Ferry", "Old Mill"):
        make_tag(title)
    page = open_page(annotator)
    take_tag(page, annotator)
    page.wait_for_function(KEPT)
    for _ in range(2):
        play_with_mouse(page)
        with page.expect_response(is_desk) as answered:
            page.get_by_role("button", name="Submit").click()
        source = answered.value.text()
        assert len(source) < 31_000
        assert "data-part=" in source
        page.wait_for_url(answered.value.url)
        expect_form(page)
        expect(page.locator("#step-6")).to_be_attached()
        expect(page.locator("template[data-part]")).to_have_count(0)
    assert Annotation.objects.filter(state=AnnotationState.SUBMITTED).count() == 2
    page.locator("a[data-dialog=skip-dialog]").click()
    expect(page.get_by_role("heading", name="Skip this tag")).to_be_visible()
    page.evaluate("localStorage.removeItem('desk-parts')")
    page.reload()
    expect_form(page)
    expect(page.locator("#step-6")).to_be_attached()
    expect(page.locator("template[data-part]")).to_have_count(0)
    play_with_mouse(page)
