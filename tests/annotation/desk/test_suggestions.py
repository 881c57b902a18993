"""The form's suggestions: from titles, from the location of passages, from the look of spans. Else none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation import taxonomy
from annotation.assisting.suggestions import (
    Picked,
    Suggestions,
    modality,
    origin,
    question_kind,
    semantic_type,
    suggest,
)
from annotation.content.fields import empty_content


@pytest.mark.parametrize(
    ("one", "other", "code"),
    [
        ("3 June 1911", "14 May 1909", "DATE"),
        ("in 1972", "15 January 1971", "DATE"),
        ("In 1969", "In the early 1970s", "DATE"),
        ("c. 1796", "1794", "DATE"),
        ("19th dynasty", "c. 2500 BC", "DATE"),
        ("five years", "six years", "DATE"),
        ("31 metres", "27 metres", "NUM"),
        ("40.4%", "57–58%", "NUM"),
        ("three monks", "two monks", "NUM"),
        ("eleventh largest city", "5th largest city", "NUM"),
        ("1,920 passengers", "1,959 passengers", "NUM"),
        ("10 pounds", "400 shillings", "NUM"),
        ("JRD Tata Sports Complex Stadium", "Birsa Munda Football Stadium", "FAC"),
        ("Cashel King Cormacs club", "Knockavilla–Donaskeigh Kickhams club", "ORG"),
        ("Mexico", "Southern France", "LOC"),
        ("Treaty of Moscow", "Tartu Peace Treaty", "LAW"),
        ("occipital lobe", "thalamus", "NP"),
        ("it was rejected", "it was not rejected", "REL"),
        ("1903", "1903", ""),
        ("1903", "", ""),
        ("Rakoti", "Rhakotis", ""),
        ("opened in 1903", "was closed by then", ""),
    ],
)
def test_the_semantic_type_is_what_both_spans_look_like(one, other, code):
    assert semantic_type(one, other) == code
    assert semantic_type(other, one) == code


@pytest.mark.parametrize(
    ("one", "other", "code"),
    [
        ("Velm Bridge", "velm_Bridge", "SAME"),
        ("Velm Bridge", "Velm_Bridge", "SAME"),
        ("Velm Bridge", "Old Velm Bridge", "CROSS"),
        ("", "Velm Bridge", ""),
        ("  ", "Velm Bridge", ""),
    ],
)
def test_the_origin_is_that_of_the_titles(one, other, code):
    assert origin(one, other) == code


def test_another_language_is_another_article():
    assert origin("Bremen", "Bremen", languages=("en", "de")) == "CROSS"
    assert origin("Bremen", "Bremen", languages=("en", "")) == "SAME"
    assert origin("Bremen", "", same_passage=True) == "SAME"


@pytest.mark.parametrize(
    ("one", "other", "code"),
    [("text", "text", "TT"), ("text", "infobox", "TI"), ("table", "text", "TI"), ("table", "infobox", "II"),
     ("", "text", ""), ("text", "", "")],
)  # fmt: skip
def test_the_modality_is_where_the_passages_were_picked(one, other, code):
    assert modality(one, other) == code


@pytest.mark.parametrize(
    ("question", "kind"), [("Is it open?", "yes/no"), ("When did it open?", "wh"), ("  ", ""), ("Were they?", "wh")]
)
def test_a_question_is_of_the_kind_that_table_1_counts(question, kind):
    assert question_kind(question) == kind


def test_the_form_as_a_whole():
    content = empty_content() | {
        "paragraphA_article": "Velm Bridge",
        "paragraphB_article": "Velm Bridge",
        "relevantInfo_comment_A_Span": "3 June 1911",
        "relevantInfo_comment_B_Span": "1909",
        "question1": "When was it opened?",
        "question3": "Was it opened in 1909?",
    }
    found = suggest(content, (Picked("infobox", "en"), Picked("text", "en")))
    assert found == Suggestions("DATE", "TI", "SAME", ("wh", "", "yes/no"))
    assert found.by_field() == {
        "Contradict type I": "DATE",
        "Contradict type II": "TI",
        "Contradict type III": "SAME",
    }
    assert suggest(empty_content()).by_field() == {}
    same = suggest(content | {"wikitag_label_samepassage": "Same"}, (Picked("table"), Picked()))
    assert (same.modality, same.origin) == ("II", "SAME")


@given(st.text(max_size=80), st.text(max_size=80))
def test_whatever_is_suggested_can_be_chosen(one, other):
    code = semantic_type(one, other)
    assert code == "" or taxonomy.SEMANTIC_TYPE.option(code)


@pytest.mark.released
def test_on_the_released_sample_four_in_five_suggestions_are_what_people_chose(released_data):
    right = wrong = 0
    for record in json.loads((released_data / "wikicontradict_sample.json").read_text()):
        result = record["annotationResult"]
        spans = [result.get(f"relevantInfo_comment_{letter}_Span") or "" for letter in "AB"]
        pairs = [
            pair for pair in result.get("taxonomy", []) if len(pair) == 2 and pair[0] == taxonomy.SEMANTIC_TYPE.key
        ]
        options = [taxonomy.SEMANTIC_TYPE.from_published(text) for _, text in pairs]
        code = semantic_type(*spans)
        if code:
            is_right = code in {option.code for option in options if option}
            right, wrong = right + is_right, wrong + (not is_right)
    assert right >= 30
    assert right / (right + wrong) >= 0.8
