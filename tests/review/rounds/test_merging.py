"""The merge rules of forms: the order of the people never matters."""

from hypothesis import assume, given
from hypothesis import strategies as st

from benchmarks.contradoc.items import SCOPES, TYPES
from benchmarks.contradoc.questionnaires import finding, verification
from benchmarks.contradoc.questionnaires.free_format import FREE_FORMAT
from review.kinds.merging import DIFFER, both_yes, closer, equal, union

yes_no = st.sampled_from(["yes", "no"])


@st.composite
def verifier(draw, insertion: bool, contradict=("yes", "no")):
    """A verifier's answers, as they are stored."""
    answers = {"contradict": draw(st.sampled_from(contradict))}
    if insertion:
        answers["feasible"] = draw(yes_no)
        if answers["feasible"] == "no" and draw(st.booleans()):
            answers["gap"] = [draw(st.integers(0, 9))]
    answers["acceptable"] = draw(yes_no)
    if answers["contradict"] == "yes":
        answers["scope"] = draw(st.sampled_from(SCOPES))
        answers["types"] = draw(st.lists(st.sampled_from(TYPES), min_size=1, unique=True))
    if draw(st.integers(0, 9)) == 0:
        answers["controversial"] = "yes"
    return answers


people = st.booleans().flatmap(lambda insertion: st.lists(verifier(insertion), min_size=1, max_size=5))


@given(people, st.randoms())
def test_the_order_of_the_people_never_matters(answers, chance):
    other = answers[:]
    chance.shuffle(other)
    assert verification.merge(answers) == verification.merge(other)


@given(people)
def test_kept_takes_a_yes_of_everybody_to_each_question_asked(answers):
    merged = verification.merge(answers)
    all_yes = all(each.get(name, "yes") == "yes" for each in answers for name in verification.YES_NO)
    marked = any("controversial" in each for each in answers)
    assert (merged is not None and merged.outcome == "kept") == (all_yes and not marked)


@given(people)
def test_a_negative_takes_a_no_of_everybody_and_the_expert_decides_what_differs(answers):
    merged = verification.merge(answers)
    said = {each["contradict"] for each in answers}
    marked = any("controversial" in each for each in answers)
    assert (merged is not None and merged.outcome == "negative") == (said == {"no"} and not marked)
    assert merged is None or len(said) == 1


agreed = st.booleans().flatmap(lambda insertion: st.lists(verifier(insertion, ("yes",)), min_size=1, max_size=5))


@given(agreed)
def test_scope_is_the_closer_one_and_types_are_all(answers):
    merged = verification.merge(answers)
    assume(merged is not None)
    ranks = [SCOPES.index(each["scope"]) for each in answers]
    assert SCOPES.index(merged.answers["scope"]) == min(ranks)
    assert set(merged.answers["types"]) == {each for one in answers for each in one["types"]}
    assert merged.answers["types"] == [each for each in TYPES if each in merged.answers["types"]]


@given(st.booleans().flatmap(verifier))
def test_the_expert_always_comes_to_an_end(answers):
    assert verification.decide(answers).outcome in verification.STATES


@given(st.lists(yes_no, min_size=1), st.lists(yes_no, min_size=1))
def test_equal_and_both_yes(one, other):
    assert (equal(one) is DIFFER) == (len(set(one)) > 1)
    both = both_yes([one, other])
    assert both is DIFFER or both == ("no" not in [*one, *other])
    assert both == both_yes([other[::-1], one[::-1]])


@given(st.lists(st.sampled_from(SCOPES), min_size=1), st.lists(st.sampled_from(SCOPES), min_size=1))
def test_closer_and_union_can_be_taken_step_by_step(one, other):
    assert closer([closer(one, SCOPES), closer(other, SCOPES)], SCOPES) == closer([*one, *other], SCOPES)
    assert union([union([one], SCOPES), other], SCOPES) == union([other, one], SCOPES)


def test_free_format_and_finding():
    assert FREE_FORMAT.merge([{"finding": "right"}, {"finding": "right"}]).outcome == "right"
    assert FREE_FORMAT.merge([{"finding": "right"}, {"finding": "wrong"}]) is None
    assert finding.merge([{"judgment": "no"}]).outcome == "no"
