"""Whatever happens in whatever order: never more judgments of a response than asked for, nor two by one person."""

from collections import Counter, defaultdict
from datetime import timedelta
from functools import partial
from itertools import combinations

import hypothesis.strategies as st
import pytest
from django.db.models import Count, Sum
from django.utils import timezone
from hypothesis.stateful import initialize, invariant, precondition, rule

from core.accounts.people import activate_person, deactivate_person, set_roles
from core.models import Consensus, Role, User
from core.refusals import Refusal
from judging.models import Run
from judging.protocol.verdicts import Verdict
from review.models import Adjudication, FinalVerdict, Judgment, Pair, RoundReviewer, TakenBack
from review.rounds.adjudication import adjudicate, reopen
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import find_slot, record_judgment, reset_judgment, submit_judgments, take_back
from review.rounds.reviewers.handing_over import hand_over, withdraw_open
from review.rounds.rounds import close_round, pause_reviewer, reopen_round, resume_reviewer
from review.rounds.turns.turns import next_slots
from tests.conftest import make_person
from tests.factories.review import make_imported_run, make_known, make_round
from tests.interleaving.schedules import UndoneMachine, try_schedules

pytestmark = pytest.mark.django_db
VERDICTS = [Verdict.CORRECT, Verdict.INCORRECT, ""]
people = st.integers(0, 3)
minutes = st.sampled_from([0, 1, 14, 15, 29, 30, 31])


class Schedules(UndoneMachine):
    """Four reviewers, one adjudicator and an admin, each doing anything at any time."""

    def __init__(self, admin: User, adjudicator: User, people: list[User], run: Run):
        super().__init__()
        self.admin, self.adjudicator, self.people, self.run = admin, adjudicator, people, run

    @initialize(
        among_two=st.booleans(),
        each=st.integers(2, 4),
        rule=st.sampled_from(Consensus),
        begun=st.lists(st.sampled_from(VERDICTS), min_size=1, max_size=4),
    )
    def deal(self, among_two, each, rule, begun):
        """Some have begun, or nearly every schedule would end before two people had judged the same response."""
        self.now = timezone.now() + timedelta(days=1)
        self.round = make_round(
            self.admin,
            self.people,
            self.run,
            check_items=1,
            adjudicate_among_two=among_two,
            judgments_each=each,
            consensus=rule,
        )
        self.on_page = {number: [] for number in range(4)}
        self.pairs: dict[int, list] = {}
        for number, verdict in enumerate(begun):
            self.judge_what_is_next(number, verdict)

    def reviewer(self, number: int) -> RoundReviewer:
        return RoundReviewer.objects.select_related("round", "person").get(
            round=self.round, person=self.people[number]
        )

    @rule(number=people)
    def open_the_page(self, number):
        slots = next_slots(self.reviewer(number), at=self.now)
        assert all(slot.reviewer_id == self.people[number].pk and not slot.is_given for slot in slots)
        assert len({slot.item_id for slot in slots}) == len(slots)
        self.on_page[number] += slots

    def judge(self, number: int, slot: Judgment, verdict: str) -> Judgment:
        return record_judgment(
            slot=Judgment.objects.select_related("round", "item__response__template").get(pk=slot.pk),
            reviewer=self.people[number],
            verdict=verdict,
            cannot_judge="" if verdict else "it breaks off",
            seconds=len(verdict),
            at=self.now,
        )

    @rule(number=people, verdict=st.sampled_from(VERDICTS))
    def judge_what_is_next(self, number, verdict):
        for slot in next_slots(self.reviewer(number), at=self.now):
            assert self.judge(number, slot, verdict).verdict == verdict

    @precondition(lambda self: any(self.on_page.values()))
    @rule(data=st.data(), verdict=st.sampled_from(VERDICTS))
    def judge_on_some_page_however_old(self, data, verdict):
        number = data.draw(st.sampled_from([number for number, slots in self.on_page.items() if slots]))
        slot = data.draw(st.sampled_from(self.on_page[number]))
        before = Judgment.objects.filter(pk=slot.pk).first()
        if before is None:
            with pytest.raises(Refusal):
                find_slot(person=self.people[number], key=slot.key)
            return
        try:
            given = self.judge(number, slot, verdict)
        except Refusal:
            after = Judgment.objects.get(pk=slot.pk)
            assert (after.verdict, after.judged_at) == (before.verdict, before.judged_at)
        else:
            assert given.reviewer == self.people[number]

    @precondition(lambda self: Judgment.objects.given().exists())
    @rule(data=st.data())
    def take_one_back(self, data):
        slot = data.draw(st.sampled_from(list(Judgment.objects.given().order_by("pk"))))
        in_time = self.now < slot.undo_until and self.round.is_open and slot.paired_at is None
        try:
            take_back(judgment=slot, reviewer=slot.reviewer, at=self.now)
        except Refusal:
            assert not in_time
        else:
            assert in_time

    @rule(number=people)
    def submit_all(self, number):
        submit_judgments(reviewer=self.reviewer(number), at=self.now)

    @rule(minutes=minutes)
    def time_passes(self, minutes):
        self.now += timedelta(minutes=minutes)

    @rule(minutes=minutes)
    def the_clock_pairs(self, minutes):
        self.now += timedelta(minutes=minutes)
        complete_pairs(at=self.now)

    @rule(giver=people, takers=st.sets(people, min_size=1), most=st.sampled_from([None, 1, 2]))
    def an_admin_hands_over(self, giver, takers, most):
        try:
            hand_over(
                reviewer=self.reviewer(giver),
                to=[self.reviewer(each) for each in takers],
                admin=self.admin,
                most=most,
            )
        except Refusal:
            assert giver in takers or not self.round.is_open

    @rule(number=people)
    def an_admin_withdraws(self, number):
        try:
            withdraw_open(reviewer=self.reviewer(number), admin=self.admin)
        except Refusal:
            assert self.round.judgments_each == 2 or not self.round.is_open

    @rule(number=people)
    def an_admin_pauses_or_resumes(self, number):
        reviewer = self.reviewer(number)
        if reviewer.paused_at:
            resume_reviewer(reviewer=reviewer, admin=self.admin)
        else:
            pause_reviewer(reviewer=reviewer, admin=self.admin)
            assert next_slots(self.reviewer(number), at=self.now) == []

    @rule(number=people)
    def an_account_is_closed_and_opened(self, number):
        deactivate_person(person=self.people[number], admin=self.admin)
        assert not Judgment.objects.open().ordinary().filter(reviewer=self.people[number]).exists()
        activate_person(person=self.people[number], admin=self.admin)

    @rule(number=people)
    def a_role_is_lost_and_given_again(self, number):
        for roles in ([], [Role.REVIEWER]):
            set_roles(person=User.objects.get(pk=self.people[number].pk), roles=roles, admin=self.admin)

    @precondition(lambda self: Judgment.objects.given().exists())
    @rule(data=st.data(), to=st.one_of(st.none(), people))
    def an_admin_resets(self, data, to):
        judgment = data.draw(st.sampled_from(list(Judgment.objects.given().order_by("pk"))))
        try:
            reset_judgment(
                judgment=judgment, admin=self.admin, reason="a slip", to=None if to is None else self.people[to]
            )
        except Refusal:
            assert Judgment.objects.get(pk=judgment.pk).judged_at == judgment.judged_at
        else:
            self.pairs.pop(judgment.item_id, None)
            assert not Pair.objects.filter(item=judgment.item_id).exists()

    @precondition(lambda self: Adjudication.objects.open().exists())
    @rule(verdict=st.sampled_from(VERDICTS[:2]))
    def the_adjudicator_decides(self, verdict):
        found = Adjudication.objects.open().earliest("pk")
        adjudicate(adjudication=found, person=self.adjudicator, verdict=verdict, reason="so it is", at=self.now)

    @precondition(lambda self: Adjudication.objects.adjudicated().exists())
    @rule()
    def the_adjudicator_reopens(self):
        found = Adjudication.objects.adjudicated().earliest("pk")
        reopen(adjudication=found, person=self.adjudicator, reason="to look again")

    @rule()
    def the_round_closes_or_opens(self):
        if self.round.is_open:
            self.round = close_round(round=self.round, admin=self.admin, at=self.now)
        else:
            self.round = reopen_round(round=self.round, admin=self.admin)

    @invariant()
    def as_many_judgments_as_asked_for_by_as_many_people(self):
        asked = Counter(Judgment.objects.ordinary().values_list("item", flat=True))
        assert all(2 <= count <= self.round.judgments_each for count in asked.values())
        held = Counter(Judgment.objects.filter(reviewer__isnull=False).values_list("item", "reviewer"))
        assert set(held.values()) <= {1}

    def pairs_by_item(self) -> dict[int, list[tuple]]:
        found = defaultdict(list)
        for pair in Pair.objects.order_by("pk"):
            found[pair.item_id].append(((pair.reviewer_1_id, pair.verdict_1), (pair.reviewer_2_id, pair.verdict_2)))
        return found

    @invariant()
    def what_is_kept_of_each_person_is_what_there_is(self):
        for reviewer in RoundReviewer.objects.all():
            own = Judgment.objects.filter(round=reviewer.round, reviewer=reviewer.person)
            given = own.given().aggregate(judged=Count("pk"), seconds=Sum("seconds", default=0))
            kept = {"judged": reviewer.judged, "seconds": reviewer.seconds, "slots_open": reviewer.slots_open}
            assert kept == given | {"slots_open": own.open().count()}

    @invariant()
    def pairs_are_what_every_two_said_and_stay(self):
        for item, pairs in self.pairs_by_item().items():
            assert self.pairs.setdefault(item, pairs) == pairs
            said = Judgment.objects.filter(item=item).order_by("reviewer").values_list("reviewer", "verdict")
            assert pairs == list(combinations(said, 2))

    @invariant()
    def a_final_verdict_follows_from_the_rule_or_is_adjudicated(self):
        agreed = {}
        for item, pairs in self.pairs_by_item().items():
            verdicts = [verdict for _, verdict in {side for pair in pairs for side in pair}]
            needed = len(verdicts) if self.round.consensus == Consensus.ALL else len(verdicts) / 2 + 0.5
            for verdict in Verdict:
                if verdicts.count(verdict) >= needed:
                    agreed[item] = verdict
        final = dict(FinalVerdict.objects.values_list("item", "verdict"))
        assert final == agreed | dict(Adjudication.objects.adjudicated().values_list("item", "verdict"))
        disputed = set(self.pairs_by_item()) - set(agreed)
        assert set(Adjudication.objects.values_list("item", flat=True)) == disputed

    @invariant()
    def nothing_that_was_said_is_lost(self):
        assert not TakenBack.objects.filter(verdict="", cannot_judge="").exists()


def test_no_schedule_yields_a_judgment_too_many_or_one_person_twice(admin, adjudicator):
    people = [make_person(f"reviewer{number}", "reviewer") for number in range(4)]
    run = make_imported_run(2, models=("Mist", "Llam"))
    make_known(run, use="check")
    try_schedules(partial(Schedules, admin, adjudicator, people, run), count=10, steps=30)
