"""The contradicted spans are marked wherever the two passages of an instance are shown, and stay as released."""

import pytest
from django.urls import reverse

from annotation.models import Instance, Passage
from annotation.releases.freezing import create_release
from annotation.releases.spans import spans_of
from benchmarks.wikicontradict.questionnaires.showing import ShownResponse
from judging.models import Response
from review.models import Adjudication, Judgment
from review.rounds.final_verdicts.pairing import complete_pairs
from tests.factories import AnnotationFactory
from tests.factories.judging import make_instance
from tests.factories.review import give, make_imported_run, make_response, make_round

MARKS = ('<mark class="span of-1">1903</mark>', '<mark class="span of-2">1899</mark>')


@pytest.fixture
def instance(admin) -> Instance:
    AnnotationFactory()
    return create_release(name="One", admin=admin).instances.get()


@pytest.fixture
def response(instance) -> Response:
    return make_response(make_imported_run(0), instance)


def test_they_are_those_of_the_record_that_was_frozen(instance, admin, django_assert_num_queries):
    assert spans_of([instance]) == {instance.pk: {1: "1903", 2: "1899"}}
    Passage.objects.update(span="bridge")
    assert spans_of([instance]) == {instance.pk: {1: "1903", 2: "1899"}}
    Passage.objects.update(standalone_text="Another text of the bridge.")
    create_release(name="Two", admin=admin)
    with django_assert_num_queries(1):
        assert spans_of([instance, instance]) == {instance.pk: {1: "1903", 2: "1899"}}


def test_an_instance_without_a_tag_has_none(db, django_assert_num_queries):
    instance = make_instance(passage_1="in 1903")
    with django_assert_num_queries(0):
        assert spans_of([instance]) == {instance.pk: {}}


def test_the_page_of_a_response_and_that_of_a_resolution_show_them(response, admin, sign_in):
    client = sign_in(admin)
    for page in (
        reverse("response", args=[response.key]),
        reverse("resolved_passages_edit", args=[response.instance_id]),
    ):
        text = client.get(page).text
        assert all(mark in text for mark in MARKS), page


def test_the_judging_page_and_adjudicating_show_them(response, admin, reviewer, other_reviewer, adjudicator, sign_in):
    round = make_round(admin, [reviewer, other_reviewer], response.run)
    text = sign_in(reviewer).get(reverse("judge_round", args=[round.key])).text
    assert all(mark in text for mark in MARKS)
    for person, verdict in ((reviewer, "correct"), (other_reviewer, "incorrect")):
        give(Judgment.objects.get(reviewer=person), verdict)
    complete_pairs()
    text = sign_in(adjudicator).get(reverse("adjudicate_item", args=[Adjudication.objects.get().key])).text
    assert all(mark in text for mark in MARKS)


def test_one_passage_that_is_both_has_both(response):
    text = "It opened in 1903 and was closed in 1899."
    shown = ShownResponse(response, {1: "1903", 2: "1899"})
    response.instance.content |= {"same_passage": True, "passage_1": text, "passage_2": text}
    marked = [(piece.text, piece.passage) for piece in shown.passages[0].pieces if piece.marked]
    assert marked == [("1903", 1), ("1899", 2)]


def test_what_stands_in_a_span_is_never_markup(response, admin, sign_in):
    evil = "<script>alert(1)</script>"
    shown = ShownResponse(response, {1: evil})
    response.instance.content["passage_1"] = f"It says {evil}."
    assert [piece.text for piece in shown.passages[0].pieces] == ["It says ", evil, "."]
