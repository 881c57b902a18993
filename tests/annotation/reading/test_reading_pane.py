"""The reading pane beside the form: the article, the passage made of a selection, and the messages of empty tabs."""

import json
from datetime import timedelta

import pytest
from django.urls import reverse

from annotation.content.rows import passages_of
from annotation.desk.drafts.sources import is_changed_by_hand, selected_text
from annotation.desk.drafts.time import Moves, moves_of
from annotation.models import (
    Annotation,
    Evidence,
    EvidencePage,
    EvidenceRequest,
    Family,
    PassageSource,
    RequestState,
    StepTime,
    Suggestion,
)
from tests.annotation.desk_helpers import claim, complete_content, save, submit
from tests.factories import TagFactory

WIKITEXT = """The '''Harbour Bridge''' crosses the river.<ref>Annals</ref>

== Opening ==
It opened in 1903.{{Inconsistent|date=May 2024}} It is 300 m long.

{| class="wikitable"
! Year !! Traffic
|-
| 1899 || 12 carts
|}
"""


@pytest.fixture
def draft(annotator) -> Annotation:
    TagFactory(
        article__title="Harbour Bridge",
        article__wikitext=WIKITEXT,
        article__wiki__is_allowed=False,
        paragraph="It opened in 1903.{{Inconsistent|date=May 2024}} It is 300 m long.",
        paragraph_clean="It opened in 1903. It is 300 m long.",
        section="Opening",
    )
    return claim(annotator)


def have_fetched(client, draft: Annotation, kind: str = "article") -> str:
    """The fragment that the open page requests for its pane."""
    return client.post(reverse("desk_evidence", args=[draft.pk, kind]), headers={"HX-Request": "true"}).text


@pytest.fixture
def kept(draft, anna) -> Evidence:
    have_fetched(anna, draft)
    return Evidence.objects.get(tag=draft.tag, kind="article")


def text_of(kept: Evidence) -> str:
    from annotation.reading.page_tree import parse

    return "".join(parse(kept.html).raw_texts())


def post(client, name: str, draft: Annotation, **sent):
    return client.post(reverse(name, args=[draft.pk]), json.dumps(sent), content_type="application/json")


def take(client, draft: Annotation, kept: Evidence, words: str, *, position: int = 1, is_first: bool = True):
    start = text_of(kept).index(words)
    return post(
        client,
        "desk_select",
        draft,
        evidence=kept.pk,
        start=start,
        end=start + len(words),
        words=words,
        position=position,
        is_first=is_first,
    )


OTHER = [
    "Sie wurde 1903 er\u00f6ffnet",
    "It opened in 1905",
    "",
    "t opened in 1903.",
    "It opened in 1903. It",
    "\ud800",
]


@pytest.mark.parametrize("words", OTHER)
def test_words_that_the_page_does_not_have_there_are_refused(draft, anna, kept, words):
    start = text_of(kept).index("It opened in 1903")
    where = {"evidence": kept.pk, "start": start, "end": start + len("It opened in 1903"), "position": 1}
    refused = post(anna, "desk_select", draft, **where, words=words, is_first=True)
    assert refused.status_code == 409
    assert "not those of the article" in refused.json()["message"]
    assert not PassageSource.objects.exists()
    # Blanks are as the browser puts them.
    taken = post(anna, "desk_select", draft, **where, words="It  opened\nin\u00a01903\u200b", is_first=True)
    assert taken.json()["sources"][0]["text"] == "It opened in 1903"


# --- reading -----------------------------------------------------------------------------------------------------


MARKED = '<p class="ev-tagged">It opened in 1903.<sup class="ev-aside ev-this-tag">[inconsistent]</sup>'


def test_the_first_page_of_a_tag_asks_for_the_article_and_later_ones_show_it(draft, anna):
    page, article = reverse("desk_annotation", args=[draft.pk]), reverse("desk_evidence", args=[draft.pk, "article"])
    first = anna.get(page).text
    assert f'hx-post="{article}" hx-trigger="load, submit"' in first
    assert "ev-tagged" not in first
    fragment = have_fetched(anna, draft)
    assert MARKED in fragment
    assert "made readable from the stored wikitext" in fragment
    assert "crosses the river" in fragment
    assert "<html" not in fragment
    second = anna.get(page).text
    assert MARKED in second
    assert f'hx-post="{article}"' not in second


def test_the_article_is_made_once(draft, anna, kept):
    have_fetched(anna, draft)
    assert Evidence.objects.filter(tag=draft.tag, kind="article").get() == kept


def test_without_script_a_button_brings_the_article(draft, anna):
    address = reverse("desk_evidence", args=[draft.pk, "article"])
    before = anna.get(address).text
    assert "Fetch the pages of this tag" in before
    after = anna.post(address).text
    assert "<html" in after
    assert MARKED in after
    assert "Fetch the pages of this tag" not in after


def test_an_article_that_is_there_does_not_keep_the_rest_from_being_asked_for(draft, anna, kept):
    EvidenceRequest.objects.filter(tag=draft.tag, kind="talk").delete()
    page = anna.get(reverse("desk_annotation", args=[draft.pk])).text
    assert MARKED in page
    assert f'<div hidden hx-post="{reverse("desk_evidence", args=[draft.pk, "history"])}" hx-trigger="load"' in page
    assert f'hx-post="{reverse("desk_evidence", args=[draft.pk, "talk"])}" hx-trigger="shown"' in page
    have_fetched(anna, draft, "history")
    assert EvidenceRequest.objects.filter(tag=draft.tag, kind="talk").exists()
    assert 'hx-trigger="load"' not in anna.get(reverse("desk_annotation", args=[draft.pk])).text


def test_a_tab_is_a_page_of_its_own_without_script(draft, anna, kept):
    shown = anna.get(reverse("desk_evidence", args=[draft.pk, "article"])).text
    assert "<html" in shown
    assert "ev-tagged" in shown


def test_what_could_not_be_had_says_why_and_can_be_tried_again(draft, anna, kept):
    request = EvidenceRequest.objects.get(tag=draft.tag, kind="talk")
    EvidenceRequest.objects.filter(pk=request.pk).update(state=RequestState.MISSING, reason="The wiki is away.")
    address = reverse("desk_evidence", args=[draft.pk, "talk"])
    shown = anna.get(address, headers={"HX-Request": "true"}).text
    assert "The wiki is away." in shown
    again = reverse("desk_evidence_again", args=[draft.pk, request.pk])
    assert again in shown
    assert "being fetched" in anna.post(again, headers={"HX-Request": "true"}).text
    request.refresh_from_db()
    assert request.state == RequestState.WAITING


def test_the_other_article_has_a_tab_where_the_tag_names_one(annotator, anna):
    TagFactory(family=Family.CONTRADICT_OTHER, other_articles=["Ferry"], article__wiki__is_allowed=False)
    shown = anna.get(reverse("desk_annotation", args=[claim(annotator).pk])).text
    assert 'id="tab-other"' in shown


def test_articles_asked_for_by_another_annotator_do_not_show(draft, anna, kept, other_annotator):
    EvidenceRequest.objects.create(
        tag=draft.tag, article=draft.tag.article, kind="further", subject="Secret ferry", requested_by=other_annotator
    )
    address = reverse("desk_evidence", args=[draft.pk, "further"])
    assert "Secret ferry" not in anna.get(address, headers={"HX-Request": "true"}).text


def test_hostile_evidence_does_nothing_even_if_it_was_stored(draft, anna):
    """Whatever way around the sanitiser a text took into the database, none leads onto the page."""
    evil = (
        "<script>alert(1)</script><p onclick=alert(1) style='position:fixed' class='pick' id='submit'>text</p>"
        "<form action=/annotation/desk/next/><button>Next</button></form><a href='javascript:alert(1)'>x</a>"
        "<div hx-get='/annotation/my-work/' hx-trigger='load'>y</div><iframe src=//evil.example></iframe>"
    )
    article = draft.tag.article
    Evidence.objects.create(
        tag=draft.tag,
        kind="article",
        rendering="wikitext",
        wiki=article.wiki,
        title="x",
        revision_id=article.revision_id,
        page=EvidencePage.of(evil),
        details={"tag_found": True},
    )
    shown = anna.get(reverse("desk_annotation", args=[draft.pk])).text
    within = shown[shown.index('<div class="ev-text"') : shown.index('id="panel-history"')]
    assert "text" in within
    for harm in (
        "<script",
        "onclick",
        "style=",
        "<form action",
        "<iframe",
        "javascript:",
        "hx-get='/annotation",
        'id="submit"',
    ):
        assert harm not in within
    assert 'class="pick"' not in within


# --- selecting ---------------------------------------------------------------------------------------------------


def test_a_selection_becomes_a_passage_without_marks_and_keeps_its_offsets(draft, anna, kept):
    answer = take(anna, draft, kept, "It opened in 1903.[inconsistent] It is 300 m long.").json()
    assert answer["sources"][0]["text"] == "It opened in 1903. It is 300 m long."
    assert answer["title"] == "Harbour Bridge"
    source = PassageSource.objects.get()
    assert (source.passage.position, source.evidence, source.kind) == (1, kept, "text")
    assert answer["sources"][0]["revision"] == draft.tag.article.revision_id


def test_a_table_row_comes_as_label_and_value(draft, anna, kept):
    take(anna, draft, kept, "12 carts", position=2)
    source = PassageSource.objects.get()
    assert (source.text, source.kind) == ("Traffic: 12 carts", "table")


def test_several_selections_add_up_in_the_order_of_the_article_and_a_first_one_begins_anew(draft, anna, kept):
    take(anna, draft, kept, "It opened in 1903.")
    take(anna, draft, kept, "crosses the river", is_first=False)
    passage = draft.passages.get(position=1)
    assert selected_text(passage) == "crosses the river\nIt opened in 1903."
    take(anna, draft, kept, "It is 300 m long.", is_first=False)
    assert selected_text(passage) == "crosses the river\nIt opened in 1903. It is 300 m long."
    again = take(anna, draft, kept, "300 m long", is_first=False)
    assert "already contains this text" in again.json()["message"]
    take(anna, draft, kept, "300 m long")
    assert selected_text(passage) == "300 m long"


def test_starting_over_forgets_where_the_passage_came_from_and_can_be_undone(draft, anna, kept):
    take(anna, draft, kept, "crosses the river")
    before = take(anna, draft, kept, "It opened in 1903.", is_first=False).json()["sources"]
    assert post(anna, "desk_sources", draft, position=1, parts=[]).json() == {"sources": []}
    assert not PassageSource.objects.exists()
    assert post(anna, "desk_sources", draft, position=1, parts=before).json() == {"sources": before}


WRONG_PARTS = [
    None,
    "all",
    ["one"],
    [{"evidence": 1}],
    [{"evidence": 999_999, "start": 0, "end": 9}],
    [{"evidence": None, "start": 9, "end": 9}],
    [{"evidence": None, "start": 0, "end": 9}] * 31,
]


@pytest.mark.parametrize("parts", WRONG_PARTS)
def test_parts_that_cannot_be_are_refused_and_change_nothing(draft, anna, kept, parts):
    take(anna, draft, kept, "It opened in 1903.")
    if isinstance(parts, list) and isinstance(parts[0], dict):
        parts = [{**part, "evidence": part["evidence"] or kept.pk} for part in parts]
    assert post(anna, "desk_sources", draft, position=1, parts=parts).status_code in (400, 409)
    assert PassageSource.objects.get().text == "It opened in 1903."


def test_a_passage_changed_by_hand_is_known_as_such(draft, anna, kept):
    take(anna, draft, kept, "It opened in 1903.")
    save(draft, complete_content(paragraphA_information="It opened in 1903."))
    assert not is_changed_by_hand(passages_of(draft)[0])
    save(draft, complete_content(paragraphA_information="It was opened in 1903."))
    assert is_changed_by_hand(passages_of(draft)[0])


def test_only_marks_are_no_passage(draft, anna, kept):
    answer = take(anna, draft, kept, "[inconsistent]")
    assert answer.status_code == 400
    assert "You selected only citation marks" in answer.json()["message"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"evidence": 999_999},
        {"position": 3},
        {"start": -1},
        {"start": "1"},
        {"end": 10**12},
        {"evidence": None},
        {"start": True},
    ],
)
def test_rubbish_is_refused_and_changes_nothing(draft, anna, kept, wrong):
    sent = {"evidence": kept.pk, "start": 0, "end": 10, "position": 1, "is_first": True} | wrong
    assert post(anna, "desk_select", draft, **sent).status_code in (400, 409)
    assert not PassageSource.objects.exists()


def test_the_page_of_another_tag_cannot_be_selected_from(draft, anna, kept, annotator):
    TagFactory(article__wikitext=WIKITEXT, article__wiki__is_allowed=False)
    other = claim_another(annotator, draft)
    assert take(anna, other, kept, "It opened in 1903.").status_code == 409


def claim_another(annotator, draft: Annotation) -> Annotation:
    submit(draft)
    return claim(annotator)


def test_a_submitted_annotation_takes_no_selection(draft, anna, kept):
    submit(draft)
    assert take(anna, draft, kept, "It opened in 1903.").status_code == 409


# --- help, and what is recorded of it ----------------------------------------------------------------------------


def test_words_that_need_resolving_come_with_the_title(draft, anna):
    content = complete_content(
        paragraphA_article="Harbour Bridge", paragraphA_information_standalone="It opened in 1903 for 🚋 trams."
    )
    answer = post(anna, "desk_assist", draft, content=content).json()
    first = answer["references"]["A"][0]
    assert (first["text"], first["start"], first["end"], first["replacement"]) == ("It", 0, 2, "Harbour Bridge")


def test_offsets_are_counted_as_browsers_count(draft, anna):
    content = complete_content(paragraphA_information_standalone="🚋 In 1903 it opened.")
    answer = post(anna, "desk_assist", draft, content=content).json()
    first = answer["references"]["A"][0]
    assert (first["text"], first["start"]) == ("it", 11)


def test_suggestions_follow_titles_picks_and_spans(draft, anna, kept):
    take(anna, draft, kept, "It opened in 1903.")
    take(anna, draft, kept, "12 carts", position=2)
    answer = post(anna, "desk_assist", draft, content=complete_content()).json()
    assert answer["suggestions"] == {
        "Contradict type I": "DATE",
        "Contradict type II": "TI",
        "Contradict type III": "SAME",
    }
    assert answer["questions"] == ["yes/no"]


def test_a_project_can_do_without_suggestions(draft, anna, admin):
    from core.project import change_settings

    change_settings(admin=admin, suggestions_on=False)
    answer = post(anna, "desk_assist", draft, content=complete_content()).json()
    assert (answer["suggestions"], answer["questions"]) == ({}, [])
    assert answer["references"]["A"] is not None


def test_what_became_of_a_suggestion_is_kept_the_last_word_counts(draft, anna):
    for outcome in ("accepted", "own"):
        sent = {"field": "Contradict type I", "suggested": "DATE", "outcome": outcome}
        assert post(anna, "desk_suggestion", draft, **sent).status_code == 200
    assert Suggestion.objects.get().outcome == "own"
    for wrong in ({"field": "nonsense"}, {"suggested": "XXX"}, {"outcome": "perhaps"}):
        sent = {"field": "Contradict type I", "suggested": "DATE", "outcome": "own"} | wrong
        assert post(anna, "desk_suggestion", draft, **sent).status_code == 400


# --- time --------------------------------------------------------------------------------------------------------


def test_time_counts_once_however_often_it_is_sent(draft, anna):
    for seconds in ({"1": 20}, {"1": 20}, {"1": 30, "2": 5}, {"1": 25}):
        assert post(anna, "desk_time", draft, page="tab-1", seconds=seconds).status_code == 200
    post(anna, "desk_time", draft, page="tab-2", seconds={"1": 10})
    assert {(row.page, row.step): row.seconds for row in StepTime.objects.all()} == {
        ("tab-1", 1): 30,
        ("tab-1", 2): 5,
        ("tab-2", 1): 10,
    }
    assert 'data-seconds="45"' in anna.get(reverse("desk_annotation", args=[draft.pk])).text


def test_actions_count_once_and_stay_unknown_where_a_page_counts_none(draft, anna):
    for actions, typed in (({}, {}), ({"1": 3}, {"1": 12}), ({"1": 2}, {}), ({"1": 3}, {"1": 12})):
        sent = {"page": "tab-1", "seconds": {"1": 20}, "actions": actions, "typed": typed}
        assert post(anna, "desk_time", draft, **sent).status_code == 200
    assert StepTime.objects.values_list("actions", "typed").get() == (3, 12)
    assert moves_of(Annotation.objects.all()) == {draft.pk: Moves(3, 12)}
    post(anna, "desk_time", draft, page="an older page", seconds={"1": 5})
    assert StepTime.objects.values_list("actions", "typed").last() == (None, None)
    assert moves_of(Annotation.objects.all()) == {}


@pytest.mark.parametrize("actions", [{"1": "many"}, {"1": -4}, [1], {"1": True}])
def test_what_is_no_number_of_actions_is_refused(draft, anna, actions):
    assert post(anna, "desk_time", draft, page="tab", seconds={"1": 5}, actions=actions).status_code == 400
    assert not StepTime.objects.exists()


def test_nobody_is_active_for_longer_than_the_annotation_exists(draft, anna):
    post(anna, "desk_time", draft, page="tab", seconds={"1": 1_000_000})
    assert StepTime.objects.get().seconds < 200


@pytest.mark.parametrize("seconds", [{"7": 1}, {"x": 1}, {"1": "many"}, {"1": -4}, [1, 2], "long", {"1": True}])
def test_what_is_no_time_is_refused(draft, anna, seconds):
    assert post(anna, "desk_time", draft, page="tab", seconds=seconds).status_code == 400
    assert not StepTime.objects.exists()


def test_admins_see_active_minutes_and_can_take_them_out(draft, anna, kept, admin, sign_in):
    take(anna, draft, kept, "It opened in 1903.")
    save(draft, complete_content(paragraphA_information="It was opened in 1903."))
    Annotation.objects.filter(pk=draft.pk).update(created_at=draft.created_at - timedelta(hours=1))
    counted = {"seconds": {"1": 60, "2": 240}, "actions": {"1": 4, "2": 9}, "typed": {"2": 30}}
    post(anna, "desk_time", draft, page="tab", **counted)
    submit(draft, complete_content(paragraphA_information="It was opened in 1903."))
    progress = sign_in(admin).get(reverse("progress")).text
    assert '<td class="number">5</td>' in progress
    assert '<td class="number">5.0</td>' in progress
    line = json.loads(sign_in(admin).get(reverse("export_now", args=["work"])).getvalue())
    assert (line["lead_time"], line["seconds_per_step"]) == (300, {"1": 60, "2": 240})
    assert (line["actions"], line["typed_characters"]) == (13, 30)
    source = line["passages"][0]["sources"][0]
    assert (source["revision_id"], source["text"]) == (draft.tag.article.revision_id, "It opened in 1903.")
    assert ["added", "was "] in line["passages"][0]["changed_by_hand"]
