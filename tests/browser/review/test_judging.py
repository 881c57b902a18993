"""Three people at once, each in a browser of their own: two judge, one adjudicates, until the table is complete."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Comment
from judging.models import Response
from review.models import Adjudication, FinalVerdict, Judgment, Pair, Round
from review.rounds.final_verdicts.pairing import complete_pairs
from tests.browser.conftest import errors_of_look, read
from tests.factories.review import give, make_imported_run, make_known, make_response, make_round, slot_of

pytestmark = pytest.mark.django_db(transaction=True)


def question(page: Page) -> str:
    return page.locator("#judge-item .judge-question").inner_text()


def press(page: Page, key: str) -> None:
    read(page)
    page.keyboard.press(key)


def judge_all(page: Page, verdict_of: dict[str, str]) -> list[str]:
    """Judge with keys until nothing is left; gives the questions in the order of their coming."""
    asked = []
    while page.locator("#judge-item .judge-question").count():
        asked.append(question(page))
        shown = page.locator("#judge-item .judge-item").get_attribute("data-item")
        press(page, verdict_of[asked[-1]])
        expect(page.locator(f'#judge-item .judge-item[data-item="{shown}"]')).to_have_count(0)
        expect(page.locator("#judge[aria-busy]")).to_have_count(0)
    return asked


def test_from_deal_to_table(open_page, admin, reviewer, other_reviewer, adjudicator):
    make_imported_run(3, models=("Mist",))
    boss = open_page(admin, "/review/rounds/")
    boss.get_by_role("button", name="Begin a round").click()
    boss.get_by_label("Name").fill("First round")
    boss.get_by_label("run 1").or_(boss.locator("[name=runs]")).first.check()
    for box in boss.locator("[name=reviewers]").all():
        box.check()
    expect(boss.locator("#round-preview")).to_contain_text("about 3 for each of 2 reviewers")
    boss.get_by_label("Minutes for taking a judgment back").fill("0")
    boss.get_by_role("button", name="Begin the round").click()
    expect(boss.get_by_role("heading", name="First round")).to_be_visible()
    assert Round.objects.get().state == "open"

    one, two, three = (
        open_page(person, address, clock=True)
        for person, address in ((reviewer, "/"), (other_reviewer, "/"), (adjudicator, "/review/adjudicate/"))
    )
    for page in (one, two):
        page.get_by_role("navigation").get_by_role("link", name="Judge").click()
    expect(three.get_by_text("Nothing is waiting for you.")).to_be_visible()
    asked = judge_all(one, dict.fromkeys(questions(), "1"))
    assert sorted(asked) == sorted(questions())
    expect(one.get_by_role("heading", name="Nothing left to judge")).to_be_visible()
    disputed = asked[0]
    judge_all(two, dict.fromkeys(questions(), "1") | {disputed: "3"})

    three.reload()
    three.keyboard.press("n")
    expect(three.get_by_role("heading", name=disputed)).to_be_visible()
    three.wait_for_load_state()  # the keys work once the script is there
    for name in ("rita", "ralph", "Mist"):
        assert name not in three.locator("main").inner_text()
    three.keyboard.press("2")
    three.keyboard.type("1 of the 2 years is preferred")
    three.keyboard.press("Control+Enter")
    expect(three.get_by_text("Final verdict: partially correct.")).to_be_visible()

    assert Pair.objects.count() == 3
    assert sorted(FinalVerdict.objects.values_list("how", flat=True)) == ["adjudicated", "agreed", "agreed"]
    assert Adjudication.objects.get().reason == "1 of the 2 years is preferred"
    boss.reload()
    expect(boss.locator(".counts")).to_contain_text("3\nwith a final verdict", use_inner_text=True)
    boss.get_by_role("button", name="Close the round").click()
    boss.get_by_role("dialog").get_by_role("button", name="Close the round").click()
    expect(boss.get_by_text("every disagreement adjudicated")).to_be_visible()
    one.get_by_role("link", name="Your judgments").first.click()
    expect(one.get_by_role("columnheader", name="Model")).to_be_visible()


def questions() -> list[str]:
    return [response.instance.question for response in Response.objects.select_related("instance")]


@pytest.fixture
def judging(open_page, admin, reviewer, other_reviewer) -> Page:
    make_round(admin, [reviewer, other_reviewer], make_imported_run(4, models=("Mist",)))
    return open_page(reviewer, "/review/judge/", clock=True)


def test_the_next_one_is_there_at_once_and_undo_brings_the_last_back(judging):
    first = question(judging)
    press(judging, "1")
    expect(judging.get_by_role("button", name="Undo “Correct”")).to_be_visible()
    second = question(judging)
    assert second != first
    judging.keyboard.press("u")
    expect(judging.locator("#judge-item .judge-question")).to_have_text(first)
    expect(judging.get_by_role("button", name="Undo")).to_have_count(0)
    press(judging, "3")
    expect(judging.locator("#judge-item .judge-question")).to_have_text(second)
    expect(judging.get_by_text("1 of 4")).to_be_visible()
    assert Judgment.objects.given().get().verdict == "incorrect"


def test_a_key_pressed_twice_judges_one_response(judging):
    read(judging)
    judging.keyboard.press("1")
    judging.keyboard.press("1")
    expect(judging.get_by_text("1 of 4")).to_be_visible()
    expect(judging.locator("#judge[aria-busy]")).to_have_count(0)
    assert Judgment.objects.given().count() == 1


def test_a_comment_is_typed_without_judging_and_goes_along(judging):
    judging.keyboard.press("c")
    judging.keyboard.type("1 and 3 are years; u x o ?")
    judging.keyboard.press("Escape")
    press(judging, "2")
    expect(judging.get_by_text("1 of 4")).to_be_visible()
    given = Judgment.objects.given().get()
    assert (given.verdict, given.comment) == ("partially_correct", "1 and 3 are years; u x o ?")


@pytest.mark.thorough
def test_selected_words_go_into_the_judgment_and_into_the_adjudicators_comment(
    open_page, admin, reviewer, other_reviewer, adjudicator
):
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(1, models=("Mist",)), undo_minutes=0)
    (item,) = round.items.all()
    page = open_page(reviewer, "/review/judge/", clock=True)
    # Three clicks select to the start of what follows.
    page.locator("#judge-item .judge-response").click(click_count=3)
    page.keyboard.press("c")
    page.keyboard.type("1 of them c")
    quoted = f"“{item.response.answer}”: 1 of them c"
    expect(page.get_by_label("Comment", exact=True)).to_have_value(quoted)
    page.keyboard.press("Escape")
    press(page, "3")
    expect(page.get_by_text("1 of 1")).to_be_visible()
    assert slot_of(item, reviewer).comment == quoted

    give(slot_of(item, other_reviewer), "correct")
    complete_pairs(round=round)
    page = open_page(adjudicator, "/review/adjudicate/?next")
    expect(page.get_by_text(quoted)).to_be_visible()
    page.wait_for_load_state()  # the keys work once the script is there
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Shortcuts")).to_contain_text("Next disagreement")
    page.keyboard.press("Escape")
    page.locator(".judge-passage [data-quotes=passage_1]").dblclick()
    button = page.get_by_role("button", name="Comment C")
    at = button.bounding_box()
    page.mouse.wheel(0, 40)
    page.wait_for_function("y => document.querySelector('.pick').getBoundingClientRect().y < y - 20", arg=at["y"])
    button.click()
    words = page.get_by_label("The words, exactly as in the field").input_value()
    page.keyboard.type("Is it?")
    page.keyboard.press("Control+Enter")
    page.locator(".thread").get_by_role("button", name=words, exact=True).click()
    assert page.evaluate("getSelection().toString()") == words
    expect(page.get_by_label("Unfold the context")).to_be_checked()
    (comment,) = Comment.objects.all()
    assert (comment.field, comment.quote, comment.text) == ("passage_1", words, "Is it?")
    assert errors_of_look(page) == []


def test_cannot_judge_with_keys_alone(judging):
    judging.keyboard.press("x")
    judging.keyboard.type("it breaks off")
    read(judging)
    judging.keyboard.press("Enter")
    expect(judging.get_by_text("1 of 4")).to_be_visible()
    assert Judgment.objects.given().get().cannot_judge == "it breaks off"


def test_a_verdict_that_did_not_arrive_comes_back_with_its_comment(judging):
    first = question(judging)
    judging.keyboard.press("c")
    judging.keyboard.type("both years")
    judging.keyboard.press("Escape")
    judging.context.set_offline(True)
    press(judging, "1")
    expect(judging.get_by_role("alert")).to_contain_text("This verdict may or may not have been recorded")
    expect(judging.locator("#judge-item .judge-question")).to_have_text(first)
    expect(judging.locator("#judge-item textarea")).to_have_value("both years")
    judging.context.set_offline(False)
    press(judging, "1")
    expect(judging.get_by_text("1 of 4")).to_be_visible()
    expect(judging.get_by_role("alert")).to_have_count(0)
    assert Judgment.objects.given().get().comment == "both years"


def test_who_was_signed_out_keeps_the_verdict_at_hand(judging):
    judging.context.clear_cookies(name="sessionid")
    press(judging, "1")
    expect(judging.get_by_role("alert")).to_contain_text("signed out")
    assert not Judgment.objects.given().exists()


def test_a_training_item_is_explained_and_enter_goes_on(open_page, admin, reviewer, other_reviewer):
    run = make_imported_run(2, models=("Mist",))
    make_known(run, use="training", verdict="incorrect")
    make_round(admin, [reviewer, other_reviewer], run)
    page = open_page(reviewer, "/review/judge/", clock=True)
    press(page, "1")
    expect(page.get_by_text("It names both years and prefers none.")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#judge-item .judge-response")).to_be_visible()
    expect(page.get_by_text("Training: ")).to_have_count(0)


def test_key_2_does_nothing_where_the_template_has_two_verdicts(open_page, admin, reviewer, other_reviewer):
    make_round(admin, [reviewer, other_reviewer], make_imported_run(1, models=("Mist",), codes=("2",)))
    page = open_page(reviewer, "/review/judge/", clock=True)
    press(page, "2")
    expect(page.locator("#judge[aria-busy]")).to_have_count(0)
    assert not Judgment.objects.given().exists()
    press(page, "3")
    expect(page.get_by_role("heading", name="Nothing left to judge")).to_be_visible()
    assert Judgment.objects.given().get().verdict == "incorrect"


def test_time_is_counted_while_the_page_is_looked_at(judging):
    judging.clock.run_for(2_300)
    judging.keyboard.press("1")
    expect(judging.get_by_text("1 of 4")).to_be_visible()
    assert 1 <= Judgment.objects.given().get().seconds <= 10


@pytest.mark.thorough
def test_axe_finds_nothing_and_nothing_is_cut_off(open_page, admin, reviewer, other_reviewer, adjudicator):
    run = make_imported_run(2, models=("Mist",), codes=("2", "5"))
    make_response(run, Response.objects.first().instance, code="1", text="A word of " + "x" * 300 + "\n\nand more.")
    round = make_round(admin, [reviewer, other_reviewer], run, undo_minutes=0)
    page = open_page(reviewer, "/review/judge/", clock=True)
    # With sources and with a comment open; after a verdict; with a reason open.
    for keys in (["o", "c"], ["Escape", "1"], ["x"]):
        for key in keys:
            press(page, key)
        expect(page.locator("#judge[aria-busy]")).to_have_count(0)
        assert errors_of_look(page) == []
    for address in (f"/review/judge/{round.key}/mine/", "/review/judge/?all=1"):
        page.goto(address)
        assert errors_of_look(page) == []
    for item in round.items.all()[:2]:
        Judgment.objects.filter(item=item, judged_at=None).update(
            verdict="incorrect", judged_at=round.created_at, undo_until=round.created_at
        )
    Judgment.objects.filter(item=round.items.first(), number=1).update(verdict="correct", comment="x" * 200)
    page = open_page(adjudicator, "/review/adjudicate/?next")
    expect(page.get_by_text("Judgment A")).to_be_visible()
    assert errors_of_look(page) == []
    page = open_page(admin)
    addresses = ["rounds/", "rounds/new/", f"rounds/{round.pk}/", "files/", "known/", "set-aside/"]
    for address in [*addresses, f"rounds/{round.pk}/reviewers/{reviewer.pk}/"]:
        assert page.goto(f"/review/{address}").ok, address
        assert errors_of_look(page) == []
