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
from annotation.releases.imports import import_records
from core.files.problems import MOST_LEVELS
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
    assert brought_in(records) == ["Nothing changed: all 4 records are here already."]
    assert rows_written() == before
    assert exported(tmp_path) == records


def test_an_import_can_be_joined_by_another(tmp_path):
    brought_in([record()])
    said = brought_in([record(title="New bridge"), record()])
    assert said[0].startswith("2 records: 1 new")
    assert said[1] == "1 was here already and will not change."
    assert exported(tmp_path) == [record(), record(title="New bridge")]


def test_an_export_of_our_own_work_is_known_when_it_is_imported(tmp_path):
    AnnotationFactory()
    given = exported(tmp_path)
    assert brought_in(given) == ["Nothing changed: all 1 records are here already."]


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


BROKEN = {
    "empty": (b"", "It is empty"),
    "only blanks": (b" \n ", "It is empty"),
    "no JSON": (b"title,url\n", "The file is not JSON"),
    "an object": (b'{"title": "x"}', "must be a list"),
    "a number": (b"7", "must be a list"),
    "cut off": (json.dumps([record(), record()]).encode()[:-30], "Record 2 is not JSON"),
    "no comma": (b'[{"title": "x"} {"title": "y"}]', "after record 1 a comma"),
    "a comma too many": (b'[{"title": "x"},]', "Record 2 is not JSON"),
    "two lists": (b'[{"title": "x"}] []', "follows the end"),
    "not UTF-8": ('[{"title": "Brücke"}]'.encode("latin-1"), "not text in UTF-8"),
    "UTF-16": (json.dumps([record()]).encode("utf-16"), "not text in UTF-8"),
    "NaN": (b'[{"title": "x", "annotationResult": {"confidence": NaN}}]', "Record 1 cannot be read: NaN"),
    "a number without end": (b'[{"title": "x", "n": 1e999}]', "too large"),
    "too many digits": (b'[{"title": "x", "n": ' + b"9" * 5000 + b"}]", "more than 1,000 digits"),
    "a key twice": (b'[{"title": "x", "url": "a", "url": "b"}]', "'url' appears twice"),
    "nested without end": (b'[{"title": "x", "n": ' + b"[" * 200_000, "nested too deep"),
    "nested deep": (json.dumps([record(n=json.loads("[" * 40 + "]" * 40))]).encode(), f"deeper than {MOST_LEVELS}"),
    "a list in the list": ([[record()]], "Record 1: it must be an object"),
    "a text in the list": ([record(), "x"], "Record 2: it must be an object"),
    "no title": ([record(), record(title=None)], "Record 2: the field “title” is missing"),
    "an empty title": ([record(title=" ")], "Record 1: the field “title” is missing or empty"),
    "a title that is no text": ([record(title=7)], "the field “title” must be a text, and is a number"),
    "a title that is too long": ([record(title="x" * 501)], "the field “title” is longer"),
    "an address that is too long": ([record(url="ü" * 1999)], "the field “url” is too long"),
    "a date that is a list": ([record(tagDate=["May"])], "the field “tagDate” must be a text, and is a list"),
    "a result that is a list": ([record(annotationResult=[])], "the field “annotationResult” must be an object"),
    "a question that is an object": (
        [record(annotationResult=result(question1={"en": "When?"}))],
        "“annotationResult.question1” must be a text, and is an object",
    ),
    "a taxonomy that is a text": (
        [record(annotationResult=result(taxonomy="Explicit"))],
        "annotationResult.taxonomy",
    ),
    "a taxonomy of texts": ([record(annotationResult=result(taxonomy=["Explicit"]))], "annotationResult.taxonomy"),
    "a taxonomy of numbers": ([record(annotationResult=result(taxonomy=[[1, 2]]))], "annotationResult.taxonomy"),
    "a confidence that is a list": ([record(annotationResult=result(confidence=[5]))], "annotationResult.confidence"),
    "a NUL": ([record(annotationResult=result(question1="When\0?"))], "annotationResult.question1"),
    "half a character": ([record(annotationResult=result(question1="\ud83d"))], "annotationResult.question1"),
    "a NUL in an unknown key": ([record(x={"a\0": 1})], "has a name with a character that is no text"),
}


@pytest.mark.parametrize(("content", "said"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_refused_as_a_whole_with_record_and_field(content, said, tmp_path):
    if not isinstance(content, bytes):
        # The sound record before it must not stay behind.
        content = json.dumps([*content, record(title="Sound")]).encode()
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(CommandError) as refusal:
        call_command("import_annotations", str(path))
    assert said in str(refusal.value)
    assert "nothing was written" in str(refusal.value)
    assert rows_written() == 0


def test_with_skip_bad_the_good_records_come_in_and_the_bad_ones_into_a_file(tmp_path, capsys):
    brought_in([record(), record(title="Other")])
    path, bad, repaired = tmp_path / "in.json", tmp_path / "bad.jsonl", tmp_path / "repaired.json"
    clashing, shapeless = record(annotationResult=result(question1="Who built it?")), record(title="Z", tagDate=7)
    path.write_text(json.dumps([clashing, record(title="Other"), "\ud83d", shapeless, record(title="New bridge")]))
    call_command("import_annotations", str(path), "--skip-bad", str(bad))
    said = capsys.readouterr().out
    assert "2 records: 1 new annotation with 1 instance." in said
    assert f"3 bad records were skipped: in {bad}, with the reasons." in said
    assert exported(tmp_path) == [record(title=title) for title in ("Old bridge", "Other", "New bridge")]

    skipped = [json.loads(line) for line in bad.read_text().splitlines()]
    assert [each["record"] for each in skipped] == [clashing, "\ud83d", shapeless]
    assert skipped[2]["where"] == "Record 4 (“Z”)"
    assert "“tagDate” must be a text" in skipped[2]["problem"]
    assert "differs in question1" in skipped[0]["problem"]

    before = rows_written()
    call_command("import_annotations", str(path), "--skip-bad", str(bad))
    assert "Nothing changed: all 2 records are here already." in capsys.readouterr().out
    assert rows_written() == before
    repaired.write_text(json.dumps([skipped[2]["record"] | {"tagDate": "May 2024"}]))
    call_command("import_annotations", str(repaired), "--skip-bad", str(bad))
    assert "No record was skipped." in capsys.readouterr().out
    assert (len(exported(tmp_path)), bad.read_text()) == (4, "")


def test_without_room_for_the_bad_records_nothing_is_imported(tmp_path):
    path = tmp_path / "in.json"
    path.write_text(json.dumps([record(), record(title=None)]))
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("import_annotations", str(path), "--skip-bad", str(tmp_path / "none" / "bad.jsonl"))
    assert rows_written() == 0


def test_a_file_that_is_too_large_is_refused_before_it_is_read(settings, tmp_path):
    settings.IMPORT_MAX_BYTES = 1_000
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(200_000_000)
    with pytest.raises(CommandError, match="Nothing was written"):
        call_command("import_annotations", str(path))


def test_a_file_that_is_not_there_is_said_in_words(tmp_path):
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_annotations", str(tmp_path / "none.json"))


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


def test_all_problems_are_counted_and_the_first_are_named():
    with pytest.raises(Refusal) as refusal:
        brought_in([{"url": "x"}] * 9)
    assert "Record 5" in refusal.value.message
    assert "4 more records have problems" in refusal.value.message


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
