"""At the edges: without script, with fingers, and with names of 150 letters."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.desk.comments.about_annotations import AboutAnnotation
from annotation.desk.comments.comments import write_comment
from annotation.desk.decisions import return_annotation
from annotation.practice.shipped import install_practice
from core.models import Role
from review.models import Adjudication, FinalVerdict, Judgment
from review.rounds.final_verdicts.pairing import complete_pairs
from tests.annotation.desk_helpers import claim, invalid_content, submit
from tests.browser.desk_driver import make_tag
from tests.conftest import make_person
from tests.factories import TagFactory
from tests.factories.review import make_imported_run, make_round

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]
NO_SCRIPT = {"java_script_enabled": False}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


def dead_buttons(page: Page) -> list[str]:
    """Buttons that do nothing without script."""
    buttons = page.locator("button[type=button]").all()
    return [each.inner_text() for each in buttons if each.is_visible()]


def test_without_script_one_judges_and_adjudicates(open_page, admin, reviewer, other_reviewer, adjudicator):
    make_round(admin, [reviewer, other_reviewer], make_imported_run(1, models=("Mist",)), undo_minutes=0)
    for person, verdict in ((reviewer, "incorrect"), (other_reviewer, "correct")):
        page = open_page(person, "/", **NO_SCRIPT)
        page.get_by_role("link", name="Judge responses").first.click()
        assert dead_buttons(page) == []
        page.get_by_text("Comment", exact=True).click()
        page.locator("[name=comment]").fill("As passage 2 says.")
        page.locator(f"button[name=verdict][value={verdict}]").click()
        expect(page.get_by_role("heading", name="Nothing left to judge")).to_be_visible()
    assert set(Judgment.objects.values_list("verdict", "comment")) == {
        ("incorrect", "As passage 2 says."),
        ("correct", "As passage 2 says."),
    }
    complete_pairs()
    page = open_page(adjudicator, reverse("adjudicate"), **NO_SCRIPT)
    page.locator(f"main a[href*='{Adjudication.objects.get().key}']").first.click()
    assert dead_buttons(page) == []
    page.locator("input[type=radio][value=correct]").check()
    page.get_by_label("Reason").fill("The second passage says so.")
    page.get_by_role("button", name="Save the verdict").click()
    expect(page.get_by_text("Nothing is waiting for you.")).to_be_visible()
    assert FinalVerdict.objects.get().verdict == "correct"


# Standalone controls smaller than 44 pixels, including the area around them that takes the touch.
SMALL = """() => {
  const isInSentence = (link) => getComputedStyle(link).display === "inline" && link.closest("p, li, dd, label");
  const around = (each) => Math.max(0, -Number.parseFloat(getComputedStyle(each, "::after").top) || 0);
  return [...document.querySelectorAll("a, button, input, select, textarea, summary, label:has(> input)")]
    .filter((each) => each.checkVisibility({ visibilityProperty: true })
      && !each.closest(".visually-hidden, .skip-link") && !each.matches("label > input, [type=hidden]")
      && !(each.matches("a") && isInSentence(each)))
    .map((each) => {
      const { width, height } = each.getBoundingClientRect();
      const size = [width, height].map((side) => Math.round(side + 2 * around(each)));
      return Math.min(...size) < 44 ? `${each.outerHTML.slice(0, 90)}: ${size}` : "";
    }).filter(Boolean);
}"""


def test_whatever_a_finger_touches_is_44_pixels_high_and_wide(open_page, admin, annotator):
    install_practice()
    make_tag()
    TagFactory()
    submit(claim(annotator), invalid_content())
    annotator.groups.add(*admin.groups.all())
    page = open_page(annotator, **PHONE)
    found = {}
    for address in ("/", reverse("tags"), reverse("practice_tags"), reverse("people"), reverse("account")):
        page.goto(address)
        found[address] = page.evaluate(SMALL)
    page.goto(reverse("desk_annotation", args=[claim(annotator).pk]))
    page.evaluate("for (const step of document.querySelectorAll('[data-step]')) step.open = true")
    found["desk"] = page.evaluate(SMALL)
    assert {address: small for address, small in found.items() if small} == {}


OVER = """() => [document.body, ...(innerWidth > 1000 ? document.querySelectorAll(".scroll-x, .desk-work") : [])]
  .filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => `${each.className} ${each.scrollWidth}`)"""


def test_a_name_of_150_letters_pushes_nothing_aside(open_page, admin, annotator):
    long = make_person("x" * 150, *Role.values)
    long.first_name, long.last_name = "Maximiliana von Thurn " * 6, "W" * 150
    long.save()
    tag = make_tag()
    annotation = claim(annotator)
    submit(annotation, invalid_content())
    write_comment(topic=AboutAnnotation(annotation), person=long, text="Which one, @anna?", field="valid_comment")
    return_annotation(annotation=annotation, reviewer=long, message="Which bridge?")
    make_tag("Second bridge")
    submit(claim(long), invalid_content())
    page, other = open_page(long), open_page(annotator, "/")
    assert other.evaluate(OVER) == []
    addresses = [
        "/",
        *map(reverse, ("people", "activity", "tags", "progress", "comments", "my_work")),
        *(reverse("person", args=[long.pk]), reverse("tag", args=[tag.pk])),
        *(reverse("reviews") + "?state=returned", reverse("reviews_annotation", args=[annotation.pk])),
        "/review/reports/annotators/",
    ]
    found = {}
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for address in addresses:
            assert page.goto(address).ok, address
            found[address, width] = page.evaluate(OVER)
    assert {where: over for where, over in found.items() if over} == {}
