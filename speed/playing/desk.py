"""The worked examples of the desk, played in a browser by an annotator who knows it: with keys and mouse, or with the
mouse alone."""

from dataclasses import dataclass


@dataclass
class Example:
    title: str
    selections: tuple[str, str]
    # The stand-alone passages that come of it.
    passages: tuple[str, str]
    spans: tuple[str, str]
    statements: tuple[str, str]
    question: tuple[str, str, str]
    # Whether passage 1 is the tagged paragraph as a whole.
    takes_tagged: bool = False
    # Whether the spans, statements, question and answers that are drafted by rule say what is to be said.
    uses_drafts: bool = True
    # A word of passage 1 that no title can replace, and the words that are typed for it.
    reworded: tuple[str, str] | None = None


EXAMPLES = [
    Example(
        "14th Street bridges",
        ("It opened to traffic on 9 May 1950.", "The northbound bridge was opened in 1948"),
        (
            "The northbound bridge opened to traffic on 9 May 1950.",
            "The northbound bridge was opened in 1948, and the old Highway Bridge was closed.",
        ),
        ("9 May 1950", "1948"),
        (
            "the northbound bridge opened to traffic on 9 May 1950",
            "the northbound bridge was opened in 1948, and the old Highway Bridge was closed",
        ),
        ("When did the northbound bridge open to traffic?", "9 May 1950", "1948"),
        reworded=("It", "The northbound bridge"),
    ),
    Example(
        "Port Averil",
        ("It was founded in 1684 by salt traders.", "Founded 1721"),
        ("Port Averil was founded in 1684 by salt traders.", "Port Averil was founded in 1721."),
        ("1684", "1721"),
        ("Port Averil was founded in 1684 by salt traders", "Port Averil was founded in 1721"),
        ("When was Port Averil founded?", "1684", "1721"),
    ),
    Example(
        "Harrick Viaduct",
        ("24", "The viaduct carries the track on 27 semicircular arches"),
        (
            "Harrick Viaduct has 24 spans.",
            "Harrick Viaduct carries the track on 27 semicircular arches, each with a clear span of 12 metres.",
        ),
        ("24", "27 semicircular arches"),
        ("it has 24 spans", "it has 27 arches"),
        ("How many arches does it have?", "24", "27"),
        takes_tagged=True,
        uses_drafts=False,
    ),
    Example(
        "10th Garrison Division",
        ("The division was raised in March 1941 out of older coastal battalions.", "1 January 1936"),
        (
            "10th Garrison Division was raised in March 1941 out of older coastal battalions.",
            "10th Garrison Division opened on 1 January 1936.",
        ),
        ("March 1941", "1 January 1936"),
        (
            "10th Garrison Division was raised in March 1941 out of older coastal battalions",
            "10th Garrison Division opened on 1 January 1936",
        ),
        ("When was 10th Garrison Division raised?", "March 1941", "1 January 1936"),
    ),
]


class Hand:
    """Plays actions and counts them, except for typed text."""

    def __init__(self, page):
        self.page = page
        self.counts = {"keys": 0, "clicks": 0, "selections": 0}
        self.typed = 0

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
        self.typed += len(text)

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

    def value(self, name: str) -> str:
        return self.page.locator(f"[name='{name}']").input_value()


def play(page, example: Example) -> dict[str, int]:
    """Play the six steps of one tag and its submission, as an annotator who knows the keys; counts the typed
    characters, too."""
    hand = Hand(page)
    page.locator("#desk-form").wait_for()
    assert page.locator("#pane h1").inner_text() == example.title
    hand.press("v")
    take_passages(hand, example)
    page.wait_for_timeout(700)  # time for a person to look at what is underlined
    reword(hand, example)
    while page.locator("[data-marks] .reference:not(.is-unknown)").count():
        hand.press("Alt+r")
        page.wait_for_timeout(100)
    passages = tuple(hand.value(f"paragraph{letter}_information_standalone") for letter in "AB")
    assert passages == example.passages, passages
    page.wait_for_timeout(700)
    if example.uses_drafts:
        hand.press("Alt+e")  # statements, spans, types, question and answers
        page.wait_for_timeout(700)  # time to read them
        hand.press("Alt+4")
    else:
        state(hand, example)
        page.wait_for_timeout(700)
        # With the suggested types come drafts of step 5, unless it has none: where those are not wanted, one by one.
        hand.press("Alt+4" if page.locator("[name=question1_answer1]").get_attribute("placeholder") else "Alt+e")
    for _ in range(page.locator("[data-suggestion]:not([hidden])").count()):
        hand.press("Alt+s")
    hand.press("1")  # explicit; then the cursor is at the question
    assert page.locator("#step-4 :checked").count() == 4, page.locator("#step-4 :checked").count()
    ask(hand, example)
    check(hand, example)
    page.wait_for_timeout(700)
    hand.press("Alt+6", "5")
    address = page.url
    hand.press("Control+Enter")
    page.wait_for_url(lambda url: url != address)
    return hand.counts | {"typed": hand.typed}


def take_passages(hand: Hand, example: Example) -> None:
    """Select passage 1 and press its number, or take the tagged paragraph with a key; take the counterpart that is
    wanted as passage 2: the first suggestion with a key, another one with a click.
    """
    page, article = hand.page, "#panel-article .ev-text"
    if example.takes_tagged:
        hand.press("Alt+u")
    else:
        hand.select(article, example.selections[0])
        hand.press("1")
    page.locator("[data-sources-of='1']:not([hidden])").wait_for()
    listed = page.locator("[data-counterpart]", has_text=example.selections[1])
    if listed.count() and listed.get_attribute("data-counterpart") == "0":
        hand.press("Alt+b")
    elif listed.count():
        hand.click(listed)
    else:
        hand.select(article, example.selections[1])
        hand.press("2")
    page.locator("[data-sources-of='2']:not([hidden])").wait_for()


def reword(hand: Hand, example: Example) -> None:
    """Select a word of passage 1 with two clicks, and type others for it."""
    if not example.reworded:
        return
    word, words = example.reworded
    hand.select("[data-marks=A]", word)
    hand.type(words, "paragraphA_information_standalone")
    hand.page.wait_for_timeout(700)


def check(hand: Hand, example: Example) -> None:
    """Compare spans, statements, question and answers, drafted or typed, with those of the example."""
    spans = tuple(hand.value(f"relevantInfo_comment_{letter}_Span") for letter in "AB")
    statements = tuple(hand.value(f"relevantInfo_comment_{letter}") for letter in "AB")
    question = tuple(hand.value(f"question1{part}") for part in ("", "_answer1", "_answer2"))
    assert (spans, statements, question) == (example.spans, example.statements, example.question)


def state(hand: Hand, example: Example) -> None:
    """Take both spans from step 2, each of which puts the cursor at its statement, and write that."""
    for letter, statement, span in zip("AB", example.statements, example.spans, strict=True):
        hand.page.wait_for_timeout(700)  # time to look for the words
        hand.select(f"[data-marks={letter}]", span)
        hand.press("Alt+m")
        hand.type(statement, f"relevantInfo_comment_{letter}")


def ask(hand: Hand, example: Example) -> None:
    """Read the drafted question and answers, or write them."""
    question, *answers = example.question
    if example.uses_drafts:
        return
    hand.type(question, "question1")
    for number, answer in enumerate(answers, start=1):
        hand.press("Tab")
        hand.type(answer, f"question1_answer{number}")


def play_with_mouse(page, example: Example) -> dict[str, int]:
    """Play the same with the mouse alone: keys only for the texts."""
    hand = Hand(page)
    page.locator("#desk-form").wait_for()
    assert page.locator("#pane h1").inner_text() == example.title
    hand.click(page.locator("label:has([name=wikitag_label_valid][value=Valid])"))
    if example.takes_tagged:
        hand.click(page.locator("[data-takes-paragraph]"))
    else:
        hand.select("#panel-article .ev-text", example.selections[0])
        hand.click(page.locator("#pick [data-picks='1']"))
    page.locator("[data-sources-of='1']:not([hidden])").wait_for()
    listed = page.locator("[data-counterpart]", has_text=example.selections[1])
    if listed.count():
        hand.click(listed)
    else:
        hand.select("#panel-article .ev-text", example.selections[1])
        hand.click(page.locator("#pick [data-picks='2']"))
    page.locator("[data-sources-of='2']:not([hidden])").wait_for()
    page.wait_for_timeout(700)
    reword(hand, example)
    known = page.locator("[data-marks] .reference:not(.is-unknown)")
    while known.count():
        hand.click(known.first)
        page.wait_for_timeout(100)
    page.wait_for_timeout(700)
    hand.click(page.get_by_role("button", name="Continue to statements"))
    if example.uses_drafts:
        hand.click(page.locator("#step-3 [data-accepts-drafts]"))
    else:
        state_with_mouse(hand, example)
    page.wait_for_timeout(700)
    # Of the later steps, too: without drafts it chooses the suggested types.
    hand.click(
        page.get_by_role("button", name="Continue to types")
        if example.uses_drafts
        else page.locator("#step-3 [data-accepts-drafts]")
    )
    hand.click(page.locator("#step-4 [data-choice=EXP]"))
    assert page.locator("#step-4 :checked").count() == 4, page.locator("#step-4 :checked").count()
    page.wait_for_timeout(700)  # step 5 is shown now
    if not example.uses_drafts:
        ask_with_mouse(hand, example)
    check(hand, example)
    hand.click(page.get_by_role("button", name="Continue to confidence"))
    hand.click(page.locator("#step-6 label:has([name=confidence][value='5'])"))
    address = page.url
    hand.click(page.locator("#submit"))
    page.wait_for_url(lambda url: url != address)
    return hand.counts | {"typed": hand.typed}


def state_with_mouse(hand: Hand, example: Example) -> None:
    for letter, statement, span in zip("AB", example.statements, example.spans, strict=True):
        hand.page.wait_for_timeout(700)  # time to look for the words
        hand.select(f"[data-passage-view={letter}]", span)
        hand.click(hand.page.locator(f"[data-takes-span={letter}]"))
        hand.type(statement, f"relevantInfo_comment_{letter}")


def ask_with_mouse(hand: Hand, example: Example) -> None:
    question, *answers = example.question
    hand.type(question, "question1")
    for number, answer in enumerate(answers, start=1):
        hand.click(hand.page.locator(f"[name=question1_answer{number}]"))
        hand.type(answer, f"question1_answer{number}")
