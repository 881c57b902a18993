"""Comments on words of a field: they keep their words, and say so when the text has changed."""

import pytest
from django.db import IntegrityError, transaction
from hypothesis import given
from hypothesis import strategies as st

from annotation.content.quoting import as_in_text, find_quote, quote_in
from annotation.models import Annotation, Comment
from tests.annotation.desk.test_comments import about, page, write
from tests.annotation.desk_helpers import claim, complete_content, save, submit
from tests.factories import TagFactory

FIELD = "paragraphA_information"
CHANGED = "These words have changed since."


@pytest.fixture
def submitted(annotator) -> Annotation:
    TagFactory()
    draft = claim(annotator)
    submit(draft)
    draft.refresh_from_db()
    return draft


def quote(client, annotation: Annotation, words: str, field: str = FIELD, **more):
    return write(client, annotation, "Which year?", field, quote=words, **more)


@given(st.text(max_size=40), st.text(min_size=1, max_size=5), st.text(max_size=40), st.integers(0, 100))
def test_words_that_are_there_are_found_nearest_to_where_they_were(before, words, behind, near):
    text = before + words + behind
    at = find_quote(text, words, near)
    assert at is not None
    assert text.startswith(words, at)
    others = [other for other in range(len(text)) if text.startswith(words, other)]
    assert abs(at - near) == min(abs(other - near) for other in others)


@given(st.text("ab", max_size=20), st.text("cd", min_size=1, max_size=3), st.integers(0, 30))
def test_words_that_are_gone_are_not_found(text, words, near):
    assert find_quote(text, words, near) is None


@given(
    st.lists(st.text("abc.*(", min_size=1, max_size=4), min_size=1, max_size=5),
    st.text(" \n\t", min_size=1, max_size=3),
)
def test_blanks_and_line_ends_between_the_words_make_no_difference(words, blank):
    text = "Before. " + blank.join(words) + " Behind."
    found = as_in_text(text, " ".join(words), 8)
    assert found is not None
    assert text.startswith(*found)
    assert found[0].split() == words


def test_a_browser_is_told_the_offset_as_it_counts():
    assert quote_in("\N{DIGIT ONE}\U0001f6b2 1903", "1903", 0).start == 4


def test_a_comment_on_words_shows_them_to_both(submitted, rita, anna):
    assert quote(rita, submitted, "in 1903").status_code == 302
    comment = Comment.objects.get()
    assert (comment.quote, comment.quote_start) == ("in 1903", len("It opened "))
    for client in (rita, anna):
        shown = page(client, about(submitted))
        assert "in 1903</button></blockquote>" in shown
        assert CHANGED not in shown


def test_the_words_stay_when_the_text_changes_and_the_comment_says_so(submitted, rita, anna):
    quote(rita, submitted, "in 1903")
    anna.post(f"/annotation/desk/{submitted.pk}/reopen/")
    save(submitted, complete_content(paragraphA_information="It was opened in 1903."))
    assert CHANGED not in page(anna, about(submitted))
    save(submitted, complete_content(paragraphA_information="It opened in 1904 to great applause."))
    shown = page(anna, about(submitted))
    assert CHANGED in shown
    assert "in 1903" in shown


def test_of_words_that_stand_there_twice_those_nearest_are_meant(annotator, anna):
    TagFactory()
    draft = claim(annotator)
    save(draft, complete_content(paragraphA_information="1903 or 1903?"))
    quote(anna, draft, "1903", near="8")
    assert Comment.objects.get().quote_start == 8


@pytest.mark.parametrize(
    ("words", "field"),
    [("in 1950", FIELD), ("in 1903", ""), ("x" * 1_001, FIELD)],
    ids=["not there", "no field", "long"],
)
def test_words_that_cannot_be_quoted_are_refused_and_what_was_typed_comes_back(words, field, submitted, rita):
    answer = quote(rita, submitted, words, field)
    assert answer.status_code == 400
    assert "Which year?" in answer.content.decode()
    assert not Comment.objects.exists()


def test_the_pages_for_reading_say_which_text_is_which_field(submitted, rita, anna):
    for client, address in (
        (rita, f"/annotation/reviews/{submitted.pk}/"),
        (anna, f"/annotation/desk/{submitted.pk}/"),
    ):
        shown = page(client, address)
        for name in ("paragraphA_information_standalone", "relevantInfo_comment_B", "question1_answer2"):
            assert f'data-quotes="{name}"' in shown


def test_programs_write_and_read_the_words(submitted, rita):
    sent = {"text": "Which year?", "field": FIELD, "quote": "in 1903"}
    where = f"/api/v1/annotations/{submitted.pk}/comments/"
    assert rita.post(where, sent, content_type="application/json").status_code == 201
    assert rita.get(where).json()[0]["quote"] == "in 1903"


@pytest.mark.parametrize(
    "values", [{"quote": "x"}, {"quote_start": 1}, {"quote": "x", "quote_start": 1, "field": ""}]
)
def test_the_database_refuses_half_a_quote(submitted, reviewer, values):
    whole = {"annotation": submitted, "author": reviewer, "text": "?", "field": FIELD}
    with pytest.raises(IntegrityError), transaction.atomic():
        Comment.objects.create(**whole | values)
