"""Candidates are stored once and apart from tags; an admin sends them to the queue, dismisses them, and takes either
back.
"""

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.assisting.untagged.candidates import candidates_in_page
from annotation.desk.assignments.assignment import claim_next_tag
from annotation.finding.deciding import (
    decide_on_candidates,
    dismiss_candidate,
    send_to_queue,
    take_back_decision,
)
from annotation.finding.storing import store_page_candidates, store_text_candidates
from annotation.harvesting.harvests import start_harvest
from annotation.harvesting.revisions import store_page
from annotation.models import Article, Candidate, CandidateState, HarvestSource, Tag
from core.models import Event, Role
from core.refusals import Refusal
from tests.factories import WikiFactory

from .pages import BRIDGE, page

pytestmark = pytest.mark.django_db


def stored(wiki=None, revision: int = 70) -> int:
    found = candidates_in_page("Tarn Bridge", BRIDGE)
    wiki = wiki or WikiFactory()
    bridge = page("Tarn Bridge", BRIDGE, revision=revision)
    return store_page_candidates(wiki=wiki, page=bridge, found=found, by=None)


@pytest.fixture
def candidate() -> Candidate:
    stored()
    return Candidate.objects.get()


def test_candidates_are_stored_with_their_article_and_are_no_tags():
    assert stored() == 1
    candidate = Candidate.objects.get()
    assert (candidate.state, candidate.kind, candidate.article.wikitext) == ("waiting", "infobox", BRIDGE)
    assert not Tag.objects.exists()
    assert [event.label for event in Event.objects.about(candidate)] == ["found"]


def test_a_later_pass_finds_nothing_twice_not_even_in_a_newer_revision():
    wiki = WikiFactory()
    assert [stored(wiki), stored(wiki), stored(wiki, revision=71)] == [1, 0, 0]
    assert Article.objects.count() == 1


def test_a_dismissed_candidate_does_not_come_back(candidate, admin):
    dismiss_candidate(candidate=candidate, admin=admin)
    stored(candidate.article.wiki)
    assert Candidate.objects.get().state == CandidateState.DISMISSED


def test_a_document_with_another_text_of_the_same_title_is_refused():
    found = candidates_in_page("Tarn Bridge", BRIDGE)
    assert store_text_candidates(title="Notes", text="One.", found=found, by=None) == 1
    with pytest.raises(Refusal, match="another text is already here"):
        store_text_candidates(title="Notes", text="Two.", found=found, by=None)


def test_sending_makes_a_tag_that_says_that_the_program_found_it(candidate, admin):
    tag = send_to_queue(candidate=candidate, admin=admin)
    assert tag.is_found_by_program
    assert (tag.raw, tag.section, tag.start) == ("", "History", None)
    assert "opened: 1868 ≠ 4 May 1871" in tag.reason
    assert "Opened: 1868" in tag.reason
    # The whole line, by which the desk finds the paragraph.
    assert tag.paragraph_clean.startswith("Its first arch was set in 1866. The bridge was opened on 4 May 1871")
    assert str(tag) == "Tarn Bridge: found by the program"


def test_the_queue_hands_it_out_and_nothing_before(candidate, admin, annotator):
    assert claim_next_tag(annotator=annotator) is None
    tag = send_to_queue(candidate=candidate, admin=admin)
    assert claim_next_tag(annotator=annotator).tag == tag


@pytest.mark.parametrize("decide", [send_to_queue, dismiss_candidate])
def test_a_decided_candidate_is_not_decided_again(decide, candidate, admin):
    dismiss_candidate(candidate=candidate, admin=admin)
    with pytest.raises(Refusal, match="decided already"):
        decide(candidate=candidate, admin=admin)
    assert not Tag.objects.exists()


def test_a_dismissal_is_taken_back(candidate, admin):
    dismiss_candidate(candidate=candidate, admin=admin)
    take_back_decision(candidate=candidate, admin=admin)
    candidate.refresh_from_db()
    assert (candidate.state, candidate.decided_at, candidate.decided_by) == ("waiting", None, None)
    with pytest.raises(Refusal, match="Nobody has decided"):
        take_back_decision(candidate=candidate, admin=admin)


def test_a_sent_one_is_taken_back_while_nobody_works_on_it_and_keeps_its_tag(candidate, admin, annotator):
    tag = send_to_queue(candidate=candidate, admin=admin)
    take_back_decision(candidate=candidate, admin=admin)
    assert claim_next_tag(annotator=annotator) is None
    assert send_to_queue(candidate=candidate, admin=admin) == tag
    claim_next_tag(annotator=annotator)
    with pytest.raises(Refusal, match="begun to work"):
        take_back_decision(candidate=candidate, admin=admin)
    candidate.refresh_from_db()
    assert candidate.state == CandidateState.SENT


def test_an_admin_who_annotates_it_learns_nothing_of_others(candidate, admin):
    tag = send_to_queue(candidate=candidate, admin=admin)
    admin.groups.add(Group.objects.get_or_create(name=Role.ANNOTATOR)[0])
    assert claim_next_tag(annotator=admin).tag == tag
    with pytest.raises(Refusal, match="You annotate this tag yourself"):
        take_back_decision(candidate=candidate, admin=admin)


def test_each_decision_is_in_the_log(candidate, admin):
    send_to_queue(candidate=candidate, admin=admin)
    take_back_decision(candidate=candidate, admin=admin)
    dismiss_candidate(candidate=candidate, admin=admin)
    events = [(event.label, event.actor) for event in Event.objects.about(candidate)]
    decided = ["sent to the queue", "took back the decision", "dismissed"]
    assert events == [("found", None), *((each, admin) for each in decided)]


def test_many_are_decided_and_those_refused_are_named(candidate, admin):
    assert decide_on_candidates(candidates=[candidate], action="dismiss", admin=admin) == (1, [])
    done, refused = decide_on_candidates(candidates=[candidate], action="send", admin=admin)
    assert (done, refused) == (0, ["Tarn Bridge: This candidate is decided already. Nothing was changed."])
    with pytest.raises(Refusal, match="Choose an action"):
        decide_on_candidates(candidates=[candidate], action="", admin=admin)


def test_a_harvest_of_the_article_leaves_the_tag_in_the_queue(candidate, admin):
    tag = send_to_queue(candidate=candidate, admin=admin)
    wiki = candidate.article.wiki
    harvest = start_harvest(
        source=HarvestSource.DUMP, wiki=wiki, parameters={"path": "annotation/samples/articles.xml"}
    )
    found = store_page(
        wiki=wiki, page=page("Tarn Bridge", BRIDGE, revision=72), found=[], harvest=harvest, is_live=True
    )
    tag.refresh_from_db()
    assert (tag.gone_at, found.tags_gone) == (None, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"text_1": ""},
        {"reason": ""},
        {"score": -1.0},
        {"kind": "guess"},
        {"state": "lost"},
        {"state": CandidateState.SENT},
        {"decided_at": timezone.now()},
    ],
    ids=lambda wrong: ", ".join(wrong),
)
def test_the_database_refuses_what_no_candidate_can_be(wrong, candidate):
    with pytest.raises(IntegrityError), transaction.atomic():
        Candidate.objects.filter(pk=candidate.pk).update(**wrong)


def test_a_candidate_becomes_one_tag_only(candidate, admin):
    tag = send_to_queue(candidate=candidate, admin=admin)
    with pytest.raises(IntegrityError), transaction.atomic():
        Tag.objects.create(
            article=tag.article, last_seen_in=tag.article, raw="", family=tag.family, candidate=candidate
        )
