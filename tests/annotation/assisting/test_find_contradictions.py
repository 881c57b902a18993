"""`manage.py find_contradictions FILE ...` prints pairs of sentences that may contradict each other, and touches no
tag."""

import io
import json
import time

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.assisting.counterparts.pairs import pairs_in

BRIDGE = (
    "The northbound bridge was the first of the present ones. It rests on 16 piers. Planning began after the war. "
    "The northbound bridge was opened to traffic in 1950. Walkers may use the deck. "
    "The northbound bridge was opened to traffic in 1948, after two years of work."
)


def found(*arguments: str) -> list[dict]:
    output = io.StringIO()
    call_command("find_contradictions", *arguments, stdout=output, stderr=io.StringIO())
    return [json.loads(line) for line in output.getvalue().splitlines()]


@pytest.fixture
def bridge(tmp_path):
    path = tmp_path / "Bridge.txt"
    path.write_text(BRIDGE)
    return str(path)


def test_the_pair_is_printed_with_both_texts_and_the_reason(bridge):
    first = found(bridge)[0]
    assert (first["title"], first["found_by"], first["reason"]) == (
        "Bridge",
        "the program",
        "1950 ≠ 1948, other date",
    )
    assert first["text_1"].endswith("in 1950.")
    assert first["text_2"].startswith("The northbound bridge was opened to traffic in 1948")


def test_the_number_and_the_score_of_candidates_can_be_limited(bridge):
    assert found(bridge, "--most", "0") == []
    assert found(bridge, "--score", "2") == []


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_read(bridge, tmp_path):
    latin = tmp_path / "latin.txt"
    latin.write_bytes("Br\xfccke".encode("latin-1"))
    output = io.StringIO()
    with pytest.raises(CommandError, match="2 of 3 files could not be read"):
        call_command(
            "find_contradictions",
            str(tmp_path / "missing.txt"),
            str(latin),
            bridge,
            stdout=output,
            stderr=io.StringIO(),
        )
    assert "1948" in output.getvalue()


@pytest.mark.parametrize(
    "texts", [[], [""], ["One sentence only."], ["The same words here."] * 2, ["橋" * 50, "川" * 50]]
)
def test_there_is_no_pair_without_a_difference(texts):
    assert pairs_in(texts) == []


def test_the_time_is_in_proportion():
    texts = [f"Its pier {at} was mended in 19{at % 90 + 10} at a cost of {at * 37} crowns." for at in range(5_000)]
    begin = time.process_time()
    pairs_in(texts)
    assert time.process_time() - begin < 3
