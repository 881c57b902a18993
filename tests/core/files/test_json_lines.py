"""Files of JSON Lines have a line per record, whatever their texts hold and whatever counts as the end of a line."""

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from annotation.content.instances import canonical
from core.files.records import read_lines
from core.files.skipping import Skipped
from core.files.writing import json_lines

LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
TEXTS = st.text(alphabet=st.sampled_from(LINE_ENDS) | st.characters(exclude_categories=["Cs"]), max_size=10)
RECORDS = st.lists(st.dictionaries(TEXTS, TEXTS | st.lists(TEXTS, max_size=2), max_size=3), max_size=5)


@given(RECORDS)
def test_there_are_as_many_lines_as_records(records):
    written = "".join(json_lines(records))
    assert len(written.splitlines()) == len(records)
    assert list(map(json.loads, written.splitlines())) == records
    assert [record for _, record in read_lines(written)] == records


@given(RECORDS)
def test_so_it_is_for_records_that_are_skipped_and_for_what_hashes_are_computed_from(records):
    skipped = Skipped("-", standard_output=io.StringIO())
    for number, record in enumerate(records):
        skipped.add(str(number), "bad", record)
    skipped.keep()
    assert len(skipped.standard_output.getvalue().splitlines()) == len(records)
    assert len("".join(f"{canonical(record)}\n" for record in records).splitlines()) == len(records)


def test_other_texts_stay_readable():
    assert list(json_lines([{"é": "日本 🙂"}])) == ['{"é": "日本 🙂"}\n']
