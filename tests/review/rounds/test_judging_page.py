"""The judging page, as a reviewer meets it: shown, judged, taken back, submitted; and what it refuses."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from core.models import Event
from review.models import Judgment, ReviewAction, SetAside, TakenBack
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import take_back
from review.rounds.rounds import close_round, pause_reviewer
from review.rounds.turns.turns import next_slots
from tests.conftest import make_person
from tests.factories.review import give, make_imported_run, make_known, make_response, make_round, reviewer_in

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def people(reviewer, other_reviewer):
    return [reviewer, other_reviewer]


@pytest.fixture
def round(admin, people):
    return make_round(admin, people, make_imported_run(4, models=("Mist",)))


@pytest.fixture
def rita(reviewer, sign_in, round):
    return sign_in(reviewer)


def page_of(client, round) -> str:
    return client.get(reverse("judge_round", args=[round.key])).content.decode()


def first_key(page: str) -> str:
    return re.search(r'data-item="([^"]+)"', page)[1]


def send(client, key, **values):
    return client.post(reverse("judgment", args=[key]), values, headers=HTMX)


def test_the_page_shows_what_a_verdict_takes(rita, round):
    answer = rita.get(reverse("judge"), follow=True)
    page = answer.content.decode()
    slot = Judgment.objects.get(key=first_key(page))
    response = slot.item.response
    for text in (response.instance.question, response.text, "1903", "1899", response.instance.content["passage_1"]):
        assert text in page
    assert "By passage 1" in page
    assert page.count('class="judge-verdict"') == 6  # three here, three in the one that lies ready
    assert "Mist" not in page
    assert "0 of 4" in page


def test_line_breaks_stay_and_the_leading_word_goes(admin, people, sign_in):
    run = make_imported_run(0)
    from tests.factories.judging import make_instance

    make_response(run, make_instance(1), text="\nAnswer: <b>1903</b>\n- or 1899")
    round = make_round(admin, people, run)
    assert "&lt;b&gt;1903&lt;/b&gt;\n- or 1899" in page_of(sign_in(people[0]), round)
    assert "Answer:" not in page_of(sign_in(people[0]), round).split("judge-response")[1].split("</div>")[0]


@pytest.mark.parametrize(
    ("code", "keys", "answers"),
    [("1", "123", ["1903", "1899"]), ("2", "13", ["1903"]), ("3", "13", ["1899"]), ("5.2", "123", ["conflicts"])],
)
def test_only_the_verdicts_and_answers_of_the_template_are_offered(admin, people, sign_in, code, keys, answers):
    round = make_round(admin, people, make_imported_run(1, models=("Mist",), codes=(code,)))
    page = page_of(sign_in(people[0]), round)
    assert "".join(re.findall(r'judge-verdict" data-key="(\d)"', page)) == keys
    shown = page.split('aria-label="Correct answers"')[1].split("</section>")[0]
    assert all(answer in shown for answer in answers)
    assert ("1899" in shown) == (code != "2")


def test_after_a_verdict_the_next_one_is_there(rita, round, reviewer):
    page = page_of(rita, round)
    first, ready = re.findall(r'data-item="([^"]+)"', page)
    answer = send(rita, first, verdict="correct", comment=" names both ", seconds="12", showing=ready)
    given = Judgment.objects.get(key=first)
    assert (given.verdict, given.comment, given.seconds) == ("correct", "names both", 12)
    body = answer.content.decode()
    assert "1 of 4" in body
    assert 'id="judge-item"' not in body  # the page shows it already
    assert ready not in body
    assert first_key(body) not in (first, ready)


def test_where_the_page_shows_another_one_the_right_one_comes(rita, round):
    first = first_key(page_of(rita, round))
    body = send(rita, first, verdict="correct", showing="7c9e6679-7425-40de-944b-e07fc1f90ae7").content.decode()
    assert 'id="judge-item"' in body


def test_without_script_a_form_does_it(rita, round):
    first = first_key(page_of(rita, round))
    answer = rita.post(reverse("judgment", args=[first]), {"verdict": "incorrect", "seconds": ""})
    assert answer["Location"] == reverse("judge_round", args=[round.key])
    assert Judgment.objects.get(key=first).verdict == "incorrect"


def test_the_same_verdict_sent_twice_is_one_and_another_is_refused(rita, round):
    first = first_key(page_of(rita, round))
    assert send(rita, first, verdict="correct").status_code == 200
    assert send(rita, first, verdict="correct").status_code == 200
    refused = send(rita, first, verdict="incorrect")
    assert refused.status_code == 409
    assert "You have already judged this response: correct" in refused.content.decode()
    assert Judgment.objects.given().count() == 1


def test_a_verdict_that_is_not_offered_is_refused(admin, people, sign_in):
    round = make_round(admin, people, make_imported_run(1, codes=("2",)))
    client = sign_in(people[0])
    first = first_key(page_of(client, round))
    for values in ({"verdict": "partially_correct"}, {"verdict": "perfect"}, {}, {"cannot_judge": "  "}):
        assert send(client, first, **values).status_code == 400
    assert not Judgment.objects.given().exists()


def test_cannot_judge_takes_a_reason(rita, round):
    first = first_key(page_of(rita, round))
    assert send(rita, first, cannot_judge="it breaks off").status_code == 200
    given = Judgment.objects.get(key=first)
    assert (given.verdict, given.cannot_judge) == ("", "it breaks off")


def test_a_judgment_is_taken_back_and_comes_first_again(rita, round, reviewer):
    first = first_key(page_of(rita, round))
    send(rita, first, verdict="correct", comment="hm")
    body = rita.post(reverse("judgment_take_back", args=[first]), headers=HTMX).content.decode()
    assert first_key(body) == first
    assert ">hm</textarea>" in body
    assert "0 of 4" in body
    assert not Judgment.objects.given().exists()
    kept = TakenBack.objects.get()
    assert (kept.verdict, kept.comment, kept.why) == ("correct", "hm", "undo")
    event = Event.objects.get(action=ReviewAction.TOOK_BACK_JUDGMENT)
    assert (event.before, event.after, event.subject_kind) == ({}, {}, "roundreviewer")


def test_when_the_time_is_over_it_stays(rita, round):
    first = first_key(page_of(rita, round))
    send(rita, first, verdict="correct")
    Judgment.objects.filter(key=first).update(undo_until=timezone.now())
    assert "Undo" not in page_of(rita, round)
    refused = rita.post(reverse("judgment_take_back", args=[first]), headers=HTMX)
    assert refused.status_code == 409
    assert Judgment.objects.given().count() == 1


def test_submitting_ends_the_time_at_once(rita, round, reviewer):
    send(rita, first_key(page_of(rita, round)), verdict="correct")
    assert not Judgment.objects.fixed().exists()
    rita.post(reverse("judge_submit", args=[round.key]))
    assert Judgment.objects.fixed().count() == 1
    assert "Take back<span" not in rita.get(reverse("my_judgments", args=[round.key])).content.decode()


def test_another_reviewers_slot_is_not_found(rita, round, other_reviewer, reviewer):
    theirs = Judgment.objects.filter(reviewer=other_reviewer).first()
    for name in ("judgment", "judgment_take_back"):
        assert rita.post(reverse(name, args=[theirs.key]), {"verdict": "correct"}).status_code == 404
    assert not Judgment.objects.given().exists()


def test_a_round_of_others_is_not_found(round, sign_in):
    rosa = sign_in(make_person("rosa", "reviewer"))
    assert rosa.get(reverse("judge_round", args=[round.key])).status_code == 404
    assert rosa.get(reverse("my_judgments", args=[round.key])).status_code == 404


def test_who_is_paused_gets_nothing_more_but_may_finish_what_is_open(rita, round, reviewer, admin):
    first = first_key(page_of(rita, round))
    pause_reviewer(reviewer=reviewer_in(round, reviewer), admin=admin)
    assert "You are paused" in page_of(rita, round)
    body = send(rita, first, verdict="correct").content.decode()
    assert "You are paused" in body
    assert Judgment.objects.given().count() == 1


def test_a_closed_round_takes_no_verdict(rita, round, admin):
    first = first_key(page_of(rita, round))
    close_round(round=round, admin=admin)
    assert send(rita, first, verdict="correct").status_code == 409
    assert "is closed" in page_of(rita, round)


def test_when_nothing_is_left_the_page_says_so(rita, round, reviewer):
    for slot in Judgment.objects.filter(reviewer=reviewer):
        give(slot, at=timezone.now())
    page = page_of(rita, round)
    assert "Nothing left to judge" in page
    assert "Submit now" in page
    assert "4 responses" in page


def test_a_training_item_is_explained_after_it_was_judged(admin, people, sign_in):
    run = make_imported_run(2)
    make_known(run, use="training", verdict="incorrect")
    round = make_round(admin, people, run)
    client = sign_in(people[0])
    page = page_of(client, round)
    assert "prefers none" not in page
    body = send(client, first_key(page), verdict="correct").content.decode()
    assert "It names both years and prefers none." in body
    assert "verdict-incorrect" in body.split("judge-explained")[1].split("</dl>")[0]
    assert "Undo" not in body
    complete_pairs()
    assert not Judgment.objects.ordinary().given().exists()


def test_the_training_set_can_be_skipped_only_where_the_round_says_so(admin, people, sign_in):
    run = make_imported_run(2)
    make_known(run, use="training")
    strict = make_round(admin, people, run)
    client = sign_in(people[0])
    assert client.post(reverse("judge_skip_training", args=[strict.key])).status_code == 409
    other = make_imported_run(2, name="second")
    free = make_round(admin, people, other, training_required=False)
    assert "Skip the training set" in page_of(client, free)
    client.post(reverse("judge_skip_training", args=[free.key]))
    assert "Training" not in page_of(client, free)


def test_a_check_item_looks_like_any_other(admin, people, sign_in):
    run = make_imported_run(1, models=("Mist",))
    make_known(run, use="check")
    round = make_round(admin, people, run, check_items=1)
    client = sign_in(people[0])
    pages = {}
    for _ in range(2):
        page = page_of(client, round)
        slot = Judgment.objects.get(key=first_key(page))
        pages[slot.item.kind] = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|\b\d{4}\b|[Bb]ridge \d+|data-key=\S+", "", page)
        send(client, slot.key, verdict="correct")
        back = client.post(reverse("judgment_take_back", args=[slot.key]), headers=HTMX)
        assert back.status_code == 200
        send(client, slot.key, verdict="correct")
    item = {kind: page.split('id="judge-item"')[1].split("</form>")[0] for kind, page in pages.items()}
    tokens = r'value="[A-Za-z0-9]{64}"'
    assert re.sub(tokens, "", item["check"]).replace(" ", "") == re.sub(tokens, "", item["ordinary"]).replace(" ", "")
    listed = client.get(reverse("my_judgments", args=[round.key])).content.decode()
    assert "check" not in listed.lower()


def test_a_response_left_open_goes_to_who_has_finished_and_nobody_gets_both(admin, people, sign_in):
    people.append(make_person("rosa", "reviewer"))
    round = make_round(admin, people, make_imported_run(6, models=("Mist",)))
    rita, ralph, rosa = (reviewer_in(round, person) for person in people)
    left_open = next_slots(rita, count=1)[0]
    for each in (ralph, rosa):
        for slot in Judgment.objects.open().filter(reviewer=each.person):
            give(slot)
    other = Judgment.objects.exclude(pk=left_open.pk).get(item=left_open.item).reviewer
    taker = next(each for each in (ralph, rosa) if each.person != other)
    assert next_slots(taker) == []  # still reserved
    Judgment.objects.filter(pk=left_open.pk).update(lease_expires_at=timezone.now(), comment="what Rita thought")
    assert next_slots(next(each for each in (ralph, rosa) if each.person == other)) == []
    (taken,) = next_slots(taker)
    assert taken.pk == left_open.pk
    assert taken.comment == ""
    client = sign_in(people[0])
    assert send(client, taken.key, verdict="correct").status_code == 404
    assert not Judgment.objects.get(pk=taken.pk).is_given


def test_a_lapsed_response_that_nobody_took_is_still_ones_own(rita, round, reviewer):
    first = first_key(page_of(rita, round))
    Judgment.objects.filter(key=first).update(lease_expires_at=timezone.now() - timedelta(hours=1))
    assert first_key(page_of(rita, round)) == first
    assert Judgment.objects.get(key=first).lease_expires_at > timezone.now()
    Judgment.objects.filter(key=first).update(lease_expires_at=timezone.now() - timedelta(hours=1))
    assert send(rita, first, verdict="correct").status_code == 200


def test_taking_back_after_it_was_paired_is_refused(round, reviewer):
    slot = Judgment.objects.filter(reviewer=reviewer).first()
    given = give(slot, at=timezone.now() - timedelta(days=1))
    complete_pairs()
    with pytest.raises(Exception, match="no longer"):
        take_back(judgment=given, reviewer=reviewer, at=given.judged_at)


def test_a_verdict_and_the_next_response_take_six_or_seven_queries(rita, round):
    """Session, person, slot, verdict, reviewer with progress, next responses; then a lease for two of them at a time,
    and in the end a look for what others left open."""
    keys = re.findall(r'data-item="([^"]+)"', page_of(rita, round))
    counts = []
    while len(keys) > 1:
        with CaptureQueriesContext(connection) as queries:
            answer = send(rita, keys[0], verdict="correct", showing=keys[1])
        counts.append(len(queries))
        keys = keys[1:] + re.findall(r'data-item="([^"]+)"', answer.content.decode())
    assert counts == [6, 7, 7]


def test_progress_leaves_out_what_is_set_aside(rita, round, admin):
    def progress() -> str:
        return re.search(r"\d+ of \d+", page_of(rita, round))[0]

    first, second = (
        Judgment.objects.get(key=key) for key in re.findall(r'data-item="([^"]+)"', page_of(rita, round))
    )
    send(rita, first.key, verdict="correct")
    assert progress() == "1 of 4"
    SetAside.objects.create(instance=second.item.instance, reason="Ambiguous.", by=admin)
    assert progress() == "1 of 3"
    assert str(second.key) not in page_of(rita, round)
