"""The paper's JSON comes in whole or not at all, and goes out again as it came."""

import io
import json
import random
import string
from unittest.mock import Mock

import pytest
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from annotation.models import Annotation, Article, Assignment, Instance, Question, Tag
from annotation.releases.files.imports import import_records
from core.models import Event
from core.refusals import Refusal
from core.writing.batches import Writing
from tests.factories import AnnotationFactory, ArticleFactory, TagFactory

pytestmark = pytest.mark.django_db

HINT = "add the answer based on Passage 1"


def record(**changes) -> dict:
    """A small record; a value of None in `changes` takes the key away."""
    values = {
        "title": "Old bridge",
        "url": "https://wiki.example.org/wiki/Old_bridge",
        "paragraph_A": "It opened in 1903.{{Inconsistent|date=May 2024}}",
        "paragraph_A_clean": "It opened in 1903.",
        "tag": "Inconsistent|date=May 2024",
        "tagDate": "May 2024",
        "tagReason": "",
        "annotationResult": result(),
    } | changes
    return {key: value for key, value in values.items() if value is not None}


def result(**changes) -> dict:
    values = {
        "wikitag_label_valid": "Valid",
        "paragraphA_information": "It opened in 1903.",
        "paragraphB_information": "It was closed in 1899.",
        "taxonomy": [["Contradict type IV", "Explicit"]],
        "Contradict type IV": "Explicit",
        "question1": "When was the bridge open?",
        "question1_answer1": "from 1903",
        "question1_answer2": "until 1899",
    } | changes
    return {key: value for key, value in values.items() if value is not None}


def brought_in(records) -> list[str]:
    """Imports a value as JSON, or bytes as they are; what was said of it."""
    data = records if isinstance(records, bytes) else json.dumps(records).encode()
    return list(import_records(io.BytesIO(data)).lines())


def exported(tmp_path, **options):
    path = tmp_path / "out.json"
    call_command("export_annotations", "--format", "json", "--output", str(path), **options)
    return json.loads(path.read_text())


def rows_written() -> int:
    return sum(model.objects.count() for model in (Article, Tag, Annotation, Question, Assignment, Event, Instance))


ODD_RESULTS = {
    "nothing in it": {},
    "no dimensions": result(taxonomy=None, **{"Contradict type IV": None}),
    "one dimension only, as in a released record": result(taxonomy=[["Contradict type II", "Text - Text"]]),
    "one passage absent": result(paragraphB_information=None),
    "invalid": {"wikitag_label_valid": "Invalid", "valid_comment": "Not a contradiction."},
    "invalid, but filled in": result(wikitag_label_valid="Invalid"),
    "an unknown validity": result(wikitag_label_valid="Perhaps"),
    "validity in lower case": result(wikitag_label_valid=" valid "),
    "an option with its blank": result(
        taxonomy=[["Contradict type I", "(DiscourseLevel) NP-related "]],
        **{"Contradict type I": "(DiscourseLevel) NP-related "},
    ),
    "an option without its blank": result(taxonomy=[["Contradict type I", "(DiscourseLevel) NP-related"]]),
    "several options and a bare parent": result(
        taxonomy=[
            ["Contradict type II"],
            ["Contradict type II", "Text - Text"],
            ["Contradict type II", "Text - Infobox/table"],
            ["Contradict type IV", "Explicit"],
        ],
        **{"Contradict type II": "Text - Infobox/table"},
    ),
    "one option twice": result(taxonomy=[["Contradict type IV", "Explicit"], ["Contradict type IV", "Explicit"]]),
    "unknown options and dimensions": result(
        taxonomy=[["Contradict type IV", "Hidden"], ["Contradict type V", "x"], [], ["a", "b", "c"]]
    ),
    "flat fields that say something else": result(**{"Contradict type IV": "Implicit (reasoning required)"}),
    "flat fields only": result(taxonomy=None),
    "keys as the documentation spells them": {"Contradict_type_I": "(PhraseLevel) Entity - Number", "question1": "?"},
    "empty texts": result(valid_comment="", paragraphA_article="", question2="", question2_answer1=""),
    "blanks at the ends and odd line ends": result(question1=" When? \r\n", valid_comment="\t\u00a0x\u2028"),
    "nulls": result(taxonomy=[], question1=None, confidence=None) | {"question2": None, "taxonomy": None},
    "confidence as a text": result(confidence="4"),
    "confidence as a number": result(confidence=4),
    "confidence as a fraction": result(confidence=3.5),
    "confidence beyond the stars": result(confidence=17),
    "confidence in words": result(confidence="high"),
    "confidence empty": result(confidence=""),
    "an answer without a question": result(question3_answer1="1903"),
    "more than ten questions": result(**{f"question{n}": f"Which {n}?" for n in range(1, 14)}),
    "unknown keys": result(reviewer={"name": "x", "scores": [1, 2.5, None, True]}, **{"": "no name"}),
    "other scripts": result(question1="متى؟ 🌉 \u200f", question1_answer1="e\u0301", question1_answer2="\U0001f9ff"),
    "markup": result(question1="<script>alert(1)</script> {{x}} {% y %}"),
}


@pytest.mark.parametrize("odd", ODD_RESULTS.values(), ids=ODD_RESULTS.keys())
def test_a_record_comes_out_as_it_came_in(odd, tmp_path):
    given = record(annotationResult=odd)
    brought_in([given])
    (came_out,) = exported(tmp_path)
    assert came_out == given
    assert list(came_out) == list(given)
    assert list(came_out["annotationResult"]) == list(odd)


@pytest.mark.parametrize(
    "odd",
    [
        {"title": "Old bridge"},
        {"title": "Old bridge", "annotationResult": None},
        record(url=None, tag=None, tagDate=None, paragraph_A=None, paragraph_A_clean=None),
        record(tagReason="", language="en", source={"dump": ["2024-05"]}),
        {"annotationResult": result(), **record(annotationResult=None)},
        {**record(), "url": None, "tagDate": None},
    ],
    ids=["title only", "task with a null", "few fields", "unknown keys", "another order", "nulls"],
)
def test_the_fields_of_the_tag_come_out_as_they_came_in(odd, tmp_path):
    brought_in([odd])
    (came_out,) = exported(tmp_path)
    assert came_out == odd
    assert list(came_out) == list(odd)


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("question2_answer1", HINT),
        ("question2_answer2", "add the answer based on Passage 2"),
        ("question1_answer2", "  Add  THE answer\nbased on passage 2 "),
        ("question14_answer1", HINT),
    ],
)
def test_a_hint_text_of_the_form_is_no_answer(key, hint, tmp_path):
    brought_in([record(annotationResult=result(**{key: hint}))])
    (came_out,) = exported(tmp_path)
    assert came_out == record(annotationResult=result(**{key: None}))
    assert not Question.objects.filter(answer_1__icontains="based on").exists()
    assert not Question.objects.filter(answer_2__icontains="based on").exists()
    (with_hint,) = exported(tmp_path, as_imported=True)
    assert with_hint["annotationResult"][key] == hint


def test_records_keep_their_order(tmp_path):
    records = [record(title=f"Bridge {number % 7}", tagReason=str(number)) for number in range(450)]
    brought_in(records)
    assert exported(tmp_path) == records


def test_two_tags_quite_alike_are_two(tmp_path):
    assert brought_in([record(), record()])[0].startswith("2 records: 2 new")
    assert exported(tmp_path) == [record(), record()]
    assert sorted(Tag.objects.values_list("occurrence", flat=True)) == [0, 1]
    assert Article.objects.count() == 1


def test_the_tags_of_an_article_that_stand_far_apart_in_the_file_share_it():
    records = [record(title=f"Bridge {number % 300}", tag=f"Inconsistent|{number}") for number in range(700)]
    assert brought_in(records)
    assert (Article.objects.count(), Tag.objects.count()) == (300, 700)


def test_importing_a_file_again_changes_nothing(tmp_path):
    records = [record(), record(), record(title="New bridge"), {"title": "A task"}]
    brought_in(records)
    before = rows_written()
    assert brought_in(records) == ["Nothing changed: all 4 records are already here."]
    assert rows_written() == before
    assert exported(tmp_path) == records


def test_an_import_can_be_joined_by_another(tmp_path):
    brought_in([record()])
    said = brought_in([record(title="New bridge"), record()])
    assert said[0].startswith("2 records: 1 new")
    assert said[1] == "1 was already here and will not change."
    assert exported(tmp_path) == [record(), record(title="New bridge")]


def test_an_export_of_our_own_work_is_known_when_it_is_imported(tmp_path):
    AnnotationFactory()
    given = exported(tmp_path)
    assert brought_in(given) == ["Nothing changed: all 1 records are already here."]


def test_another_annotation_of_a_tag_is_refused_and_named():
    brought_in([record()])
    before = rows_written()
    changed = record(annotationResult=result(question1="Who built it?"))
    with pytest.raises(Refusal, match=r"Record 2 \(“Old bridge”\).*differs in question1") as refusal:
        brought_in([record(title="New bridge"), changed])
    assert refusal.value.status == 409
    assert rows_written() == before


def test_imported_annotations_are_accepted_and_ask_nobody_for_work(admin):
    import_records(io.BytesIO(json.dumps([record()]).encode()), admin=admin)
    annotation = Annotation.objects.get()
    assert (annotation.state, annotation.annotator, annotation.validity) == ("accepted", None, "Valid")
    assert annotation.tag.annotations_needed == 1
    assert not Assignment.objects.unfinished().exists()
    event = Event.objects.about(annotation).get()
    assert (event.action, event.actor) == ("imported", admin)


def test_a_record_without_an_annotation_waits_for_annotators():
    said = brought_in([record(annotationResult=None), record(title="New bridge")])
    assert said == [
        "2 records: 1 new annotation with 1 instance.",
        "1 record without an annotation: its tag waits for annotators.",
    ]
    assert Assignment.objects.free().get().tag.article.title == "Old bridge"


def test_an_imported_annotation_takes_a_harvested_tag_that_nobody_has_touched(tmp_path):
    given = record()
    article = ArticleFactory(title=given["title"], url=given["url"])
    tag = TagFactory(article=article, raw=given["tag"], paragraph=given["paragraph_A"])
    brought_in([given])
    assert Annotation.objects.get().tag == tag
    assert not Assignment.objects.unfinished().exists()
    assert exported(tmp_path) == [given]


def test_a_tag_that_an_annotator_works_on_is_not_taken_away(annotator):
    given = record()
    article = ArticleFactory(title=given["title"], url=given["url"])
    tag = TagFactory(article=article, raw=given["tag"], paragraph=given["paragraph_A"])
    AnnotationFactory(tag=tag, annotator=annotator, state="draft")
    with pytest.raises(Refusal, match="Record 1"):
        brought_in([given])
    assert Assignment.objects.filter(tag=tag).count() == 1


def test_more_than_ten_questions_are_told():
    said = brought_in([record(annotationResult=result(**{f"question{n}": "Is it?" for n in range(1, 12)}))])
    assert "with 10 instances" in said[0]
    assert said[1].startswith("More than ten questions")


def test_one_that_is_interrupted_leaves_nothing_half_and_can_be_repeated(tmp_path, monkeypatch):
    file = tmp_path / "records.json"
    file.write_text(json.dumps([record()]))
    with monkeypatch.context() as patched:
        # Ctrl+C as Python tells it: a process in the background may have been started without it.
        patched.setattr(Writing, "finish", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(CommandError, match="Import the same file again") as ended:
            call_command("import_annotations", file)
    assert ended.value.returncode == 130
    assert not Tag.everything.exists()
    call_command("import_annotations", file)
    assert Tag.objects.count() == 1


def test_a_byte_order_mark_does_no_harm(tmp_path):
    brought_in(b"\xef\xbb\xbf" + json.dumps([record()]).encode())
    assert exported(tmp_path) == [record()]


def test_the_longest_title_and_address_fit(tmp_path):
    # Letters that do not compress: PostgreSQL limits the bytes of an indexed value after compressing it.
    letters = "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=2_500))
    given = record(title=letters[:500], url=letters[500:])
    brought_in([given])
    assert exported(tmp_path) == [given]


def test_an_empty_list_is_no_mistake(tmp_path):
    assert brought_in([]) == ["The file holds no records."]
    assert exported(tmp_path) == []


def test_a_check_writes_nothing(tmp_path, capsys):
    path = tmp_path / "in.json"
    path.write_text(json.dumps([record()]))
    call_command("import_annotations", str(path), "--dry-run")
    assert "1 record: 1 new" in capsys.readouterr().out
    assert rows_written() == 0


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [*result(), "question2_answer1", "valid_comment", "Contradict type I", "confidence", "taxonomy"]
)
ANY_RECORD = st.fixed_dictionaries(
    {"title": st.text(max_size=5) | ANY_JSON},
    optional={
        "tag": st.text() | ANY_JSON,
        "annotationResult": st.dictionaries(KEYS | st.text(), st.text() | ANY_JSON, max_size=4) | ANY_JSON,
    },
)
STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
TEXTS = STORABLE | st.none()
TITLES = STORABLE.filter(str.strip) | st.just("Old bridge")
STEPS = STORABLE | st.sampled_from(
    ["Contradict type I", "Contradict type IV", "Explicit", "(DiscourseLevel) NP-related "]
)
WELL_SHAPED = st.fixed_dictionaries(
    {"title": TITLES},
    optional={
        "url": TEXTS,
        "tag": TEXTS,
        "tagReason": TEXTS,
        "annotationResult": st.none()
        | st.dictionaries(
            KEYS.filter(lambda key: key not in ("confidence", "taxonomy")), TEXTS | st.just(HINT)
        ).flatmap(
            lambda texts: st.fixed_dictionaries(
                {key: st.just(text) for key, text in texts.items()},
                optional={
                    "taxonomy": st.lists(st.lists(STEPS, max_size=3), max_size=4) | st.none(),
                    "confidence": TEXTS | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
                    "question11_answer2": TEXTS,
                },
            )
        ),
    },
)


class AnyRecords(TestCase):
    @given(st.lists(ANY_RECORD | ANY_JSON, max_size=3))
    @settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))
    def test_whatever_comes_is_refused_as_a_whole_or_comes_out_as_it_came(self, records):
        try:
            brought_in(records)
        except Refusal:
            refused = True
        else:
            refused = False
        if refused:
            assert rows_written() == 0
        else:
            assert exported_records() == records

    @given(st.lists(WELL_SHAPED, max_size=4))
    @settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))
    def test_records_of_the_right_shape_always_come_out_as_they_came(self, records):
        brought_in(records)
        assert exported_records() == records


def exported_records() -> list[dict]:
    output = io.StringIO()
    call_command("export_annotations", as_imported=True, stdout=output)
    return json.loads(output.getvalue())
