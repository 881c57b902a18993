"""My work: what its annotator has to do, and a list of each state, however much they did."""

import re
from itertools import count

import pytest
from django.utils import timezone

from annotation.desk.comments.comments import ask_question
from annotation.desk.decisions import accept_annotation, return_annotation
from annotation.desk.work.my_work import work_of
from annotation.desk.work.own_work import MOST_COUNTED, TO_DO, WorkState, in_work_state, own_work, window_of
from annotation.models import Annotation, AnnotationState, Assignment, Tag
from tests.annotation.desk_helpers import (
    address,
    claim,
    complete_content,
    let_lapse,
    save,
    submit,
)
from tests.factories import AnnotationFactory, TagFactory

MY_WORK = "/annotation/work/"


def page(client, query: str = "") -> str:
    answer = client.get(MY_WORK + query)
    assert answer.status_code == 200
    return " ".join(answer.text.split())


def rows_of(shown: str) -> list[str]:
    return re.findall(r'<li data-row> <a href="[^"]+" dir="auto">([^<]+)</a>', shown)


numbers = count()


def give(annotator, number: int, state: str = "submitted", **values) -> None:
    """This number of annotations, of an article each, the last one touched last."""
    first = TagFactory()
    names = [field.attname for field in Tag._meta.concrete_fields if field.attname != "id"]
    same = {name: getattr(first, name) for name in names}
    tags = Tag.objects.bulk_create(Tag(**same | {"occurrence": next(numbers) + 2}) for _ in range(number))
    start = timezone.now()
    Annotation.objects.bulk_create(
        Annotation(
            tag=tag,
            annotator=annotator,
            state=state,
            version=1,
            submitted_at=start,
            saved_at=start + timezone.timedelta(seconds=after),
            **values,
        )
        for after, tag in enumerate(tags)
    )


# --- states ------------------------------------------------------------------------------------------------------


def test_what_needs_its_annotator_is_grouped_and_only_ones_own(annotator, other_annotator, anna, draft):
    save(draft, complete_content())
    for state in (AnnotationState.SUBMITTED, AnnotationState.ACCEPTED):
        AnnotationFactory(annotator=annotator, state=state, tag__article__title=f"Article {state}")
    returned = {"state": AnnotationState.RETURNED, "review_message": "Name the year."}
    AnnotationFactory(annotator=annotator, tag__article__title="Back", **returned)
    AnnotationFactory(annotator=other_annotator, tag__article__title="Not mine")
    shown = page(anna)
    assert rows_of(shown) == ["Back", "Harbour Bridge"]
    assert "Name the year." in shown
    assert rows_of(page(anna, "?state=submitted")) == ["Article submitted"]
    assert rows_of(page(anna, "?state=accepted")) == ["Article accepted"]
    assert rows_of(page(anna, "?state=nonsense")) == rows_of(shown)


def test_each_chip_has_its_count_and_an_empty_state_has_none(annotator, anna):
    give(annotator, 3, "submitted")
    give(annotator, 1_200, "accepted")
    shown = page(anna)
    chips = re.findall(r'href="\?state=(\w+)">([^<]+) <strong>([^<]+)</strong>', shown)
    assert chips == [("submitted", "Waiting for review", "3"), ("accepted", "Accepted", "1,200")]
    assert "Nothing to do" in shown
    assert 'aria-current="page">Not chosen</a>' in page(anna, "?state=not_chosen")
    assert "None of your annotations is in this state" in page(anna, "?state=not_chosen")


def test_without_work_the_page_says_what_will_be_there(anna):
    assert "Every tag you have worked on appears here" in page(anna)


def test_lists_and_counts_have_each_annotation_once(annotator, other_annotator, reviewer, anna):
    """The same that programs are told of all at once."""
    for _ in range(4):
        tag = TagFactory()
        Assignment.objects.create(tag=tag, number=2)
    mine, theirs = [], []
    for _ in range(3):
        mine.append(claim(annotator))
        theirs.append(Annotation.objects.get(pk=claim(other_annotator).pk))
        submit(mine[-1])
        submit(theirs[-1])
    accept_annotation(annotation=theirs[0], reviewer=reviewer)
    return_annotation(annotation=mine[1], reviewer=reviewer, message="Which bridge?")
    asking = claim(annotator)
    ask_question(annotation=asking, annotator=annotator, field="", text="Is a ferry a bridge?")
    for state in ("accepted", "excluded"):
        AnnotationFactory(annotator=annotator, state=state, review_message="No bridge.")
    TagFactory.create_batch(2)
    begun = claim(annotator)
    save(begun, complete_content())
    expected: dict[str, set[int]] = {state: set() for state in WorkState}
    for row in work_of(annotator):
        submitted = {"waiting": "submitted"}.get(row.review_state, row.review_state)
        expected["waiting" if row.is_waiting else submitted].add(row.pk)
    assert expected[WorkState.NOT_CHOSEN] == {mine[0].pk}
    assert expected[WorkState.WAITING] == {asking.pk}
    work = own_work(annotator)
    for state in WorkState:
        assert set(in_work_state(state, annotator).values_list("pk", flat=True)) == expected[state], state
        assert set(window_of(state, annotator.pk).rows.values_list("pk", flat=True)) >= expected[state]
        assert work.counts[state].number == len(expected[state])
        assert len(rows_of(page(anna, f"?state={state}"))) == len(expected[state])
    assert len(rows_of(page(anna))) == sum(len(expected[state]) for state in TO_DO)


def test_a_state_of_hundreds_says_at_least_how_many(annotator, anna):
    give(annotator, MOST_COUNTED + 5, "draft")
    shown = page(anna)
    assert f'<h2 id="draft">Drafts <span class="muted">{MOST_COUNTED + 1}+</span>' in shown
    assert len(rows_of(shown)) == 50
    assert 'href="?state=draft">Show all<span' in shown


# --- long lists --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["submitted", "accepted", "draft"])
def test_of_120_each_page_has_fifty_newest_first(annotator, anna, state):
    give(annotator, 120, state)
    newest = list(Annotation.objects.order_by("-saved_at", "-pk").values_list("pk", flat=True))
    first = anna.get(f"{MY_WORK}?state={state}")
    assert first.context["page"].is_first
    then = anna.get(f"{MY_WORK}?state={state}&page={first.context['page'].next}")
    last = anna.get(f"{MY_WORK}?state={state}&page=last")
    for answer, there in ((first, newest[:50]), (then, newest[50:100]), (last, newest[70:])):
        assert [row.pk for row in answer.context["page"]] == there
    assert f'href="?state={state}">First page</a>' in last.text


def test_a_group_shows_fifty_and_the_way_to_all(annotator, anna):
    give(annotator, 120, "returned", review_message="Which bridge?")
    shown = page(anna)
    assert '<h2 id="returned">Returned to you <span class="muted">120</span></h2>' in shown
    assert len(rows_of(shown)) == 50
    assert '<a href="?state=returned">Show all 120<span' in shown
    assert len(rows_of(page(anna, "?state=returned&page=last"))) == 50


# --- acts --------------------------------------------------------------------------------------------------------


def test_a_tag_left_without_a_word_is_no_work(anna, draft):
    let_lapse(draft)
    assert page(anna).count("Harbour Bridge") == 1
    anna.post(address("hand_back", draft))
    assert "Harbour Bridge</a>" not in page(anna)


def test_a_skipped_draft_can_be_worked_on_after_all(anna, draft, annotator):
    save(draft, complete_content())
    anna.post(address("skip", draft), {"reason": "too hard"})
    assert "Resume" in page(anna)
    assert anna.post(address("resume", draft), follow=True).status_code == 200
    assert claim(annotator) == draft


def test_handing_back_leads_back_to_the_page_of_the_list(anna, draft):
    save(draft, complete_content())
    here = f"{MY_WORK}?state=draft"
    assert f'name="next" value="{here}"' in page(anna, "?state=draft")
    assert anna.post(address("hand_back", draft), {"next": here})["Location"] == here


@pytest.mark.parametrize("given", [{}, {"next": "//elsewhere.example/"}, {"next": "https://elsewhere.example/"}])
def test_handing_back_never_leads_elsewhere(anna, draft, given):
    assert anna.post(address("hand_back", draft), given)["Location"] == MY_WORK


def test_of_what_waits_for_review_each_can_be_taken_back(anna, draft):
    submit(draft)
    assert f'action="{address("reopen", draft)}"' in page(anna, "?state=submitted")
    assert anna.post(address("reopen", draft))["Location"] == address("annotation", draft)
    assert "Take it back" not in page(anna, "?state=draft")
