"""The look of the desk where a rule decides it: colours that must not be mistaken, a dialog that needs no
scrolling."""

import pytest
from playwright.sync_api import expect

from core.models import Project
from tests.browser.desk_driver import make_tag, take_tag
from tests.factories.judging import make_model

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_tagged_paragraph_has_the_colour_of_neither_passage(open_page, annotator, scheme):
    make_tag()
    page = open_page(annotator, color_scheme=scheme)
    take_tag(page, annotator)
    page.keyboard.press("Alt+2")
    found = page.evaluate(
        """[".ev-tagged", ".ev-this-tag", "#step-2 .passage-1", "#step-2 .passage-2", "body"].map((selector) => {
          const style = getComputedStyle(document.querySelector(selector));
          return [style.backgroundColor, style.color, style.borderTopColor];
        })"""
    )
    tagged, tag, one, two, body = found
    assert tagged[0] not in (one[0], two[0], body[0])
    # A neutral grey: no colour stands out by more than a shade.
    for colour in (tagged[0], tag[2]):
        channels = [int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
        assert max(channels) - min(channels) < 40, colour


@pytest.mark.parametrize("width", [1000, 1280])
def test_all_keys_are_seen_at_once(open_page, annotator, width):
    make_tag()
    make_model(name="Small model")
    Project.get()
    Project.objects.update(suggestion_model="Small model")  # with the one row more
    page = open_page(annotator, viewport={"width": width, "height": 800})
    take_tag(page, annotator)
    page.get_by_role("button", name="Shortcuts").click()
    expect(page.get_by_role("heading", name="Shortcuts")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Close")).to_be_in_viewport(ratio=1)
    scrolls = """[...document.querySelectorAll("#keys-dialog, #keys-dialog *")].some((each) =>
      each.scrollHeight > each.clientHeight + 1 && getComputedStyle(each).overflowY !== "visible")"""
    assert not page.evaluate(scrolls)
