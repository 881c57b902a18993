"""Two versions of a draft in a real browser: fields that only one side changed are merged without a question.
`tests/scripts/test_merge.mjs` has the rule itself."""

import pytest
from playwright.sync_api import Page, expect

from annotation.content.rows import content_of
from annotation.models import Annotation
from tests.annotation.desk_helpers import complete_content, save
from tests.browser.desk_driver import expect_saved, field, make_tag, second_tab, take_tag

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]


@pytest.fixture
def at_desk(open_page, annotator) -> tuple[Page, Annotation]:
    make_tag()
    page = open_page(annotator, is_new=True)  # its process ends with its last page
    return page, take_tag(page, annotator)


def close_tab(page: Page) -> None:
    """As a person closes it, so that the page hears of it: the driver may end its process before that."""
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    page.close()


def stored(annotation: Annotation) -> dict:
    return content_of(Annotation.objects.get(pk=annotation.pk))


def merged(page: Page):
    return page.locator("[data-alert=merged]")


def test_two_tabs_that_edited_different_fields_are_merged_without_a_question(at_desk):
    page, annotation = at_desk
    other = second_tab(page)
    field(page, "valid_comment").fill("from the first tab")
    field(page, "valid_comment").blur()
    expect_saved(page)
    other.locator("[name=wikitag_label_valid][value=Valid]").check()
    expect(merged(other)).to_contain_text("Changed there: Comment on validity.")
    expect(field(other, "valid_comment")).to_have_value("from the first tab")
    expect_saved(other)
    expect(other.locator("#conflict")).to_be_hidden()
    content = stored(annotation)
    assert (content["valid_comment"], content["wikitag_label_valid"]) == ("from the first tab", "Valid")
    # The first tab goes on from its own copy, and takes what the second one chose.
    field(page, "valid_comment").fill("from the first tab, again")
    field(page, "valid_comment").blur()
    expect(page.locator("[name=wikitag_label_valid][value=Valid]")).to_be_checked()
    expect_saved(page)
    content = stored(annotation)
    assert (content["valid_comment"], content["wikitag_label_valid"]) == ("from the first tab, again", "Valid")


def test_three_tabs_that_edited_different_fields_end_with_all_three(at_desk):
    first, annotation = at_desk
    second, third = second_tab(first), second_tab(first)
    field(first, "valid_comment").fill("from the first tab")
    field(first, "valid_comment").blur()
    expect_saved(first)
    second.locator("[name=wikitag_label_valid][value=Valid]").check()
    expect_saved(second)
    third.locator("#step-2 > summary").click()
    field(third, "paragraphB_information_standalone").fill("from the third tab")
    field(third, "paragraphB_information_standalone").blur()
    for page in (third, second, first):
        expect(page.locator("#conflict")).to_be_hidden()
    expect(merged(third)).to_contain_text("Comment on validity")
    expect_saved(third)
    content = stored(annotation)
    found = (content["valid_comment"], content["wikitag_label_valid"], content["paragraphB_information"])
    assert found == ("from the first tab", "Valid", "from the third tab")
    # Fields that two tabs changed are asked for only in the later one.
    field(second, "valid_comment").fill("from the second tab")
    field(second, "valid_comment").blur()
    expect_saved(second)
    field(third, "valid_comment").fill("from the third tab")
    expect(third.locator("#conflict section")).to_have_count(1)
    expect(third.locator("#conflict")).to_contain_text("from the second tab")
    assert stored(annotation)["valid_comment"] == "from the second tab"


def test_only_the_field_that_both_changed_is_asked_for(at_desk):
    page, annotation = at_desk
    save(annotation, content_of(annotation) | {"valid_comment": "theirs", "confidence": "2"})
    field(page, "valid_comment").fill("mine")
    conflict = page.locator("#conflict")
    expect(conflict.locator("section")).to_have_count(1)
    expect(conflict).to_contain_text("theirs")
    expect(merged(page)).to_contain_text("Changed there: Confidence.")
    conflict.get_by_role("button", name="Keep mine").first.click()
    expect_saved(page)
    content = stored(annotation)
    assert (content["valid_comment"], content["confidence"]) == ("mine", "2")


def test_what_came_in_is_not_submitted_unread(at_desk):
    page, annotation = at_desk
    save(annotation, complete_content())
    field(page, "question_comment").evaluate("field => { field.value = 'mine' }")
    page.keyboard.press("Control+Enter")
    expect(merged(page)).to_contain_text("Not submitted: read these fields first, then submit again.")
    expect(field(page, "question1")).to_have_value(complete_content()["question1"])
    assert Annotation.objects.get().state == "draft"
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Submitted “Harbour Bridge”.")).to_be_visible()
    assert stored(annotation)["question_comment"] == "mine"


def test_text_of_a_tab_closed_offline_is_merged_with_what_was_saved_since(at_desk):
    page, annotation = at_desk
    context = page.context
    context.set_offline(True)
    field(page, "valid_comment").fill("closed in the tunnel")
    close_tab(page)
    save(annotation, content_of(annotation) | {"wikitag_label_valid": "Valid"})
    context.set_offline(False)
    page = context.new_page()
    page.goto(f"/annotation/desk/{annotation.pk}/")
    expect(field(page, "valid_comment")).to_have_value("closed in the tunnel")
    expect(page.get_by_text("had not reached the server")).to_be_visible()
    expect(page.locator("#conflict")).to_be_hidden()
    expect_saved(page)
    content = stored(annotation)
    assert (content["valid_comment"], content["wikitag_label_valid"]) == ("closed in the tunnel", "Valid")
    page.reload()
    expect(page.get_by_text("had not reached the server")).to_have_count(0)


def test_text_of_a_tab_closed_offline_asks_only_where_it_clashes(at_desk):
    page, annotation = at_desk
    context = page.context
    context.set_offline(True)
    field(page, "valid_comment").fill("closed in the tunnel")
    page.locator("[name=wikitag_label_valid][value=Valid]").check()
    close_tab(page)
    save(annotation, content_of(annotation) | {"valid_comment": "elsewhere"})
    context.set_offline(False)
    page = context.new_page()
    page.goto(f"/annotation/desk/{annotation.pk}/")
    conflict = page.locator("#conflict")
    expect(conflict.locator("section")).to_have_count(1)
    # Undecided, it is still there after a reload.
    page.reload()
    expect(conflict.locator("section")).to_have_count(1)
    conflict.get_by_role("button", name="Take this").click()
    expect_saved(page)
    content = stored(annotation)
    assert (content["valid_comment"], content["wikitag_label_valid"]) == ("closed in the tunnel", "Valid")


def test_two_tabs_closed_offline_both_come_back(at_desk):
    page, annotation = at_desk
    context = page.context
    other = second_tab(page)
    context.set_offline(True)
    field(page, "valid_comment").fill("from the first tab")
    other.locator("[name=wikitag_label_valid][value=Valid]").check()
    close_tab(page)
    close_tab(other)
    context.set_offline(False)
    page = context.new_page()
    page.goto(f"/annotation/desk/{annotation.pk}/")
    expect(field(page, "valid_comment")).to_have_value("from the first tab")
    expect(page.locator("[name=wikitag_label_valid][value=Valid]")).to_be_checked()
    expect_saved(page)
    content = stored(annotation)
    assert (content["valid_comment"], content["wikitag_label_valid"]) == ("from the first tab", "Valid")


def test_what_is_typed_while_a_save_is_on_its_way_is_not_lost_by_a_merge(at_desk):
    page, annotation = at_desk
    save(annotation, content_of(annotation) | {"confidence": "4"})

    answered = []

    def while_it_is_answered(route):
        if answered:
            return route.continue_()
        answered.append(route)
        response = route.fetch()
        field(page, "valid_comment").press_sequentially(" and more")
        return route.fulfill(response=response)

    page.route("**/save/", while_it_is_answered)
    field(page, "valid_comment").press_sequentially("begun")
    expect(merged(page)).to_contain_text("Confidence")
    expect(field(page, "valid_comment")).to_have_value("begun and more")
    expect(page.locator("#saved-state")).to_have_attribute("data-state", "saved")
    page.reload()
    expect(field(page, "valid_comment")).to_have_value("begun and more")
    assert stored(annotation)["confidence"] == "4"
