"""Scripts and style sheets reach the browser compressed and without their comments, line by line the same."""

import gzip
from pathlib import Path

import brotli
import pytest
from django.conf import settings
from django.templatetags.static import static
from hypothesis import given
from hypothesis import strategies as st

from core.web.lean_files import without_comments

STATIC = Path(settings.BASE_DIR, "static")
OURS = sorted(each for each in STATIC.rglob("*") if each.suffix in (".js", ".css") and "vendor" not in each.parts)
LINES = [
    "code();",
    "// said",
    "  /** one line */",
    "/** first",
    " * second",
    " */",
    "*/ code();",
    "/* a */ code();",
    "",
]


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_only_whole_lines_of_comment_go(path):
    source, lean = (text.split("\n") for text in (path.read_text(), without_comments(path.read_text())))
    assert len(source) == len(lean)
    for number, (before, after) in enumerate(zip(source, lean, strict=True)):
        assert after in (before, ""), number
        if after != before:
            assert before.strip().startswith(("//", "/*", "*")) or path.suffix == ".css", (number, before)
            # Not within a text over several lines.
            assert sum(line.count("`") for line in lean[:number]) % 2 == 0, (number, before)


@given(st.lists(st.sampled_from(LINES), max_size=12))
def test_whatever_the_lines_code_stays_and_numbers_too(lines):
    lean = without_comments("\n".join(lines)).split("\n")
    assert len(lean) == max(len(lines), 1)
    for before, after in zip(lines, lean, strict=False):
        if before in ("code();", "/* a */ code();") and not any(line.startswith("/** first") for line in lines):
            assert after == before


def test_the_server_serves_them_so_and_a_browser_may_keep_them(client, db):
    answer = client.get(static("scripts/dom.js"))
    assert answer.status_code == 200
    assert b"export function one(" in answer.content
    assert b"@template" not in answer.content
    assert "max-age" in answer["Cache-Control"]
    assert "Content-Length" not in answer or int(answer["Content-Length"]) == len(answer.content)
    for accepted, name, unpack in (("gzip;q=1.0", "gzip", gzip.decompress), ("gzip, br", "br", brotli.decompress)):
        packed = client.get(static("scripts/dom.js"), headers={"Accept-Encoding": accepted})
        assert packed["Content-Encoding"] == name
        assert unpack(packed.content) == answer.content
        assert packed["Vary"] == "Accept-Encoding"
    again = client.get(static("scripts/dom.js"), headers={"If-None-Match": answer["ETag"]})
    assert again.status_code == 304 or again.content == answer.content
    assert client.get(static("scripts/nothing.js")).status_code == 404
    vendor = client.get(static("vendor/htmx-2.0.11.min.js"))
    assert vendor.content == (STATIC / "vendor" / "htmx-2.0.11.min.js").read_bytes()
    assert client.head(static("scripts/dom.js")).status_code == 200
