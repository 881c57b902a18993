"""Each key of the desk has one meaning where the cursor is, and none where text is typed or a dialog is open."""

import pytest
from playwright.sync_api import expect

from tests.browser.desk_driver import choose, field, make_tag, take_tag

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]
SINGLE = "abcdefghijklmnopqrstuvwxyz0123456789/?.,-"
# Everything that a key may change; the cursor and what is typed left out.
STATE = """() => JSON.stringify({
  chosen: [...document.querySelectorAll("#desk-form :checked")].map((one) => one.name + one.value),
  dialog: document.querySelector("dialog[open]")?.id ?? "",
  finds: document.activeElement.matches("[data-finds]"),
  filters: document.activeElement.matches("[data-filters]"),
  passages: ["A", "B"].map((one) => document.querySelector(`[name=paragraph${one}_information]`).value),
  at: location.pathname,
})"""
# Where the cursor is, and the keys that act there.
CURSORS = {
    "#panel-article": "vi/?",
    "[name=valid_comment]": "",
    "[name=contradict_comment]": "",
    "#step-6 [name=confidence]": "12345/?",
    "#step-4 [role=radiogroup] input": "1234/?",
    "#submit": "vi/?",
}


@pytest.fixture
def desk(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    choose(page, "wikitag_label_valid", "Valid")
    for number in range(1, 7):
        page.locator(f"[data-step='{number}']").evaluate("step => { step.open = true; }")
    return page


def acting(page, cursor: str, keys: str = SINGLE) -> str:
    """The keys that change something there. Each change is taken back."""
    found = ""
    for key in keys:
        page.locator(cursor).first.focus()
        before = page.evaluate(STATE)
        page.keyboard.press(key)
        if page.evaluate(STATE) == before:
            continue
        found += key
        page.keyboard.press("Escape")
        page.locator("#panel-article").focus()
        page.keyboard.press("Control+z")
        page.wait_for_timeout(30)
    return found


@pytest.mark.parametrize("cursor", CURSORS)
def test_single_keys_act_only_where_they_mean_something(desk, cursor):
    if cursor == "#panel-article":  # "Valid" is chosen already: its key only goes to step 2
        desk.locator("[name=wikitag_label_valid][value=Invalid]").check()
        desk.locator("[name=wikitag_label_valid][value=Valid]").check()
    expected = "".join(key for key in SINGLE if key in CURSORS[cursor].replace("v", ""))
    assert "".join(sorted(acting(desk, cursor))) == "".join(sorted(expected))


def test_no_key_acts_behind_a_dialog(desk):
    desk.keyboard.press("Alt+k")
    expect(desk.locator("#skip-dialog")).to_be_visible()
    before = desk.evaluate(STATE)
    for key in SINGLE:
        desk.keyboard.press(key)
    for letter in "abcdegklmoqrstuvwx":
        desk.keyboard.press(f"Alt+{letter}")
    assert desk.evaluate(STATE) == before


PRESS = """(field, [key, code, more]) => {
  const event = new KeyboardEvent("keydown", { key, code, altKey: true, bubbles: true, cancelable: true, ...more });
  return !field.dispatchEvent(event);
}"""


def test_letters_with_alt_are_those_of_the_layout(desk):
    """On a French keyboard, A is where others have Q."""
    comment = field(desk, "contradict_comment")
    comment.focus()
    assert comment.evaluate(PRESS, ["a", "KeyQ", {}])
    expect(desk.locator("#panel-article")).to_be_focused()
    expect(field(desk, "question2")).to_have_count(0)
    # A layout without Latin letters goes by the position of the key; AltGr types.
    assert comment.evaluate(PRESS, ["й", "KeyQ", {}])
    expect(field(desk, "question2")).to_have_count(1)
    assert not comment.evaluate(PRESS, ["e", "KeyE", {"modifierAltGraph": True}])
    assert not comment.evaluate(PRESS, ["€", "KeyE", {"ctrlKey": True}])


def test_option_types_signs_on_a_mac(desk):
    desk.evaluate("Object.defineProperty(navigator, 'platform', { value: 'MacIntel', configurable: true })")
    comment = field(desk, "contradict_comment")
    comment.focus()
    assert not comment.evaluate(PRESS, ["@", "KeyL", {}])
    assert not comment.evaluate(PRESS, ["[", "Digit5", {}])
    expect(desk.locator("dialog[open]")).to_have_count(0)
    assert desk.locator("#panel-article").evaluate(PRESS, ["@", "KeyL", {}])
    expect(desk.locator("#flag-dialog")).to_be_visible()
    desk.evaluate("delete navigator.platform")
