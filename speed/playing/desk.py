"""The worked examples of the desk, played in a browser by an annotator who knows it: with keys and mouse, or with the
mouse alone."""

from dataclasses import dataclass


@dataclass
class Example:
    title: str
    selections: tuple[str, str]
    spans: tuple[str, str]
    statements: tuple[str, str]
    question: tuple[str, str, str]


EXAMPLES = [
    Example(
        "14th Street bridges",
        ("It opened to traffic on 9 May 1950.", "The northbound bridge was opened in 1948"),
        ("9 May 1950", "in 1948"),
        ("the northbound bridge opened on 9 May 1950", "it was opened in 1948"),
        ("In which year did the northbound bridge open?", "1950", "1948"),
    ),
    Example(
        "10th Garrison Division",
        ("The division was raised in March 1941 out of older coastal battalions.", "1 January 1936"),
        ("March 1941", "1 January 1936"),
        ("the division was raised in March 1941", "it began on 1 January 1936"),
        ("Did the 10th Garrison Division exist in 1940?", "No", "Yes"),
    ),
]


class Hand:
    """Plays actions and counts them, except for typed text."""

    def __init__(self, page):
        self.page = page
        self.counts = {"keys": 0, "clicks": 0, "selections": 0}

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.counts["keys"] += 1

    def click(self, what) -> None:
        what.click()
        self.counts["clicks"] += 1

    def type(self, text: str, into: str) -> None:
        focused = self.page.evaluate("document.activeElement.name")
        assert focused == into, f"the cursor is in {focused!r}, not in {into!r}"
        self.page.keyboard.type(text)

    def select(self, root: str, words: str) -> None:
        """Drags over these words, scrolling to them if needed."""
        box = self.page.evaluate(
            """async ([root, words]) => {
              const scripts = document.querySelector("script[src$='/scripts/frame.js']").src;
              const { rangesOf } = await import(new URL("pane/ranges.js", scripts).href);
              const range = rangesOf(document.querySelector(root), words.toLowerCase())[0];
              const at = range.startContainer.parentElement;
              at.scrollIntoView({ block: "nearest", behavior: "instant" });
              const boxes = [...range.getClientRects()].filter((box) => box.width);
              const [first, last] = [boxes[0], boxes.at(-1)];
              return [first.left + 1, first.top + first.height / 2, last.right - 0.5, last.top + last.height / 2];
            }""",
            [root, words],
        )
        self.page.mouse.move(box[0], box[1])
        self.page.mouse.down()
        self.page.mouse.move(box[2], box[3], steps=4)
        self.page.mouse.up()
        self.counts["selections"] += 1


def play(page, example: Example) -> dict[str, int]:
    """Play the six steps of one tag and its submission, as an annotator who knows the keys."""
    hand = Hand(page)
    page.locator("#desk-form").wait_for()
    assert page.locator("#pane h1").inner_text() == example.title
    article = "#panel-article .ev-text"
    hand.press("v")
    for position, words in enumerate(example.selections, start=1):
        hand.select(article, words)
        hand.press(str(position))
        page.locator(f"[data-sources-of='{position}']:not([hidden])").wait_for()
    page.wait_for_timeout(700)  # time for a person to look at what is underlined
    for letter in "AB":
        while page.locator(f"[data-marks={letter}] .reference:not(.is-unknown)").count():
            before = page.locator(f"[name=paragraph{letter}_information_standalone]").input_value()
            hand.press("Alt+r")
            if page.locator(f"[name=paragraph{letter}_information_standalone]").input_value() == before:
                break
    hand.press("Alt+3")
    for letter, statement, span in zip("AB", example.statements, example.spans, strict=True):
        hand.type(statement, f"relevantInfo_comment_{letter}")
        hand.select(f"[data-passage-view={letter}]", span)
        hand.press("Alt+m")
    page.wait_for_timeout(700)
    hand.press("Alt+4")
    for _ in range(page.locator("[data-suggestion]:not([hidden])").count()):
        hand.press("Alt+s")
    hand.press("1")  # explicit; then the cursor is at the question
    assert page.locator("#step-4 :checked").count() == 4, page.locator("#step-4 :checked").count()
    question, *answers = example.question
    hand.type(question, "question1")
    for number, answer in enumerate(answers, start=1):
        hand.press("Tab")
        hand.type(answer, f"question1_answer{number}")
    hand.press("Alt+6", "5")
    address = page.url
    hand.press("Control+Enter")
    page.wait_for_url(lambda url: url != address)
    return hand.counts


def play_with_mouse(page, example: Example) -> dict[str, int]:
    """Play the same with the mouse alone: keys only for the texts."""
    hand = Hand(page)
    page.locator("#desk-form").wait_for()
    assert page.locator("#pane h1").inner_text() == example.title
    hand.click(page.locator("label:has([name=wikitag_label_valid][value=Valid])"))
    for position, words in enumerate(example.selections, start=1):
        hand.select("#panel-article .ev-text", words)
        hand.click(page.locator(f"#pick [data-picks='{position}']"))
        page.locator(f"[data-sources-of='{position}']:not([hidden])").wait_for()
    page.wait_for_timeout(700)
    for letter in "AB":
        known = page.locator(f"[data-marks={letter}] .reference:not(.is-unknown)")
        while known.count():
            before = known.count()
            hand.click(known.first)
            page.wait_for_timeout(100)
            if known.count() == before:
                break
    hand.click(page.get_by_role("button", name="Continue to statements"))
    for letter, statement, span in zip("AB", example.statements, example.spans, strict=True):
        if letter == "B":
            hand.click(page.locator("[name=relevantInfo_comment_B]"))
        hand.type(statement, f"relevantInfo_comment_{letter}")
        hand.select(f"[data-passage-view={letter}]", span)
        hand.click(page.locator(f"[data-takes-span={letter}]"))
    page.wait_for_timeout(700)
    hand.click(page.get_by_role("button", name="Continue to types"))
    suggested = page.locator("[data-suggestion]:not([hidden]) button")
    for _ in range(suggested.count()):
        hand.click(suggested.first)
    hand.click(page.locator("#step-4 [data-choice=EXP]"))
    assert page.locator("#step-4 :checked").count() == 4, page.locator("#step-4 :checked").count()
    hand.click(page.get_by_role("button", name="Continue to questions"))
    question, *answers = example.question
    hand.type(question, "question1")
    for number, answer in enumerate(answers, start=1):
        hand.click(page.locator(f"[name=question1_answer{number}]"))
        hand.type(answer, f"question1_answer{number}")
    hand.click(page.get_by_role("button", name="Continue to confidence"))
    hand.click(page.locator("#step-6 label:has([name=confidence][value='5'])"))
    address = page.url
    hand.click(page.locator("#submit"))
    page.wait_for_url(lambda url: url != address)
    return hand.counts
