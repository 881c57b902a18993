"""Beside an annotation under review stands the annotator's desk, to be read and not to be written on."""

import json

import pytest
from django.urls import reverse

from annotation.desk.assignments.assigning import assign_tag
from annotation.models import Annotation, Evidence, EvidenceRequest, PassageSource, RequestState
from core.models import Role
from tests.annotation.desk_helpers import claim, complete_content, save, submit
from tests.annotation.reading.test_reading_pane import WIKITEXT, have_fetched, take
from tests.conftest import make_person
from tests.factories import TagFactory

HTMX = {"HX-Request": "true"}


def make_draft(annotator, **more) -> Annotation:
    TagFactory(
        **{
            "article__title": "Harbour Bridge",
            "article__wikitext": WIKITEXT,
            "article__wiki__is_allowed": False,
            "paragraph": "It opened in 1903.{{Inconsistent|date=May 2024}} It is 300 m long.",
            "paragraph_clean": "It opened in 1903. It is 300 m long.",
            "section": "Opening",
        }
        | more
    )
    return claim(annotator)


@pytest.fixture
def submitted(annotator, sign_in) -> Annotation:
    """Passage 1 was selected in the article, and a word of it changed by hand; passage 2 was typed."""
    draft, client = make_draft(annotator), sign_in(annotator)
    have_fetched(client, draft)
    kept = Evidence.objects.get(tag=draft.tag, kind="article")
    assert take(client, draft, kept, "It opened in 1903.").status_code == 200
    save(draft, complete_content(paragraphA_information="It opened in May 1903."))
    submit(draft, complete_content(paragraphA_information="It opened in May 1903."))
    draft.refresh_from_db()
    return draft


def desk(client, annotation) -> str:
    return client.get(reverse("reviews_annotation", args=[annotation.pk])).text


def test_the_article_stands_beside_it_with_the_tagged_paragraph_marked(submitted, rita):
    shown = desk(rita, submitted)
    assert '<p class="ev-tagged">It opened in 1903.' in shown
    for kind in ("article", "history", "talk", "further"):
        assert f'href="{reverse("reviews_evidence", args=[submitted.pk, kind])}"' in shown
    assert reverse("desk_evidence", args=[submitted.pk, "talk"]) not in shown


def test_a_passage_says_where_it_was_selected_and_what_was_changed_by_hand(submitted, rita):
    shown = desk(rita, submitted)
    assert 'data-source="0"' in shown
    assert '"start": ' in shown.split('id="sources"')[1]
    assert "<ins>May </ins>" in shown.split("Edited after")[1]
    assert "Typed or imported" in shown


def test_nothing_on_it_can_be_written_or_picked(submitted, rita, reviewer):
    shown = desk(rita, submitted)
    for part in ("data-picks", "desk-form", "data-clears", "data-takes-paragraph", "scripts/desk/"):
        assert part not in shown
    source = PassageSource.objects.get()
    body = {"evidence": source.evidence_id, "start": 0, "end": 5, "position": 2, "is_first": True}
    address = reverse("desk_select", args=[submitted.pk])
    assert rita.post(address, json.dumps(body), content_type="application/json").status_code == 403
    assert PassageSource.objects.get() == source


def test_a_tab_is_there_as_a_fragment_and_as_a_page(submitted, rita):
    address = reverse("reviews_evidence", args=[submitted.pk, "article"])
    assert "ev-tagged" in rita.get(address, headers=HTMX).text
    page = rita.get(address).text
    assert "<html" in page
    assert f'href="{reverse("reviews_annotation", args=[submitted.pk])}"' in page


def test_what_could_not_be_had_is_tried_again_by_a_reviewer(submitted, rita):
    request = EvidenceRequest.objects.get(tag=submitted.tag, kind="talk")
    EvidenceRequest.objects.filter(pk=request.pk).update(state=RequestState.MISSING, reason="The wiki is away.")
    again = reverse("reviews_evidence_again", args=[submitted.pk, request.pk])
    assert again in rita.get(reverse("reviews_evidence", args=[submitted.pk, "talk"]), headers=HTMX).text
    assert "being fetched" in rita.post(again, headers=HTMX).text


def test_further_articles_are_those_of_its_writer_and_of_no_other_annotator(submitted, rita, other_annotator):
    for person, title in ((submitted.annotator, "Ferry"), (other_annotator, "Secret ferry")):
        EvidenceRequest.objects.create(
            tag=submitted.tag, article=submitted.tag.article, kind="further", subject=title, requested_by=person
        )
    shown = rita.get(reverse("reviews_evidence", args=[submitted.pk, "further"]), headers=HTMX).text
    assert "Ferry:" in shown
    assert "Secret" not in shown


def test_the_pane_is_as_blind_as_the_page(annotator, sign_in, admin, rita):
    """A person who is to annotate the same tag reads neither the annotation nor its writer's sources."""
    first = make_draft(annotator, annotations_needed=2)
    submit(first)
    both = make_person("bea", Role.REVIEWER, Role.ANNOTATOR)
    assign_tag(tag=first.tag, annotator=both, admin=admin)
    client = sign_in(both)
    request = EvidenceRequest.objects.create(tag=first.tag, article=first.tag.article, kind="article")
    again = reverse("reviews_evidence_again", args=[first.pk, request.pk])
    assert rita.post(again, headers=HTMX).status_code == 409, "there, but it waits for the other annotator"
    assert client.post(again).status_code == 404
    assert client.get(reverse("reviews_evidence", args=[first.pk, "further"])).status_code == 404
    assert client.post(reverse("reviews_further", args=[first.pk]), {"text": "Ferry"}).status_code == 404


def test_one_that_waits_for_the_others_shows_no_pane_yet(annotator, rita):
    first = make_draft(annotator, annotations_needed=2)
    submit(first)
    assert rita.get(reverse("reviews_evidence", args=[first.pk, "article"])).status_code == 409


def test_the_writer_reads_what_was_submitted_on_the_same_desk(submitted, annotator, sign_in):
    shown = sign_in(annotator).get(reverse("desk_annotation", args=[submitted.pk])).text
    assert '<mark class="span">' in shown
    assert "Take it back" in shown
    assert 'data-source="0"' in shown
    assert "desk-form" not in shown


@pytest.mark.parametrize("name", ["reviews", "reviews_annotation"])
def test_the_articles_wikitext_is_not_read_from_the_database(name, submitted, rita, django_assert_num_queries):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    args = [submitted.pk] if name == "reviews_annotation" else []
    with CaptureQueriesContext(connection) as queries:
        rita.get(reverse(name, args=args))
    assert not [query["sql"] for query in queries if '"annotation_article"."wikitext",' in query["sql"]]


def test_a_passage_that_is_the_tagged_paragraph_leads_there(annotator, rita):
    draft = make_draft(annotator)
    submit(draft, complete_content(paragraphA_information=draft.tag.paragraph_clean))
    assert "data-to-tagged" in desk(rita, draft)
