"""Documents of one source are alike but for what was put into them, so nobody looks for the contradiction in two of
them, nor in one after reading another of them elsewhere."""

from collections import Counter

import pytest
from django.utils import timezone

from annotation.kinds.registry import benchmark
from annotation.models import Instance, Release
from annotation.releases.items.releasing import release_contents
from benchmarks.contradoc.models import Document
from benchmarks.contradoc.questionnaires.sources import documents_of, source_number
from core.models import User
from review.models import Judgment, Round
from review.rounds.judgments import record_judgment
from review.rounds.reviewers.handing_over import hand_over
from review.rounds.rounds import add_reviewer
from review.rounds.turns.turns import next_slots
from tests.contradoc.making.test_verification import YES
from tests.factories.contradoc import CONTRADICTION, TEXT, make_candidate, make_document, make_questionnaire_round
from tests.factories.review import reviewer_in

pytestmark = pytest.mark.django_db


def content(id: str, label: str) -> dict:
    shared = {"label": label, "unique id": id, "doc_type": "news", "text": f"{TEXT} {CONTRADICTION} It is {id}."}
    added = {"evidence": CONTRADICTION, "contra_plug": "Insert", "contra_type": ["Content"], "scope": "global"}
    return {**shared, **added} if label == "pos" else shared


def released(*positive: str, negative: tuple[str, ...]) -> Release:
    contents = [content(each, "pos") for each in positive] + [content(each, "neg") for each in negative]
    return release_contents(benchmark=benchmark("contradoc"), name="Ours", contents=contents)


@pytest.fixture
def release(db) -> Release:
    """Four documents of source 1, two of source 2, and others."""
    return released("1_1", "1_2", "1_3", "2_1", "3_1", negative=("1_4", "2_2", "news_1", "news_2", "news_3"))


def sources_of(round: Round, person: User) -> list[str]:
    slots = Judgment.objects.filter(round=round, reviewer=person)
    return list(slots.values_list("item__instance__group", flat=True))


def find(admin, people, release, **values) -> Round:
    return make_questionnaire_round("contradoc-find", admin, people, release=release, undo_minutes=0, **values)


def slot(round: Round, instance: Instance) -> Judgment:
    return Judgment.objects.select_related("round", "item__instance").get(round=round, item__instance=instance)


def judge(given: Judgment, person: User, **answers) -> None:
    Judgment.objects.filter(pk=given.pk).update(reviewer=person)
    record_judgment(slot=given, reviewer=person, answers=answers or {"judgment": "no"}, at=timezone.now())


def of_source(release: Release, source: str) -> list[Instance]:
    return list(release.instances.filter(group=source).order_by("pk"))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_nobody_is_dealt_two_of_one_source(count, release, people, admin):
    for seed in range(6):
        round = find(admin, people[:count], release, seed=seed)
        dealt = [sources_of(round, person) for person in people[:count]]
        assert all(max(Counter(each).values()) == 1 for each in dealt)
        labels = Counter(round.items.values_list("instance__content__label", flat=True))
        assert labels["pos"] == labels["neg"] >= 1
        assert not round.left_out.get("seen")
        assert round.items.count() + round.left_out.get("not_drawn", 0) == 10
    assert max(map(len, dealt)) - min(map(len, dealt)) <= 2


def test_who_looked_in_one_of_them_gets_no_other_one(release, people, admin):
    """Not in another round, not by joining it, not by handing over, not by taking over."""
    pat, quinn, robin = people
    first = of_source(release, "1")[0]
    small = released("1_1", negative=("news_1",))
    judge(slot(find(admin, [pat], small), first), pat)
    round = find(admin, [quinn, robin], release)
    add_reviewer(round=round, person=pat, admin=admin)
    for giver in (quinn, robin):
        hand_over(reviewer=reviewer_in(round, giver), to=[reviewer_in(round, pat)], admin=admin)
    Judgment.objects.filter(round=round).exclude(reviewer=pat).update(lease_expires_at=timezone.now())
    next_slots(reviewer_in(round, pat), count=99)
    assert {"2", "3"} <= set(sources_of(round, pat))
    assert "1" not in sources_of(round, pat)
    assert "1" not in sources_of(find(admin, [pat], release), pat)


def test_of_two_that_came_to_one_person_only_one_is_judged(release, people, admin):
    pat = people[0]
    round = find(admin, people, release)
    slots = list(round.judgments.select_related("round", "item__instance").filter(item__instance__group="1"))
    assert len(slots) > 1
    Judgment.objects.filter(pk__in=[each.pk for each in slots]).update(reviewer=pat)
    judge(slots[0], pat)
    assert sources_of(round, pat).count("1") == 1
    waiting = Judgment.objects.filter(pk__in=[each.pk for each in slots[1:]])
    assert set(waiting.values_list("reviewer", flat=True)) == {None}


def test_who_verified_a_candidate_looks_in_no_published_document_of_its_source(release, people, admin):
    pat, quinn, robin = people
    make_candidate("2")
    verifying = make_questionnaire_round("contradoc-verification", admin, [pat, quinn], undo_minutes=0)
    judge(verifying.judgments.select_related("round", "item").get(reviewer=pat), pat, **YES)
    assert "2" not in sources_of(find(admin, [pat], release), pat)
    round = find(admin, [robin], release)
    judge(slot(round, of_source(release, "2")[0]), robin)
    later = make_candidate("2_9")
    again = make_questionnaire_round("contradoc-verification", admin, [pat, quinn, robin], undo_minutes=0)
    dealt = again.judgments.filter(item__subject_number=later.pk).values_list("reviewer", flat=True)
    assert set(dealt) == {pat.pk, quinn.pk}


def test_a_source_without_a_number_has_one_in_what_is_released_of_it(people, admin):
    pat, quinn, robin = people
    number = source_number(*Document.objects.values_list("pk", "code").get(pk=make_document("news_1").pk))
    assert number not in ("news_1", "")
    release = released(f"{number}_1", f"{number}_2", "5_1", negative=("news_1", "news_2"))
    for sources in ({number}, {"news_1"}, {"news_1", number, "news_3"}):
        assert list(documents_of(sources).values()) == [{"news_1", number}]
    made = of_source(release, number)[0]
    judge(slot(find(admin, [pat], released(f"{number}_1", negative=("news_3",))), made), pat)
    clean = release.instances.get(group="news_1")
    judge(slot(find(admin, [quinn], released("5_1", negative=("news_1",))), clean), quinn)
    for person in (pat, quinn, robin):
        dealt = sources_of(find(admin, [person], release, seed=1), person)
        assert len({"news_1", number}.intersection(dealt)) <= (person == robin)


def test_documents_that_share_a_number_are_of_one_source():
    one, other, alone = (make_document(code) for code in ("12_1", "12_2", "news_7"))
    assert source_number(one.pk, one.code) == source_number(other.pk, other.code) == "12"
    assert set(documents_of({"12"})) == {one.pk, other.pk}
    assert set(documents_of({"12", "news_7"})) == {one.pk, other.pk, alone.pk}
    long = make_document("9" * 30)
    assert set(documents_of({"9" * 30})) == {long.pk}
    assert source_number(long.pk, long.code) != long.code
