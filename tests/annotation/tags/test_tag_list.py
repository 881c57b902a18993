"""The list of all tags for admins: states, filters, and what is changed for the ticked ones."""

from datetime import timedelta
from itertools import product

import pytest
from django.utils import timezone

from annotation.desk.assignments.assigning import assign_tag
from annotation.desk.assignments.assignment import claim_next_tag
from annotation.models import Annotation, Assignment, Tag
from annotation.tags.changes import set_priority
from annotation.tags.states import TagState, with_state
from core.models import Event, User
from tests.factories import AnnotationFactory, ArticleFactory, TagFactory, WikiFactory

NOW = timezone.now()
# Annotates nothing.
READER = User(pk=0)


def state_of(tag: Tag) -> str:
    return with_state(Tag.objects.all(), reader=READER).get(pk=tag.pk).state  # type: ignore[attr-defined]


def annotation(tag, annotator=None, state="submitted", version=1) -> Annotation:
    message = {"review_message": "ambiguous"} if state in ("excluded", "returned") else {}
    return Annotation.objects.create(
        tag=tag, annotator=annotator, state=state, version=version, submitted_at=NOW, **message
    )


@pytest.fixture
def site(admin, sign_in):
    return sign_in(admin)


@pytest.fixture
def tag(db) -> Tag:
    return TagFactory(article__title="Velm Bridge")


# --- States -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "state"),
    [
        ([], "free"),
        (["draft"], "draft"),
        (["returned"], "draft"),
        (["submitted"], "submitted"),
        (["accepted"], "accepted"),
        (["excluded"], "excluded"),
        (["excluded", "draft"], "draft"),
        (["submitted", "accepted"], "accepted"),
        (["draft", "submitted"], "submitted"),
    ],
)
def test_the_annotation_that_got_farthest_tells_the_state(made, state, tag):
    for name in made:
        annotation(tag, state=name)
    assert state_of(tag) == state


def test_a_claim_is_a_claim_until_something_is_saved_or_the_lease_lapses(tag, annotator):
    work = claim_next_tag(annotator=annotator)
    assert work
    assert state_of(tag) == "claimed"
    Annotation.objects.filter(pk=work.pk).update(version=1)
    assert state_of(tag) == "draft"
    Annotation.objects.filter(pk=work.pk).update(version=0)
    Assignment.objects.update(lease_expires_at=NOW - timedelta(seconds=1))
    assert state_of(tag) == "free"


def test_gone_and_flagged_come_before_all_else(tag, annotator):
    annotation(tag, state="accepted")
    Tag.objects.update(flagged_at=NOW, flagged_by=annotator, flag_reason="odd")
    assert state_of(tag) == "flagged"
    Tag.objects.update(gone_at=NOW)
    assert state_of(tag) == "gone"


WORKS = ["", "claimed", "draft", "submitted", "accepted", "excluded", "returned"]


@pytest.mark.parametrize("times", [0, 1, 2])
def test_each_tag_is_counted_once_and_found_under_its_state(times, annotator, admin, sign_in):
    for is_gone, work in [*product([False, True], WORKS), *product([False], WORKS[1::2])] * times:
        tag = TagFactory(gone_at=NOW if is_gone else None)
        if work == "claimed":
            tag.assignments.update(annotator=annotator, claimed_at=NOW)
        elif work:
            annotation(tag, state=work)
    states = [tag.state for tag in with_state(Tag.objects.all(), reader=READER)]  # type: ignore[attr-defined]
    site = sign_in(admin)
    for state in TagState.values:
        page = site.get("/annotation/tags/", {"state": state})
        assert len(page.context["page"]) == states.count(state)
        assert {tag.state for tag in page.context["page"]} <= {state}
        assert page.context["states"][TagState.values.index(state)][2] == str(states.count(state))


# --- Filters ------------------------------------------------------------------------------------------------------


def test_filters_stand_in_the_address(site, tag, annotator):
    other = TagFactory(family="self-contradictory", article__title="Tarn <b>Railway</b>")
    annotation(other, annotator=annotator, state="accepted")
    whole = site.get("/annotation/tags/").text
    assert "Velm Bridge" in whole
    assert "Tarn &lt;b&gt;Railway" in whole
    for query in ("state=accepted", "family=self-contradictory", f"wiki={other.article.wiki_id}", "q=tarn"):
        shown = site.get(f"/annotation/tags/?{query}").text
        assert "Tarn" in shown
        assert "Velm Bridge" not in shown
    assert "Velm Bridge" not in site.get(f"/annotation/tags/?person={annotator.pk}").text


def test_imported_tags_can_be_found(site, db):
    TagFactory(article=ArticleFactory(title="From a file", wiki=None, revision_id=None))
    TagFactory(article__title="From a wiki")
    shown = site.get("/annotation/tags/?wiki=none").text
    assert "From a file" in shown
    assert "From a wiki" not in shown


@pytest.mark.parametrize(
    "query",
    ["state=x", "family=x", "wiki=x", "wiki=²", "person=-1", "work=x", "harvest=99999999999999999999", "page=0",
     "page=x", "page=99999999", "sort=x", "q=%FF", "wiki=1%27"],
)  # fmt: skip
def test_a_filter_that_makes_no_sense_does_no_harm(query, site, tag):
    assert site.get(f"/annotation/tags/?{query}").status_code == 200


def test_what_is_in_force_stays_so_and_what_was_not_understood_is_not_shown(site, tag):
    shown = site.get(f"/annotation/tags/?state=free&family={tag.family}&harvest=x&person=7&q=velm&sort=queue").text
    for kept in ("state", "free"), ("person", "7"), ("sort", "queue"):
        assert '<input type="hidden" name="{}" value="{}"'.format(*kept) in shown
    assert 'name="harvest"' not in shown
    assert f'<option value="{tag.family}" selected>' in shown
    assert 'name="q" value="velm"' in shown
    assert 'name="sort"' not in site.get("/annotation/tags/").text


@pytest.mark.parametrize(
    "page", ["", "0", "2", "x", "²", "after-", "before-W10", "after-WyJ4Il0", "after-WzFlOTk5XQ", "9" * 5_000]
)
def test_what_is_no_position_in_the_list_is_its_first_page(page, site, tag):
    assert site.get("/annotation/tags/", {"page": page}).context["page"].is_first


def follow(site, query: str, link: str) -> list:
    """The pages that this link leads to, one after the other."""
    pages, page = [], query
    while True:
        pages.append(site.get(f"/annotation/tags/?sort=queue&page={page}").context["page"])
        page = getattr(pages[-1], link)
        if not page:
            return pages


def test_pages_go_on_where_the_one_before_ended(site, db):
    article = ArticleFactory(title="Long list")
    for number in range(120):
        TagFactory(article=article, priority=number // 40)
    queue = list(Tag.objects.order_by("-priority", "pk"))
    forwards = follow(site, "", "next")
    assert [tag for page in forwards for tag in page] == queue
    assert [len(page) for page in forwards] == [50, 50, 20]
    backwards = follow(site, "last", "previous")
    assert [tag for page in reversed(backwards[:2]) for tag in page] == queue[20:]
    assert list(backwards[2]) == queue[:50]  # the first page is full, whichever way one comes
    shown = site.get("/annotation/tags/?sort=queue").text
    assert "120 tags" in shown
    assert "?sort=queue&amp;page=last" in shown


def test_sorts_by_age_and_by_the_queue(site, db):
    for priority in (0, 5, 3):
        TagFactory(priority=priority)
    assert [tag.priority for tag in site.get("/annotation/tags/").context["page"]] == [3, 5, 0]
    assert [tag.priority for tag in site.get("/annotation/tags/?sort=queue").context["page"]] == [5, 3, 0]


def test_each_state_in_the_order_of_the_queue(site, annotator, other_annotator):
    first, second = TagFactory(), TagFactory(priority=2)
    for tag in (first, second):
        annotation(tag, annotator, "accepted")
    annotation(TagFactory(priority=9), annotator)
    third = TagFactory(priority=-3)
    annotation(third, other_annotator, "accepted")

    def listed(state: str) -> list:
        return list(site.get(f"/annotation/tags/?sort=queue&state={state}").context["page"])

    assert listed("accepted") == [second, first, third]
    assert [tag.priority for tag in listed("submitted")] == [9]
    set_priority(tag=third, priority=5, admin=annotator)
    assert listed("accepted") == [third, second, first]
    for tag, priority in ((TagFactory(), 0), (TagFactory(), 4)):
        set_priority(tag=tag, priority=priority, admin=annotator)
        Assignment.objects.filter(tag=tag).update(annotator=annotator, claimed_at=timezone.now())
    assert [tag.priority for tag in listed("claimed")] == [4, 0]
    Tag.objects.filter(pk__in=[first.pk, second.pk]).update(
        flagged_at=timezone.now(), flagged_by=annotator, flag_reason="No such line"
    )
    assert listed("flagged") == [second, first]
    Tag.objects.update(gone_at=timezone.now())
    assert [tag.priority for tag in listed("gone")] == [9, 5, 4, 2, 0, 0]


def test_looks_through_so_many_tags_for_a_page_and_goes_on_if_asked(site, db, monkeypatch):
    monkeypatch.setattr("core.lists.pages.LOOKS", (2, 3))
    sought = TagFactory(article__wiki=WikiFactory())
    for _ in range(12):
        TagFactory(article__wiki=None, article__revision_id=None)
    shown, pages = site.get(f"/annotation/tags/?wiki={sought.article.wiki_id}"), 1
    assert "Searched 5 tags: no match so far." in shown.text
    while not list(shown.context["page"]):
        shown = site.get(f"/annotation/tags/?wiki={sought.article.wiki_id}&page={shown.context['page'].next}")
        pages += 1
    assert list(shown.context["page"]) == [sought]
    assert pages == 3


def test_a_search_finds_what_begins_with_the_words_and_among_the_newest_what_has_them(site, db, monkeypatch):
    monkeypatch.setattr("core.lists.search.NEWEST_SEARCHED", 2)
    for title in ("Velm Bridge", "Old bridge of Velm", "Bridge A", "Tarn", "A bridge, again"):
        TagFactory(article__title=title)
    found = site.get("/annotation/tags/?q=bRIDGE").context["page"]
    assert [tag.article.title for tag in found] == ["A bridge, again", "Bridge A"]
    assert not list(site.get("/annotation/tags/?q=bri_ge").context["page"])


def test_an_empty_list_says_how_tags_get_here(site):
    assert "No tags yet" in site.get("/annotation/tags/").text


# --- What is changed ----------------------------------------------------------------------------------------------


def change(site, action, *tags, **values):
    return site.post(
        "/annotation/tags/change/",
        {"action": action, "tag": [tag.pk for tag in tags], "next": "/annotation/tags/?state=free", **values},
        follow=True,
    )


def test_assigns_the_ticked_tags_only(site, db, annotator):
    ticked, other = TagFactory(), TagFactory()
    answer = change(site, "assign", ticked, annotator=annotator.pk)
    assert answer.redirect_chain[0][0] == "/annotation/tags/?state=free"
    assert "Done for 1 tag." in answer.text
    assert ticked.assignments.get().annotator == annotator
    assert other.assignments.get().annotator is None


def test_where_there_are_many_annotators_their_user_name_is_written(site, tag, annotator, monkeypatch):
    monkeypatch.setattr("annotation.views.tags.MOST_TO_CHOOSE", 0)
    assert 'name="annotator_name"' in site.get("/annotation/tags/").text
    change(site, "assign", tag, annotator_name=f" {annotator.username} ")
    assert tag.assignments.get().annotator == annotator
    assert change(site, "assign", tag, annotator_name="x\0").status_code == 404


def test_what_cannot_be_done_is_told_and_the_rest_is_done(site, db, annotator, other_annotator, admin):
    taken, free = TagFactory(article__title="Taken"), TagFactory()
    assign_tag(tag=taken, annotator=other_annotator, admin=admin)
    answer = change(site, "assign", taken, free, annotator=annotator.pk).text
    assert "Done for 1 tag." in answer
    assert "Taken: This tag has no free assignment" in answer


def test_takes_tags_from_whoever_has_them(site, tag, annotator, admin):
    assign_tag(tag=tag, annotator=annotator, admin=admin)
    change(site, "unassign", tag)
    assert tag.assignments.get().annotator is None
    assert "Nobody has this tag" in change(site, "unassign", tag).text


def test_sets_needs_and_priority_and_takes_off_flags(site, tag, annotator):
    Tag.objects.update(flagged_at=NOW, flagged_by=annotator, flag_reason="odd")
    change(site, "needed", tag, number="3")
    change(site, "priority", tag, number="-7")
    change(site, "unflag", tag)
    tag.refresh_from_db()
    assert (tag.annotations_needed, tag.priority, tag.flagged_at) == (3, -7, None)
    assert tag.assignments.count() == 3
    events = Event.objects.about(tag)
    assert [event.label for event in events] == [
        "set how many annotations it needs",
        "prioritised",
        "removed the flag",
    ]


@pytest.mark.parametrize(
    ("action", "values"),
    [
        ("assign", {}),
        ("needed", {}),
        ("needed", {"number": "0"}),
        ("needed", {"number": "many"}),
        ("priority", {"number": "99999999999"}),
        ("priority", {"number": "²"}),
        ("", {}),
        ("delete", {}),
    ],
)
def test_an_order_that_makes_no_sense_changes_nothing(action, values, site, tag):
    change(site, action, tag, **values)
    assert not Event.objects.about(tag).exists()


def test_nothing_ticked_changes_nothing(site, tag):
    assert "No tag was selected" in change(site, "priority", number="1").text


def test_leads_back_to_no_other_site(site, tag):
    answer = site.post("/annotation/tags/change/", {"action": "priority", "number": "1", "next": "//evil.example/"})
    assert answer.headers["Location"] == "/annotation/tags/"


# --- One tag, and the people ----------------------------------------------------------------------------------------


def test_the_page_of_a_tag_shows_source_assignments_annotations_and_activity(site, tag, annotator, admin):
    assign_tag(tag=tag, annotator=annotator, admin=admin)
    shown = site.get(f"/annotation/tags/{tag.pk}/").text
    assert '<mark class="tag">{{Inconsistent|date=May 2024}}</mark>' in shown
    assert "assigned by amir" in shown
    assert "<strong>amir</strong> assigned" in shown
    source = site.get(f"/annotation/tags/{tag.pk}/source/")
    assert (source.text, source["Content-Type"]) == (tag.article.wikitext, "text/plain; charset=utf-8")


def test_the_page_of_a_tag_leads_to_its_submitted_annotations(site, tag, annotator):
    annotation = AnnotationFactory(tag=tag, annotator=annotator, state="submitted")
    address = f"/annotation/reviews/{annotation.pk}/"
    # It cannot be read before the others are submitted.
    assert address not in site.get(f"/annotation/tags/{tag.pk}/").text
    Assignment.objects.filter(tag=tag).update(annotator=annotator, claimed_at=timezone.now(), done_at=timezone.now())
    assert f'<a href="{address}">{annotation.pk}</a>' in site.get(f"/annotation/tags/{tag.pk}/").text
    assert site.get(address).status_code == 200


def test_an_imported_tag_has_no_source(site, db):
    article = ArticleFactory(wiki=None, revision_id=None, url="javascript:alert(1)", wikitext="")
    tag = TagFactory(article=article, start=None, end=None)
    shown = site.get(f"/annotation/tags/{tag.pk}/").text
    assert 'href="javascript' not in shown
    assert "a tasks JSON file" in shown


def test_progress_counts_each_annotators_work(site, annotator, other_annotator, admin):
    for state in ("submitted", "submitted", "accepted", "returned", "draft"):
        annotation(TagFactory(), annotator=annotator, state=state)
    assign_tag(tag=TagFactory(article__wiki=WikiFactory()), annotator=other_annotator, admin=admin)
    rows = site.get("/annotation/progress/").context["rows"]
    assert [(row.annotator, row.held, row.drafts, row.returned, row.submitted, row.accepted) for row in rows] == [
        (annotator, 0, 1, 1, 2, 1),
        (other_annotator, 1, 0, 0, 0, 0),
    ]
