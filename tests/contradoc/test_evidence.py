"""Evidence in the forms that models write it in: none is lost, and what cannot be read says so."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.contradoc.readers import BROKEN_LIST, CUT_LIST, NO_LIST, read_judgment, read_quotes, read_yes_or_no

FIRST, SECOND = "The bridge opened in 1903.", "It was inaugurated in June 1905, [1] by the king."
BOTH = [FIRST, SECOND]

FORMS = {
    "JSON": json.dumps(BOTH),
    "Python": str(BOTH),
    "typographic": f"[“{FIRST}”, “{SECOND}”]",
    "fenced": f"```json\n{json.dumps(BOTH)}\n```",
    "an object": json.dumps({"sentences": BOTH}),
    "an object in a fence": f"```json\n{json.dumps({'sentences': BOTH, 'reason': 'They differ.'}, indent=2)}\n```",
    "bullets": f"\n- {FIRST}\n- {SECOND}",
    "stars": f"\n* {FIRST}\n* {SECOND}",
    "dots": f"\n• {FIRST}\n• {SECOND}",
    "numbers": f"\n1. {FIRST}\n2. {SECOND}",
    "numbers in brackets": f"\n1) {FIRST}\n2) {SECOND}",
    "letters": f"\n(a) {FIRST}\n(b) {SECOND}",
    "bold numbers": f"\n**1.** {FIRST}\n**2.** {SECOND}",
    "named sentences": f"\nSentence 1: {FIRST}\nSentence 2: {SECOND}",
    "quoted bullets": f'\n- "{FIRST}"\n- "{SECOND}"',
    "bullets with comments": f'\n- "{FIRST}" (first paragraph)\n- "{SECOND}" which contradicts it',
    "bold bullets": f"\n- **{FIRST}**\n- **{SECOND}**",
    "quotes on lines": f'\n"{FIRST}"\n"{SECOND}"',
    "quotes with a comma": f'"{FIRST}", "{SECOND}"',
    "quotes with a word between": f'"{FIRST}" contradicts "{SECOND}"',
    "a table": f"\n| # | Sentence |\n|---|:---|\n| 1 | {FIRST} |\n| 2 | {SECOND} |",
    "bullets and a remark": f"\n- {FIRST}\n- {SECOND}\n\nBoth cannot be true.",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("label", ["Evidence: ", "**Evidence:** ", "Evidence:\n"])
def test_evidence_is_read_in_every_form(form, label):
    read = read_judgment(f"Judgment: yes\n{label}{FORMS[form]}")
    assert read.value == {"yes": True, "quotes": BOTH, "count": 2}


@pytest.mark.parametrize("form", [each for each in FORMS if each not in ("quotes with a word between",)])
def test_the_label_may_be_missing(form):
    assert read_judgment(f"Judgment: yes\n{FORMS[form]}").value["quotes"] == BOTH


@pytest.mark.parametrize("text", [f'"{FIRST}"', f"“{FIRST}”", f"'{FIRST}'", FIRST, f"**{FIRST}**"])
def test_one_string_is_a_list_of_one(text):
    assert read_judgment(f"Judgment: yes\nEvidence: {text}").value == {"yes": True, "quotes": [FIRST], "count": 1}


@pytest.mark.parametrize(
    "text", [json.dumps(BOTH)[:-1], json.dumps([*BOTH, "And so"])[:-6], '{"sentences": ' + json.dumps(BOTH)[:-1]]
)
def test_a_list_that_is_cut_keeps_its_whole_quotes(text):
    value = read_judgment(f"Judgment: yes\nEvidence: {text}").value
    assert (value["quotes"], value["list_problem"]) == (BOTH, CUT_LIST)


@pytest.mark.parametrize(
    ("text", "problem"),
    [("", NO_LIST), ("Evidence:", NO_LIST), ("Evidence: [", BROKEN_LIST), ("Evidence: [1, 2]", BROKEN_LIST)],
)
def test_what_cannot_be_read_says_so(text, problem):
    value = read_judgment(f"Judgment: yes\n{text}").value
    assert (value["quotes"], value["list_problem"]) == ([], problem)


@pytest.mark.parametrize("text", ["None", "N/A", "[]", "n/a.", "No evidence", "*None*"])
def test_no_evidence_is_an_empty_list(text):
    assert read_judgment(f"Judgment: yes\nEvidence: {text}").value == {"yes": True, "quotes": [], "count": 0}


@pytest.mark.parametrize("form", [each for each in FORMS if "remark" not in each and "between" not in each])
@pytest.mark.parametrize("begun", ["", "Here are the five sentences:\n", "**The five most likely sentences:**\n\n"])
def test_quotes_are_read_without_head_and_introduction(form, begun):
    if form in ("bullets with comments", "quotes with a comma"):
        return
    assert read_quotes(begun + FORMS[form].lstrip()).value == BOTH


@pytest.mark.parametrize(
    "text", ["There is no-one.", "No one knows.", "See No. 5.", "nobody", "Not at all", "yes-or-no"]
)
def test_words_that_hold_a_no_are_none(text):
    assert read_yes_or_no(text).problem


@pytest.mark.parametrize(
    ("text", "said"), [("No.", False), ("no, it does not", False), ("**Yes**", True), ("No — it", False)]
)
def test_yes_and_no_are_read(text, said):
    assert read_yes_or_no(text).value is said


SENTENCES = st.lists(
    st.text(st.characters(categories=["L", "Nd"], include_characters=" ,;-é’"), min_size=24, max_size=80).map(
        lambda text: "A " + " ".join(text.split()) + " end."
    ),
    min_size=1,
    max_size=5,
)


@given(
    sentences=SENTENCES, form=st.sampled_from(["json", "python", "object", "bullets", "numbers", "quoted", "table"])
)
def test_a_list_reads_back_from_every_form(sentences, form):
    written = {
        "json": json.dumps(sentences),
        "python": str(sentences),
        "object": json.dumps({"evidence_sentences": sentences}, ensure_ascii=False),
        "bullets": "\n" + "\n".join(f"- {each}" for each in sentences),
        "numbers": "\n" + "\n".join(f"{number}. {each}" for number, each in enumerate(sentences, start=1)),
        "quoted": "\n".join(f'"{each}"' for each in sentences),
        "table": "\n| n | Sentence |\n| --- | --- |\n" + "\n".join(f"| 1 | {each} |" for each in sentences),
    }[form]
    assert read_judgment(f"Judgment: yes\nEvidence: {written}").value["quotes"] == sentences
