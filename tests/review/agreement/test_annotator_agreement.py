"""Agreement of annotators on tags that two annotate: the statistics against other libraries, and the report."""

# Reading a number that is not there fails the test by itself.
# mypy: disable-error-code="union-attr, operator, arg-type, misc"

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

import krippendorff
import numpy as np
import pytest
from django.urls import reverse
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from annotation.content.fields import Content
from annotation.desk.assignments.assigning import assign_tag
from annotation.desk.assignments.assignment import has_seen
from annotation.desk.decisions import accept_annotation, exclude_annotation, reopen_annotation, return_annotation
from annotation.models import Annotation, FirstSubmission, Tag
from annotation.releases.datasheets.datasheet import datasheet, markdown
from annotation.releases.freezing import create_release
from core.models import Role, User
from review.reports.people import annotator_agreement
from review.reports.scope import Scope
from review.statistics.agreement.overlap import mean_of, passages_f1, same_passages, token_f1, words_of
from review.statistics.agreement.sets import alpha_of_values, masi_distance
from tests.annotation.desk_helpers import complete_content, invalid_content, submit
from tests.conftest import make_person
from tests.factories import TagFactory
from tests.wikicontradict.test_table2 import report

SETS = [frozenset(chosen) for chosen in ("a", "b", "ab", "abc", "cd")]


def test_masi_is_that_of_passonneau():
    """Equal: 1. One holds the other: 2/3 of 2/3. Overlapping: 1/3 of 1/4. Nothing in common: 0."""
    a, ab, abc, cd = (frozenset(each) for each in ("a", "ab", "abc", "cd"))
    assert masi_distance(ab, ab) == 0
    assert masi_distance(ab, abc) == pytest.approx(1 - 2 / 3 * 2 / 3)
    assert masi_distance(abc, cd) == pytest.approx(1 - 1 / 3 * 1 / 4)
    assert masi_distance(a, cd) == 1


@settings(max_examples=60)
@given(units=st.lists(st.lists(st.integers(0, len(SETS) - 1), min_size=1, max_size=3), min_size=2, max_size=8))
def test_alpha_with_masi_is_that_of_krippendorffs_package(units):
    found = alpha_of_values([[SETS[number] for number in unit] for unit in units], masi_distance)
    assume(found)
    counts = np.array([[unit.count(number) for number in range(len(SETS))] for unit in units])

    def metric(one, other, **_):
        apart = [[masi_distance(SETS[int(a)], SETS[int(b)]) for b in other.ravel()] for a in one.ravel()]
        return np.array(apart).reshape(np.broadcast(one, other).shape)

    domain = list(range(len(SETS)))
    expected = krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=metric)
    assert found.value == pytest.approx(expected)


def test_words_in_common_are_counted_as_often_as_they_occur():
    """ "the bridge the river" and "The bridge": 2 in common of 4 and 2 words, 2 * 2 / 6."""
    assert token_f1(words_of("the bridge, the river"), words_of("The bridge")) == pytest.approx(4 / 6)
    assert token_f1(words_of("1903"), words_of("1904")) == 0
    assert token_f1(words_of(""), words_of("")) == 1


def test_which_passage_comes_first_means_nothing():
    one, other = ("it opened in 1903", "closed in 1899"), ("closed in 1899", "it opened in 1903")
    assert passages_f1(one, other) == 1
    assert same_passages(one, other)
    assert not same_passages(one, ("it opened in 1903", "closed in 1900"))


def test_a_mean_has_students_interval_beside_the_resampled_one():
    """Of 1, 0, 1, 1, 1: .8, variance .2 / 5, t of 4 degrees .975: 2.776; cut at 1."""
    found = mean_of([1, 0, 1, 1, 1], [1, 2, 3, 4, 5])
    assert found.value == pytest.approx(0.8)
    assert (found.analytic.low, found.analytic.high) == pytest.approx((0.8 - 2.7764 * 0.2, 1), abs=1e-3)
    assert found.interval.low < 0.8 <= found.interval.high
    assert not mean_of([], [])


# The report.


@pytest.fixture
def two(annotator, other_annotator) -> list[User]:
    return [annotator, other_annotator]


def annotated(people: Sequence[User], admin: User, *contents: Content) -> Tag:
    """A tag that each of the people annotates and submits."""
    tag = TagFactory(annotations_needed=len(contents))
    for person, content in zip(people, contents, strict=True):
        assign_tag(tag=tag, annotator=person, admin=admin)
        submit(of(tag, person), content)
    return tag


def of(tag: Tag, person: User) -> Annotation:
    return Annotation.objects.get(tag=tag, annotator=person)


def numbers() -> dict[str, Any]:
    return json.loads(report("annotator-agreement", format="json"))


@pytest.mark.django_db
def test_it_compares_what_two_submitted_field_by_field(two, admin):
    """Valid twice, invalid once, not the same once: p_o = 3/4, p_e = 3/4 * 2/4 + 1/4 * 2/4 = 1/2, kappa 1/2."""
    swapped = complete_content(
        paragraphA_information="The first cars crossed it in 1899.",
        paragraphB_information="It opened in 1903 to great applause.",
        relevantInfo_comment_A_Span="in 1899",
        relevantInfo_comment_B_Span="opened in 1903",
    )
    annotated(two, admin, complete_content(), swapped)
    annotated(
        two, admin, complete_content(), complete_content(confidence="4") | {"Contradict type I": ["DATE", "NUM"]}
    )
    annotated(two, admin, invalid_content(), invalid_content())
    annotated(two, admin, complete_content(), invalid_content())
    found = numbers()["all"]
    validity = found["choices"]["validity"]
    assert (validity["n"], validity["tags"], validity["same"]["value"]) == (4, 4, 0.75)
    assert validity["kappa"]["value"] == pytest.approx(0.5)
    types = found["choices"]["semantic_type"]
    assert (types["n"], types["same"]["value"]) == (2, 0.5)
    assert types["kappa"]["value"] is None
    assert found["choices"]["confidence"]["same"]["value"] == 0.5
    assert found["overlaps"]["passages_f1"]["mean"]["value"] == 1
    assert found["overlaps"]["passages_same"]["mean"]["value"] == 1
    assert found["overlaps"]["question_count"]["mean"]["value"] == 1
    (pair,) = numbers()["by_people"]
    assert pair["label"] == f"{two[0]} and {two[1]}"
    assert len(numbers()["by_month"]) == 1
    text = report("annotator-agreement")
    assert "Annotators agree on validity in 75.0% of 4 pairs" in text


@pytest.mark.django_db
def test_what_was_submitted_first_counts_not_what_came_of_a_return(two, admin, reviewer):
    tag = annotated(two, admin, complete_content(), invalid_content())
    before = numbers()["all"]
    theirs = of(tag, two[1])
    return_annotation(annotation=theirs, reviewer=reviewer, message="Look again.")
    assert numbers()["all"]["tags"] == 0, "while one of them writes, nobody learns how far they agree"
    submit(theirs, complete_content())
    assert numbers()["all"] == before
    mine = of(tag, two[0])
    reopen_annotation(annotation=mine, annotator=two[0])
    submit(of(tag, two[0]), invalid_content())
    assert numbers()["all"] == before
    assert FirstSubmission.objects.count() == 2
    return_annotation(annotation=of(tag, two[1]), reviewer=reviewer, message="Again.")
    assert FirstSubmission.objects.get(annotation=theirs).content["wikitag_label_valid"] == "Invalid"


@pytest.mark.django_db
def test_the_outcome_of_reviews_stands_by_annotator(two, admin, reviewer):
    first = annotated(two[:1], admin, complete_content())
    second = annotated(two[:1], admin, complete_content())
    annotated(two[:1], admin, complete_content())
    return_annotation(annotation=of(first, two[0]), reviewer=reviewer, message="Look again.")
    submit(of(first, two[0]), complete_content())
    accept_annotation(annotation=of(first, two[0]), reviewer=reviewer)
    exclude_annotation(annotation=of(second, two[0]), reviewer=reviewer, reason="Ambiguous")
    (outcome,) = numbers()["outcomes"]
    counts = {name: outcome[name]["count"] for name in ("accepted", "returned", "excluded")}
    assert (outcome["decided"], counts) == (2, {"accepted": 1, "returned": 1, "excluded": 1})
    assert outcome["accepted"]["low"] < 0.5 < outcome["accepted"]["high"]
    rows = list(csv.DictReader(io.StringIO(report("annotator-agreement", format="csv"))))
    (accepted,) = [row for row in rows if row["by"] == "annotator" and row["measure"] == "accepted"]
    assert (accepted["n"], accepted["value"]) == ("2", "0.5")
    assert "50.0% of 2 annotations that reviewers decided on are accepted." in report("annotator-agreement")


@pytest.mark.django_db
def test_an_admin_who_annotates_the_tag_learns_nothing_before_theirs_is_decided(two, admin, reviewer, sign_in):
    bea = make_person("bea", Role.ADMIN, Role.ANNOTATOR)
    address = reverse("report", args=["annotator-agreement"])
    tag = annotated([bea, two[0]], admin, complete_content(), invalid_content())
    assert "No tag has two annotations" in sign_in(bea).get(address).content.decode()
    accept_annotation(annotation=of(tag, bea), reviewer=reviewer)
    assert "Annotators agree on validity in 0.0%" in sign_in(bea).get(address).content.decode()


@pytest.mark.django_db
def test_who_reads_it_is_not_given_these_tags(two, admin, sign_in):
    tag = annotated(two, admin, complete_content(), invalid_content())
    assert not has_seen(tag, admin)
    assert sign_in(admin).get(reverse("report", args=["annotator-agreement"])).status_code == 200
    assert has_seen(tag, admin)


@pytest.mark.django_db
def test_a_page_compares_the_newest_tags_and_a_file_all(two, admin, monkeypatch):
    monkeypatch.setattr(annotator_agreement, "TAGS_ON_A_PAGE", 1)
    annotated(two, admin, complete_content(), complete_content())
    annotated(two, admin, complete_content(), invalid_content())
    shown = annotator_agreement.annotator_agreement(Scope(reader=admin), by="people", page=1)
    assert "validity in 0.0% of 1 pair" in shown.lead[0]
    assert "newest 1 tags" in shown.notes[0].text
    assert numbers()["all"]["tags"] == 2


@pytest.mark.django_db
def test_a_release_keeps_the_agreement_of_its_annotators(two, admin, reviewer):
    """Of six released tags, both call five valid with the same reasoning, and differ on the validity of one."""
    for number in range(6):
        tag = annotated(two, admin, complete_content(), invalid_content() if number == 0 else complete_content())
        accept_annotation(annotation=of(tag, two[0]), reviewer=reviewer)
    annotated(two, admin, complete_content(), invalid_content())
    sheet = markdown(datasheet(create_release(name="First", admin=admin)))
    assert "| Validity | 6 | 0.83 | 0.00 |" in sheet
    assert "| Confidence | 5 |" in sheet
    assert "not defined: " in sheet
