"""The story that the screenshots tell: who does what on which page, and when a picture is taken."""

from playwright.sync_api import Page, expect

from docs import judging_scenes
from docs.examples import NOT_VALID, OBSERVATORY, PROCESS, RETURN, VIADUCT, Example
from docs.studio import Studio


def play(studio: Studio) -> None:
    sign_in(studio)
    admin_prepares(studio)
    annotator_works(studio)
    second_annotator_works(studio)
    reviewer_looks_again(studio)
    annotator_gets_one_back(studio)
    admin_releases(studio)
    judging_scenes.admin_runs_models(studio)
    judging_scenes.admin_begins_a_round(studio)
    judging_scenes.reviewers_judge(studio)
    judging_scenes.adjudicator_decides(studio)
    judging_scenes.admin_reads_reports(studio)
    judging_scenes.admin_compares_with_the_paper(studio)
    judging_scenes.readers_open_the_site(studio)


def sign_in(studio: Studio) -> None:
    page = studio.page_of("")
    page.goto("/account/login/")
    studio.photograph("sign-in", page)


def admin_prepares(studio: Studio) -> None:
    page = studio.page_of("admin")
    page.goto("/")
    studio.photograph("home", page)
    page.goto("/annotation/harvests/new/")
    studio.photograph("harvest-new", page)
    page.goto("/annotation/wikis/")
    studio.photograph("wikis", page)
    page.goto("/annotation/harvests/")
    studio.photograph("harvests", page)
    page.locator("tbody a").first.press("Enter")
    expect(page.locator("h1")).not_to_have_text("Harvests")
    studio.photograph("harvest", page)
    page.goto("/annotation/tags/")
    assign(page, "annotator2", "Old Ferry Inn")
    assign(page, "annotator", "Harrick Viaduct")
    tick(page, "annotator", "Brenner process", "Saltmarsh Observatory")
    studio.photograph("tags", page)
    page.get_by_role("button", name="Apply").click()
    page.goto("/settings/")
    studio.photograph("settings", page)
    page.goto("/people/")
    studio.photograph("people", page)


def tick(page: Page, person: str, *titles: str) -> None:
    """Ready to be assigned to the person."""
    for title in titles:
        page.get_by_role("checkbox", name=f"Select {title}").check()
    page.get_by_label("Actions for the selection").select_option("assign")
    page.get_by_label("Person").select_option(label=person)
    page.evaluate("scrollTo(0, 0)")


def assign(page: Page, person: str, *titles: str) -> None:
    tick(page, person, *titles)
    page.get_by_role("button", name="Apply").click()


def annotator_works(studio: Studio) -> None:
    page = studio.page_of("annotator")
    page.goto("/annotation/desk/")
    studio.photograph("desk-start", page)
    page.get_by_role("button", name="Next tag").click()
    expect_tag(page, "Harrick Viaduct")
    studio.photograph("desk-1-valid", page)
    page.keyboard.press("?")
    studio.photograph("desk-keys", page)
    page.keyboard.press("Escape")
    annotate(page, VIADUCT, studio)
    page.keyboard.press("Control+Enter")
    expect_tag(page, "Brenner process")
    annotate(page, PROCESS)
    # A span that does not stand in its passage: the form says so, and where.
    span = page.locator("[name=relevantInfo_comment_B_Span]")
    span.evaluate("field => { field.value = '190 °C'; field.dispatchEvent(new Event('input', {bubbles: true})); }")
    page.keyboard.press("Control+Enter")
    page.locator("#problems").scroll_into_view_if_needed()
    studio.photograph("desk-problems", page)
    span.fill(PROCESS.texts["relevantInfo_comment_B_Span"])
    page.keyboard.press("Control+Enter")
    expect_tag(page, "Saltmarsh Observatory")
    annotate(page, OBSERVATORY)
    page.keyboard.press("Control+Enter")
    expect(page.locator("h1")).not_to_have_text("Saltmarsh Observatory")
    expect(page.locator(":focus")).to_be_attached()
    page.keyboard.press("v")
    expect_saved(page)
    asks(studio, page)
    page.goto("/annotation/work/")
    studio.photograph("my-work", page)


def asks(studio: Studio, page: Page) -> None:
    """A comment at a field, and a question that lets the tag wait."""
    page.get_by_role("button", name="Use the tagged paragraph").click()
    expect_saved(page)
    page.locator("[name=paragraphA_information_standalone]").focus()
    page.keyboard.press("Alt+c")
    page.get_by_label("Write a comment").fill(
        "@reviewer The tag stands under a heading; I take the paragraph below it."
    )
    page.keyboard.press("Control+Enter")
    expect(page.locator(".thread")).to_be_visible()
    studio.photograph("desk-comments", page)
    page.keyboard.press("Escape")
    page.keyboard.press("Alt+w")
    page.get_by_label("Your question").fill("Is the heading the passage, or the paragraph below it?")
    studio.photograph("desk-ask", page)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status").filter(has_text="Asked about")).to_be_visible()


def select_in_article(page: Page, words: str) -> None:
    """The sentence with these words, by keys alone."""
    expect(page.locator("#pane").get_by_text(words).first).to_be_visible()
    page.keyboard.press("Alt+a")
    for _ in range(30):
        page.keyboard.press("ArrowRight")
        if words in page.evaluate("String(getSelection())"):
            return
    raise AssertionError(f"no sentence with “{words}” was selected")


def expect_tag(page: Page, title: str) -> None:
    expect(page.locator("h1")).to_have_text(title)
    # The script has put the cursor where work begins.
    expect(page.locator(":focus")).to_be_attached()


def text_field(page: Page, name: str) -> str:
    """The field to write this into: what was found is put away; where there is nothing yet, the one text takes it."""
    if not name.endswith("_information"):
        return name
    shows = page.locator(f"[data-shows-found={name[len('paragraph')]}]")
    if not shows.is_visible():
        return f"{name}_standalone"
    shows.click()
    return name


def annotate(page: Page, example: Example, studio: Studio | None = None) -> None:
    """The six steps up to the submission; with a studio, each is photographed."""

    def fill(*names: str) -> None:
        for name in names:
            if name in example.texts:
                page.locator(f"[name={text_field(page, name)}]").fill(example.texts[name])
                page.keyboard.press("Tab")

    def photograph(step: int, name: str) -> None:
        if studio:
            expect_saved(page)
            page.locator(f"#step-{step}").evaluate("step => step.scrollIntoView()")
            studio.photograph(f"desk-{step}-{name}", page)

    # Before the article is there, its paragraph would be taken without its offset.
    expect(page.locator("#pane .ev-tagged").first).to_be_visible()
    page.keyboard.press("v")
    page.get_by_role("button", name="Use the tagged paragraph").click()
    # It takes a moment; what is typed meanwhile is kept beside it.
    expect(page.locator("[name=paragraphA_information]")).not_to_have_value("")
    fill("paragraphA_information", "paragraphA_information_standalone", "paragraphB_article")
    if studio:
        select_in_article(page, "27 semicircular arches")
        studio.photograph("desk-2-select", page)
        page.keyboard.press("2")
        expect(page.locator("[name=paragraphB_information]")).not_to_have_value("")
    fill("paragraphB_information", "paragraphB_information_standalone")
    page.locator("[name=paragraphA_article]").focus()
    photograph(2, "passages")
    page.get_by_role("button", name="Continue to statements").click()
    fill("relevantInfo_comment_A", "relevantInfo_comment_A_Span")
    fill("relevantInfo_comment_B", "relevantInfo_comment_B_Span")
    photograph(3, "statements")
    page.get_by_role("button", name="Continue to types").click()
    for label in example.types:
        page.get_by_label(label).first.check()
    photograph(4, "types")
    page.get_by_role("button", name="Continue to questions").click()
    for number, (question, *answers) in enumerate(example.questions, 1):
        if number > 1:
            page.get_by_role("button", name="Add a question").click()
        page.locator(f"[name=question{number}]").fill(question)
        for position, answer in enumerate(answers, 1):
            page.locator(f"[name=question{number}_answer{position}]").fill(answer)
    photograph(5, "questions")
    page.get_by_role("button", name="Continue to confidence").click()
    page.locator(f"[name=confidence][value='{example.confidence}']").check()
    photograph(6, "confidence")


def expect_saved(page: Page) -> None:
    expect(page.locator("#saved-state")).to_have_attribute("data-state", "saved")


def second_annotator_works(studio: Studio) -> None:
    page = studio.page_of("annotator2")
    page.goto("/annotation/desk/")
    page.get_by_role("button", name="Next tag").click()
    expect_tag(page, "Old Ferry Inn")
    page.keyboard.press("i")
    page.locator("[name=valid_comment]").fill(NOT_VALID)
    expect_saved(page)
    page.keyboard.press("Control+Enter")


def reviewer_looks_again(studio: Studio) -> None:
    page = studio.page_of("reviewer")
    page.goto("/annotation/comments/")
    studio.photograph("questions", page)
    page.get_by_role("button", name="Answer").click()
    studio.photograph("question", page)
    page.goto("/annotation/reviews/")
    studio.photograph("reviews", page)
    page.keyboard.press("n")
    expect(page.locator("h1")).to_have_text("Harrick Viaduct")
    studio.photograph("reviews-annotation", page)
    accept(page)
    expect(page.locator("h1")).to_have_text("Brenner process")
    return_annotation(studio, page)
    for title in ("Saltmarsh Observatory", "Old Ferry Inn"):
        expect(page.locator("h1")).to_have_text(title)
        accept(page)


def accept(page: Page) -> None:
    # A key does nothing before the page's script is there.
    page.wait_for_load_state("networkidle")
    page.keyboard.press("a")


def return_annotation(studio: Studio, page: Page) -> None:
    suggest = page.locator("#edits-f-paragraphA_information .suggest")
    suggest.locator("summary").click()
    field = suggest.locator("textarea")
    field.fill(field.input_value().removeprefix("The mixture is heated. "))
    suggest.get_by_label("Reason").fill("The second sentence is enough")
    studio.photograph("reviews-suggest", page)
    suggest.get_by_role("button", name="Suggest").click()
    expect(page.locator("#edits-f-paragraphA_information .edit")).to_be_visible()
    page.keyboard.press("r")
    page.get_by_label("What should be changed?").fill(RETURN)
    studio.photograph("reviews-return", page)
    page.get_by_role("button", name="Return", exact=True).click()


def annotator_gets_one_back(studio: Studio) -> None:
    page = studio.page_of("annotator")
    page.goto("/annotation/work/")
    page.get_by_role("link", name="Brenner process").click()
    studio.photograph("desk-returned", page)


def admin_releases(studio: Studio) -> None:
    page = studio.page_of("admin")
    page.goto("/annotation/progress/")
    studio.photograph("progress", page)
    page.goto("/annotation/tags/")
    page.get_by_role("link", name="Harrick Viaduct").click()
    studio.photograph("tag", page, whole=True)
    page.goto("/annotation/releases/")
    page.get_by_label("Name").fill("November")
    studio.photograph("release-new", page)
    page.get_by_text("Freeze as release").click()
    page.get_by_role("button", name="Freeze it for good").click()
    studio.photograph("release", page, whole=True)
    page.goto("/annotation/import/")
    studio.photograph("import", page)
    page.goto("/activity/")
    studio.photograph("log", page)
