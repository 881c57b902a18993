"""Replies of models to ContraDoc's prompts for sentences: each form is read back as it was written."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.contradoc import readers

BUILT, CROSSED = "The bridge was built in 1890, it is said.", "Nobody ever crossed it on foot."
BOTH = [BUILT, CROSSED]
FIVE = [*BOTH, "Many people walk over it.", "It is 3.5 km long.", "12:58 a.m. was the time."]


# --- Yes or no ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        *(
            "no-one knows",
            "No one knows.",
            "no‑one",
            "Nobody does.",
            "No. 5 is odd.",
            "No 5",
            "not",
            "say-no",
            "Yes-men",
            "yes-or-no",
        ),
        *("none", "know", "no5", "Yesterday"),
    ],
)
def test_a_part_of_another_word_is_no_answer(text):
    assert readers.read_yes_or_no(text).problem == readers.NEITHER


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(
            (text, False)
            for text in ("No.", "_no_", "(no)", "No – one sentence", "No.\n5 sentences", "No\nOne", "No, 5")
        ),
        *((text, True) for text in ("Yes; no-one said so.", "`yes`", "YES!", "Yes. See No. 5.", "__Yes__")),
    ],
)
def test_an_answer_is_a_word_whatever_stands_around_it(text, value):
    assert readers.read_yes_or_no(text).value is value


# --- Evidence -------------------------------------------------------------------------------------------------------


def numbered(mark: str, around: str = "{}", quotes=BOTH, *, first: str = "") -> str:
    lines = (
        mark.format(number, "abcde"[number - 1]) + around.format(quote) for number, quote in enumerate(quotes, 1)
    )
    return first + "\n".join(lines)


EVIDENCE = {
    "dashes": numbered("- "),
    "stars": numbered("* ", '"{}"'),
    "dots": numbered("• ", "“{}”"),
    "numbers": numbered("{}. "),
    "parentheses": numbered("{}) "),
    "letters": numbered("({1}) "),
    "letters with dots": numbered("{1}. "),
    "bold": numbered("- ", '**"{}"**'),
    "bold numbers": numbered("**{}.** "),
    "labels": numbered("Sentence {}: ", '"{}"'),
    "bold labels": numbered("**Sentence {}:** "),
    "labels of evidence": numbered("Evidence {}: ", '"{}"'),
    "block quotes": numbered("> ", '"{}"'),
    "quotes in lines": numbered("", '"{}"'),
    "commentary": numbered("{}. ", '"{}" - this contradicts the other one'),
    "commentary in parentheses": numbered("{}. ", '"{}" (no one knows why)'),
    "explained": numbered("- ", '"{}"') + "\n\nExplanation:\n- They contradict each other.",
    "introduced": numbered("- ", first="The article contradicts itself here:\n\n"),
    "prose behind": numbered("- ") + "\n\nBoth cannot be true.",
    "table": numbered("| {} | ", "{} |", first="| # | Sentence |\n|---|---|\n"),
    "table without a border": numbered("| ", "{} |", first="| Sentence |\n"),
    "a smaller head": numbered("| {} | ", "{} |", first="| # | Sentence |\n|---|:---|\n"),
    "named with a verb": f'"{BUILT}" contradicts "{CROSSED}"',
    "several lists": numbered("{}. ", '["{}"]'),
    "in a line": f'"{BUILT}", "{CROSSED}"',
    "and": f'"{BUILT}" and "{CROSSED}"',
    "versus": f'"{BUILT}" vs. "{CROSSED}"',
    "apostrophes": f"'{BUILT}', '{CROSSED}'",
    "backticks": f"`{BUILT}`, `{CROSSED}`",
    "numbered in a line": f'1. "{BUILT}" 2. "{CROSSED}"',
    "with paragraphs": f'"{BUILT}" (paragraph 1) and "{CROSSED}" (paragraph 4)',
    "quoted in prose": f'The article says that "{BUILT}" and later that "{CROSSED}".',
    "tuple": f'("{BUILT}", "{CROSSED}")',
    "set": f'{{"{BUILT}", "{CROSSED}"}}',
    "JSON": json.dumps(BOTH),
    "Python": str(BOTH),
    "assigned": f"sentences = {json.dumps(BOTH)}",
    "typographic": f"[“{BUILT}”, “{CROSSED}”]",
    "semicolons": f'["{BUILT}"; "{CROSSED}"]',
    "over lines": f'[\n  "{BUILT}",\n  "{CROSSED}",\n]',
    "fenced": f"\n```json\n{json.dumps(BOTH, indent=1)}\n```\nBoth cannot be true.",
    "escaped": json.dumps(BOTH).replace('"', '\\"'),
    "a list in a string": json.dumps(json.dumps(BOTH)),
    "comments in the list": f'["{BUILT}" (line 1), "{CROSSED}" (line 2)]',
    "an object": json.dumps({"sentences": BOTH}),
    "an object of another name": json.dumps({"contradicting pair": BOTH}),
    "an object in a fence": f"```json\n{json.dumps({'sentences': BOTH})}\n```",
    "a Python object": str({"sentences": BOTH}),
    "an object of sentences": json.dumps({"sentence1": BUILT, "sentence2": CROSSED}),
    "objects": json.dumps([{"sentence": each, "why": "no reason", "rank": 1} for each in BOTH]),
    "Python objects": str([{"sentence": each, "is_first": True} for each in BOTH]),
    "pairs": json.dumps([BOTH]),
    "an object in each line": "\n".join(json.dumps({"sentence": each}) for each in BOTH),
    "Roman numbers": f"i. {BUILT}\nii. {CROSSED}",
}


@pytest.mark.parametrize("form", EVIDENCE)
@pytest.mark.parametrize("label", ["Evidence: ", "Evidence:\n", "**Evidence:**\n\n", "### Evidence\n", ""])
def test_evidence_is_read_in_each_form(form, label):
    value = readers.read_judgment(f"Judgment: yes\n{label}{EVIDENCE[form]}").value
    assert value == {"yes": True, "quotes": BOTH, "count": 2}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"judgment": "yes", "evidence": BOTH}),
        json.dumps({"Judgment": "Yes", "sentences": BOTH}, indent=2),
        json.dumps({"judgement": "yes", "why": "No one else says so.", "evidence": BOTH}),
        f"```json\n{json.dumps({'judgment': 'yes', 'evidence': [{'sentence': each} for each in BOTH]})}\n```",
        str({"judgment": "yes", "evidence": BOTH}),
        json.dumps({"judgment": "yes", "evidence": json.dumps(BOTH)}),
    ],
)
def test_a_reply_that_is_an_object_is_read(text):
    assert readers.read_judgment(text).value == {"yes": True, "quotes": BOTH, "count": 2}


@pytest.mark.parametrize("around", ['"{}"', "“{}”", "'{}'", "{}", "**{}**"])
def test_a_single_string_is_evidence(around):
    assert readers.read_evidence(f"Evidence: {around.format(BUILT)}") == ([BUILT], "")
    assert readers.read_judgment(json.dumps({"judgment": "yes", "evidence": BUILT})).value["quotes"] == [BUILT]


@pytest.mark.parametrize(
    "text",
    [
        *("Evidence: None", "Evidence: N/A", "Evidence: []", "Evidence: {}", "**Evidence:** none."),
        *("Evidence:\n- None", "Evidence: [None]", "Evidence: No evidence found."),
    ],
)
def test_nothing_to_quote_is_an_empty_list_and_no_problem(text):
    assert readers.read_judgment(f"Judgment: yes\n{text}").value == {"yes": True, "quotes": [], "count": 0}


@pytest.mark.parametrize(
    "cut",
    [
        f'["{BUILT}", "{CROSSED}"',
        f'["{BUILT}", "{CROSSED}",',
        f'["{BUILT}", "{CROSSED}", "Many peop',
        f"['{BUILT}', '{CROSSED}', 'Many peop",
        f"[“{BUILT}”, “{CROSSED}”, “Many",
        f'{{"sentences": ["{BUILT}", "{CROSSED}", "Man',
        f'```json\n["{BUILT}",\n "{CROSSED}",\n "Man',
        f'- "{BUILT}"\n- "{CROSSED}"\n- "Many peop',
        f'"{BUILT}", "{CROSSED}", "Many',
        f'1. "{BUILT}"\n2. "{CROSSED}"\n3. "',
    ],
)
def test_a_list_that_is_cut_keeps_its_whole_items_and_is_flagged(cut):
    value = readers.read_judgment(f"Judgment: yes\nEvidence: {cut}").value
    assert value == {"yes": True, "quotes": BOTH, "count": 2, "list_problem": readers.CUT_LIST}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", readers.NO_LIST),
        ("[3, 7]", readers.BROKEN_LIST),
        ('["The bridge', readers.BROKEN_LIST),
        ("[The bridge, nobody]", readers.BROKEN_LIST),
    ],
)
def test_evidence_that_cannot_be_read_is_said(text, problem):
    value = readers.read_judgment(f"Judgment: yes\nEvidence: {text}").value
    assert (value["quotes"], value["list_problem"]) == ([], problem)
    assert "list_problem" not in readers.read_judgment(f"Judgment: no\nEvidence: {text}").value


def test_plain_lines_are_evidence_behind_the_label_only():
    said = 'He said "I never left" to the reporter, who wrote it down.'
    assert readers.read_evidence(f"Evidence: {said}\n{CROSSED}\n\nBoth cannot be true.") == ([said, CROSSED], "")
    assert readers.read_evidence("yes\nThe article says both.") == ([], readers.NO_LIST)


# --- The five likeliest ---------------------------------------------------------------------------------------------

INTRODUCTION = "Here are the five most likely sentences that can reflect contradictions, ranked by possibility:\n\n"
FIVE_AS = {
    "plain": "\n".join(FIVE),
    "introduced": INTRODUCTION + "\n".join(FIVE),
    "introduced without a colon": "Here are the five most likely sentences\n" + "\n".join(FIVE),
    "the five": "The five most likely sentences are:\n" + "\n".join(FIVE),
    "certainly": "Sure!\n\n" + INTRODUCTION + numbered("{}. ", quotes=FIVE) + "\n\nThese contradict one another.",
    "a heading": "## Contradictory sentences\n" + numbered("{}. ", '"{}"', FIVE),
    "a bold heading": "**Five most likely sentences:**\n" + numbered("- ", "{}", FIVE),
    "rules": "---\n" + numbered("{}. ", '"{}"', FIVE) + "\n---\nDone.",
    "bold": numbered("**{}.** ", '**"{}"**', FIVE),
    "italic": numbered("{}. ", '*"{}"*', FIVE),
    "hashes": numbered("#{}. ", '"{}"', FIVE),
    "brackets": numbered("[{}] ", '"{}"', FIVE),
    "labels": numbered("Sentence {}: ", "{}", FIVE),
    "with reasons": numbered("{}. ", '"{}"\n   - Explanation: it contradicts the next one', FIVE),
    "with commentary": numbered("{}. ", '"{}" – contradicts the next one', FIVE),
    "number and line": numbered("{}.\n", '"{}"', FIVE),
    "in one line": numbered("{}. ", '"{}"', FIVE).replace("\n", " "),
    "with commas": ", ".join(f'"{quote}"' for quote in FIVE),
    "a written line break": "\\n".join(f'"{quote}"' for quote in FIVE),
    "block quotes": numbered("> ", "{}", FIVE),
    "table": "| Rank | Sentence | Why |\n|:-:|---|--:|\n"
    + numbered("| {} | ", '"{}" | as it is contradicted by quite a number of other words |', FIVE),
    "table without pipes around it": "Rank | Sentence\n--- | ---\n" + numbered("{} | ", "{}", FIVE),
    "introduced table": INTRODUCTION + "| Sentence |\n|---|\n" + numbered("| ", "**{}** |", FIVE),
    "object": json.dumps({"sentences": FIVE}),
    "numbered object": json.dumps(dict(enumerate(FIVE, 1))),
    "fenced object": INTRODUCTION + f"```json\n{json.dumps({'sentences': FIVE}, indent=1)}\n```\nDone.",
    "Python": str(FIVE),
    "cut list": json.dumps([*FIVE, "And"])[:-3],
    "answer": f"Answer: {json.dumps(FIVE)}",
}


@pytest.mark.parametrize("form", FIVE_AS)
def test_the_five_are_read_in_each_form(form):
    assert readers.read_quotes(FIVE_AS[form]).value == FIVE


def test_numbers_and_marks_of_a_sentence_stay():
    assert readers.read_quotes('1. "I never," she said.\n2. 3.5 million\n3. “No,” he said – twice.').value == [
        '"I never," she said.',
        "3.5 million",
        "“No,” he said – twice.",
    ]
    assert readers.read_quotes('"Yes," he said.\nNobody came.').value == ['"Yes," he said.', "Nobody came."]


@pytest.mark.parametrize("text", ["", "None", "N/A", "[]", "- None", "```\n```"])
def test_a_reply_that_quotes_nothing_is_an_empty_list(text):
    assert readers.read_quotes(text).value == []


# --- Properties -----------------------------------------------------------------------------------------------------

words = st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyzéßÅ , 0123456789'"), min_size=1, max_size=30)
sentences = st.builds(lambda said: f"The {said.strip()} was here.", words)
some_sentences = st.lists(sentences, min_size=1, max_size=5)
FORMS = {
    "dashes": lambda quotes: numbered("- ", "{}", quotes),
    "numbers": lambda quotes: numbered("{}. ", '"{}"', quotes),
    "typographic numbers": lambda quotes: numbered("({}) ", "“{}”", quotes),
    "bold": lambda quotes: numbered("* ", '**"{}"**', quotes),
    "labels": lambda quotes: numbered("Sentence {}: ", '"{}"', quotes),
    "table": lambda quotes: numbered("| {} | ", "{} |", quotes, first="| No. | Sentence |\n|---|---|\n"),
    "JSON": json.dumps,
    "JSON over lines": lambda quotes: f"```json\n{json.dumps(quotes, indent=2)}\n```",
    "Python": str,
    "object": lambda quotes: json.dumps({"sentences": quotes}),
    "objects": lambda quotes: json.dumps([{"quote": quote, "reason": "It is so."} for quote in quotes]),
}


@given(
    some_sentences, st.sampled_from(sorted(FORMS)), st.sampled_from(["Evidence:\n", "**Evidence:**\n", "Evidence: "])
)
def test_a_list_printed_in_any_form_reads_back_the_same(quotes, form, label):
    printed = FORMS[form](quotes)
    assert readers.read_evidence(f"yes\n{label}{printed}") == (quotes, "")
    assert readers.read_quotes(INTRODUCTION + printed).value == quotes


@given(some_sentences, st.integers(1, 200), st.booleans())
def test_a_list_cut_anywhere_has_the_beginning_of_its_items(quotes, length, as_json):
    printed = (json.dumps if as_json else str)(quotes)
    cut = printed[: min(length, len(printed) - 1)]
    found, problem = readers.read_evidence(f"Evidence: {cut}")
    whole = [
        quote
        for number, quote in enumerate(quotes)
        if len((json.dumps if as_json else str)(quotes[: number + 1])) - 1 <= len(cut)
    ]
    assert found == whole
    assert problem == (readers.CUT_LIST if whole else readers.BROKEN_LIST)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip), max_size=5))
def test_a_list_as_json_or_python_comes_back(quotes):
    assert readers.read_list(json.dumps(quotes)) == quotes
    assert readers.read_evidence(f"Evidence: {json.dumps(quotes)}")[0] == quotes


@pytest.mark.parametrize(
    "piece",
    [
        '"',
        '" - ',
        "|",
        "- ",
        "[",
        '["a" ',
        "{'a': ",
        "\n",
        " ",
        "> ",
        "**",
        "evidence ",
        "1. ",
        '" (',
        "“",
        "no-",
        "\\",
    ],
)
def test_no_reply_takes_long(piece):
    begun = time.monotonic()
    for text in (piece * (100_000 // len(piece)), f"Judgment: yes\nEvidence: {piece * (100_000 // len(piece))}x"):
        for read in (readers.read_yes_or_no, readers.read_quotes, readers.read_judgment):
            read(text)
    assert time.monotonic() - begun < 5
