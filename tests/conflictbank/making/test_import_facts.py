"""Facts from tables, entities and dumps: one per subject and relation, with all of its true objects."""

import bz2
import csv
import gzip
import io
import json
import os
import random
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, transaction

from annotation.mediawiki.errors import Unreachable
from benchmarks.conflictbank.facts import importing
from benchmarks.conflictbank.facts.dumps import import_dump
from benchmarks.conflictbank.facts.fitness import assess_relations
from benchmarks.conflictbank.facts.importing import import_facts
from benchmarks.conflictbank.facts.names import fetch_names
from benchmarks.conflictbank.facts.templates import add_template
from benchmarks.conflictbank.models import DropReason, Entity, Fact, FactFile, FactState, RelationTemplate, TrueObject
from core.files.skipping import Skipped
from core.refusals import Refusal
from tests.factories.conflictbank import TOWNS, as_lines, bring_in, entity, residents, row, statement

pytestmark = pytest.mark.django_db
DATA = Path(os.environ.get("WIKICONTRADICT_DATA", Path(__file__).parents[4] / "shared" / "data"))


def table(rows) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def facts() -> set:
    found = Fact.objects.select_related("subject", "object")
    return {(each.subject.name, each.relation, str(each.object or ""), each.state, each.reason) for each in found}


def objects_of(subject: str) -> set[str]:
    return set(TrueObject.objects.filter(fact__subject__name=subject).values_list("entity__name", flat=True))


# --- Tables ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [as_lines, table])
def test_a_table_becomes_facts(form):
    result = import_facts(io.BytesIO(form(residents())))
    assert result.counts["facts"] == 10
    assert Fact.objects.filter(state=FactState.READY).count() == 10
    assert Entity.objects.count() == 15
    again = import_facts(io.BytesIO(form(residents())))
    assert again.counts["facts"] == 0
    assert Fact.objects.count() == 10


def test_one_fact_per_subject_and_relation_keeps_all_true_objects_in_any_order():
    rows = [
        *residents(),
        row("Person 0", "Zedburgh"),
        row("Person 0", "Yarrow", rank="preferred"),
        row("Person 0", "Xanfield", rank="deprecated"),
        row("Person 0", "Wick", ended="1999"),
        row("Person 0", "Yarrow", ended="1950"),
    ]
    found = []
    for seed in (1, 2, 3):
        with transaction.atomic():
            random.Random(seed).shuffle(rows)
            bring_in(rows)
            found.append((facts(), objects_of("Person 0")))
            transaction.set_rollback(True)
    assert found[0] == found[1] == found[2]
    chosen, objects = found[0]
    assert ("Person 0", "P551", "Yarrow", "ready", "") in chosen
    assert objects == {"Altona", "Zedburgh", "Yarrow", "Wick"}
    assert len(chosen) == 10


def test_the_latest_start_counts_among_equal_ranks():
    bring_in([row("Ann", "Altona", started="1990"), row("Ann", "Brinmoor", started="2001"), row("Ann", "Cadwell")])
    assert str(Fact.objects.get().object) == "Brinmoor"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"subject_description": ""}, DropReason.NO_DESCRIPTION),
        ({"object_description": " "}, DropReason.NO_DESCRIPTION),
        ({"object": "Hal Holt"}, DropReason.CONTAINED),
        ({"object": "The house of HAL HOLT"}, DropReason.CONTAINED),
        ({"object": "March of Ancona"}, DropReason.MONTH),
        ({"subject": "April O'Neil"}, DropReason.MONTH),
        ({"ended": "1999"}, DropReason.NO_OBJECT),
        ({"relation": "P27"}, DropReason.NO_TEMPLATE),
        ({"relation": "P159"}, DropReason.FEW_OBJECTS),
    ],
)
def test_a_fact_is_dropped_with_its_reason(changed, reason):
    result = bring_in([*residents(), {**row(), **changed}])
    fact = Fact.objects.exclude(subject__name__startswith="Person").get()
    assert (fact.state, fact.reason) == (FactState.DROPPED, reason)
    assert f"Dropped, {reason.label}: 1" in list(result.lines())


@pytest.mark.parametrize("name", ["Mayor Mabel", "Marchand", "Augustus", "Maynard", "Decemberists"])
def test_a_month_is_a_whole_word(name):
    bring_in([*residents(), row(name)])
    assert Fact.objects.get(subject__name=name).state == FactState.READY


def test_a_relation_comes_back_with_enough_objects_or_a_template():
    bring_in([row("Ann", "Altona"), row("Bea", "Brinmoor"), row("Cay", "Altona", "P27")])
    assert {each.reason for each in Fact.objects.all()} == {DropReason.FEW_OBJECTS, DropReason.NO_TEMPLATE}
    bring_in([row("Dee", "Cadwell"), *(row(f"E {n}", TOWNS[n], "P27") for n in range(3))])
    assert set(Fact.objects.filter(relation="P551").values_list("state", flat=True)) == {"ready"}
    add_template(
        relation="P27",
        statement="<subject> is a citizen of <object>.",
        question="Of which country is <subject> a citizen?",
        is_point=False,
        admin=None,
    )
    assess_relations()
    assert set(Fact.objects.values_list("state", flat=True)) == {"ready"}


def test_records_of_unknown_relations_are_counted_and_left_out():
    result = bring_in([row(relation="P99999"), *residents()])
    assert Fact.objects.count() == 10
    assert "1 record of relations without any template: left out." in list(result.lines())


# --- Bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad",
    [
        row("x" * 10_000),
        row(object="y" * 251),
        row(relation="born"),
        row(subject_id="42"),
        row(rank="best"),
        row(subject_is_living="perhaps"),
        row(subject=""),
        row(subject=7),
        {**row(), "colour": "red"},
        row("a\ud800"),
        row("a\x00b"),
        ["a", "list"],
    ],
)
def test_a_bad_record_is_named_and_nothing_written(bad, tmp_path):
    rows = [*residents(3), bad, row("Zed")]
    with pytest.raises(Refusal, match="Line 4"):
        bring_in(rows)
    assert not Fact.objects.exists()
    target = tmp_path / "rest"
    bring_in(rows, skipped=Skipped(str(target), standard_output=io.StringIO()))
    assert Fact.objects.count() == 4
    assert json.loads(target.read_text())["where"] == "Line 4"


@pytest.mark.parametrize(
    "name", ["{Braces} %s {0}", "Ann\nAnswer: B", "مدينة الإسكندرية", "<subject> <object>", "A'; DROP"]
)
def test_odd_names_are_kept_on_one_line(name):
    bring_in([*residents(), row(name)])
    assert Entity.objects.filter(name=" ".join(name.split())).count() == 1
    assert Fact.objects.filter(state=FactState.READY).count() == 11


def test_a_check_of_many_facts_only_reads_them(monkeypatch):
    monkeypatch.setattr(importing, "MOST_TRIED", 5)
    monkeypatch.setattr(importing, "store_facts", lambda *args, **how: pytest.fail("it was tried"))
    said = " ".join(bring_in(residents(6), check_only=True).lines())
    assert "6 records read, without problems." in said
    assert not Fact.objects.exists()


def test_a_dry_run_says_the_same_and_stores_nothing():
    rows = [*residents(), row("April")]
    checked = list(bring_in(rows, check_only=True).lines())
    assert not Fact.objects.exists()
    assert not FactFile.objects.exists()
    assert checked == list(bring_in(rows).lines())


# --- Entities -------------------------------------------------------------------------------------------------------


def test_the_entities_of_the_sample():
    path = DATA / "wikidata_entities_sample.json"
    if not path.exists():
        pytest.skip("the sample is not here")
    text = path.read_bytes()
    known = set(RelationTemplate.objects.values_list("relation", flat=True))
    wanted: dict = {}
    for key, record in json.loads(text)["entities"].items():
        for relation, statements in record["claims"].items():
            kept = {
                f"Q{each['mainsnak']['datavalue']['value']['numeric-id']}"
                for each in statements
                if each["rank"] != "deprecated" and relation in known and "datavalue" in each["mainsnak"]
            }
            if kept:
                wanted[key, relation] = kept
    import_facts(io.BytesIO(text))
    found = {
        (fact.subject.key, fact.relation): set(fact.true_objects.values_list("entity__key", flat=True))
        for fact in Fact.objects.select_related("subject")
    }
    assert found == wanted
    assert ("Q42", "P551") in found
    assert "Q159288" not in found["Q42", "P551"]
    assert Fact.objects.get(subject__key="Q42", relation="P26").reason == DropReason.NO_OBJECT
    assert Entity.objects.get(key="Q42").name == "Douglas Adams"
    assert Fact.objects.filter(state=FactState.WAITING).exists()


def test_both_ages_of_the_format_and_what_is_no_fact():
    old = entity("Q1", "Old", P551=["Q10"])
    del old["claims"]["P551"][0]["mainsnak"]["datavalue"]["value"]["id"]
    nothing = statement("Q10")
    nothing["mainsnak"] = {"snaktype": "somevalue"}
    records = {
        "Q1": old,
        "Q2": {"type": "item", "id": "Q2", "labels": [], "descriptions": [], "claims": []},
        "Q3": {"id": "Q3", "missing": ""},
        "Q4": entity("Q4", "Unknown", P551=[nothing]),
        "Q5": entity("Q5", "Typed", P551=["Q10", statement("Q11", P582="+1999-00-00T00:00:00Z")], P31=["Q5"]),
    }
    import_facts(io.BytesIO(json.dumps({"entities": records, "success": 1}).encode()))
    assert set(Fact.objects.values_list("subject__key", "object__key")) == {("Q1", "Q10"), ("Q5", "Q10")}
    typed = Entity.objects.get(key="Q5")
    assert (typed.types, typed.is_living) == (["Q5"], True)
    assert TrueObject.objects.filter(fact__subject=typed, is_current=False).count() == 1


# --- Dumps ----------------------------------------------------------------------------------------------------------


def dump(count: int = 450) -> bytes:
    towns = [entity(f"Q{900 + n}", town) for n, town in enumerate(TOWNS[:3])]
    people = [entity(f"Q{n}", f"Person {n}", P551=[f"Q{900 + n % 4}"]) for n in range(1, count)]
    records = [*towns, *people, {"type": "property", "id": "P551"}]
    return b"[\n" + b",\n".join(json.dumps(each).encode() for each in records) + b"\n]\n"


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_a_dump_is_read_packed_or_not(tmp_path, pack):
    path = tmp_path / "dump.json"
    path.write_bytes(pack(dump()))
    result = import_dump(path)
    assert not result.problem
    assert Fact.objects.count() == 449
    # The fourth town has no line.
    assert Fact.objects.filter(state=FactState.WAITING).count() == 112
    assert Fact.objects.filter(state=FactState.READY).count() == 337


def test_an_interrupted_import_goes_on_where_it_ended(tmp_path, monkeypatch):
    parts = dump().splitlines(keepends=True)
    packed = b"".join(gzip.compress(b"".join(parts[at : at + 50])) for at in range(0, len(parts), 50))
    path = tmp_path / "dump.json.gz"
    path.write_bytes(packed)
    from benchmarks.conflictbank.facts import dumps

    stored = dumps.store_lines
    calls = []

    def stop(*args):
        calls.append(len(args[2]))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return stored(*args)

    monkeypatch.setattr(dumps, "store_lines", stop)
    with pytest.raises(KeyboardInterrupt):
        import_dump(path)
    file = FactFile.objects.get()
    assert file.checkpoint["line"] == 200
    assert file.checkpoint["packed"] > 0
    monkeypatch.setattr(dumps, "store_lines", stored)
    result = import_dump(path)
    assert result.counts["lines"] == len(parts)
    assert Fact.objects.count() == 449
    assert FactFile.objects.get().done_at


def test_importing_a_dump_again_only_takes_names(tmp_path):
    others = [entity(f"Q{n}", f"Person {n}") for n in range(1_000, 1_200)]
    records = [entity("Q900", "Altona"), *others, entity("Q1", "Ann", P551=["Q900"])]
    path = tmp_path / "dump.json"
    path.write_bytes(b"[\n" + as_lines(records))
    import_dump(path)
    assert Fact.objects.get().state == FactState.WAITING
    result = import_dump(path)
    assert result.counts["names"] == 1
    assert Fact.objects.get().object.name == "Altona"


def test_a_broken_line_of_a_dump_is_named_and_what_precedes_it_kept(tmp_path):
    lines = dump(20).splitlines(keepends=True)
    lines[10] = b'{"type": "item", \n'
    path = tmp_path / "dump.json"
    path.write_bytes(b"".join(lines))
    with pytest.raises(CommandError, match="Line 11: is not JSON") as caught:
        call_command("import_facts", str(path))
    assert caught.value.returncode == 3
    kept = Fact.objects.count()
    assert 0 < kept < 19
    call_command("import_facts", str(path), "--skip-bad", str(tmp_path / "rest"))
    assert Fact.objects.count() == 18
    assert json.loads((tmp_path / "rest").read_text())["where"] == "Line 11"


def test_a_dump_that_ends_early_keeps_what_was_read(tmp_path):
    path = tmp_path / "dump.json.gz"
    path.write_bytes(gzip.compress(dump())[:-2_000])
    assert "ends too early" in import_dump(path).problem
    assert not FactFile.objects.get().done_at


def test_a_check_of_a_dump_stores_nothing(tmp_path):
    path = tmp_path / "dump.json"
    path.write_bytes(dump(30))
    assert import_dump(path, check_only=True).counts["facts"] == 29
    assert not Fact.objects.exists()
    assert not FactFile.objects.exists()


# --- Names from a wiki ----------------------------------------------------------------------------------------------


class FakeWiki:
    host = "wiki.example"

    def __init__(self, fail_at=99):
        self.asked, self.fail_at = [], fail_at

    def query(self, **asked):
        assert asked["action"] == "wbgetentities"
        if len(self.asked) + 1 == self.fail_at:
            raise Unreachable("wiki.example does not answer.")
        ids = asked["ids"].split("|")
        self.asked.append(len(ids))
        return {
            "entities": {
                key: {"id": key, "missing": True} if key == "Q903" else entity(key, f"Town {key}") for key in ids
            }
        }


def many_waiting():
    records = {f"Q{n}": entity(f"Q{n}", f"Person {n}", P551=[f"Q{900 + n}"]) for n in range(1, 121)}
    import_facts(io.BytesIO(json.dumps({"entities": records}).encode()))


def test_names_are_fetched_50_with_a_request():
    many_waiting()
    wiki = FakeWiki()
    assert fetch_names(wiki) == 119
    assert wiki.asked == [50, 50, 20]
    assert Fact.objects.filter(state=FactState.READY).count() == 119
    assert Fact.objects.get(object__key="Q903").reason == DropReason.NO_NAME
    assert fetch_names(wiki) == 0
    assert len(wiki.asked) == 3


def test_what_was_fetched_is_kept_when_the_wiki_ends():
    many_waiting()
    with pytest.raises(Unreachable):
        fetch_names(FakeWiki(fail_at=2))
    assert Fact.objects.filter(state=FactState.READY).count() == 49
    assert fetch_names(FakeWiki()) == 70


# --- The database ---------------------------------------------------------------------------------------------------


def test_the_database_keeps_one_fact_per_subject_and_relation():
    bring_in(residents(3))
    fact = Fact.objects.first()
    with pytest.raises(IntegrityError), transaction.atomic():
        Fact.objects.create(subject=fact.subject, relation=fact.relation, file=fact.file)
    with pytest.raises(IntegrityError), transaction.atomic():
        Fact.objects.filter(pk=fact.pk).update(state=FactState.DROPPED)
    with pytest.raises(DatabaseError), transaction.atomic():
        RelationTemplate.objects.create(relation="P551", version=2, statement="a", question="b")
