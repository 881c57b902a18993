"""`manage.py extract_tags FILE...` prints what the files hold, says what it could not read, and needs no database."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from core.files.commands import Exit

ROOT = Path(__file__).parents[3]
PAGES = Path(__file__).parents[1] / "wikitext"


@pytest.fixture
def extract(tmp_path):
    """Runs the command as a person would, without a migrated database, and checks that none appears."""

    def run(*arguments, **environment) -> subprocess.CompletedProcess:
        var = tmp_path / "var"
        result = subprocess.run(
            [sys.executable, "manage.py", "extract_tags", *map(os.fspath, arguments)],
            cwd=ROOT,
            capture_output=True,
            env={**os.environ, "VAR_DIR": str(var), "DATABASE_URL": f"sqlite:///{var}/none.sqlite3", **environment},
        )
        assert not (var / "none.sqlite3").exists()
        return result

    return run


def records_in(*arguments: str | Path) -> list[dict]:
    """The command's output, from this process, where a test that does not ask for the database may not touch it."""
    output = io.StringIO()
    call_command("extract_tags", *map(os.fspath, arguments), stdout=output)
    return json.loads(output.getvalue())


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_it_prints_records_under_the_names_of_the_released_benchmark(extract, tmp_path):
    page = write(tmp_path, "Foo_(bar).wikitext", "== A ==\nOne{{Inconsistent|date=May 2020|reason=two}}.")
    result = extract(page)
    assert result.returncode == 0
    assert json.loads(result.stdout) == [
        {
            "title": "Foo (bar)",
            "url": "https://en.wikipedia.org/wiki/Foo_(bar)",
            "family": "inconsistent",
            "paragraph_A": "One{{Inconsistent|date=May 2020|reason=two}}.",
            "paragraph_A_clean": "One.",
            "tag": "Inconsistent|date=May 2020|reason=two",
            "tagDate": "May 2020",
            "tagReason": "two",
            "other_articles": [],
            "section": "A",
            "placement": "paragraph",
        }
    ]


def test_it_reads_several_files_and_one_without_a_tag(tmp_path):
    records = records_in(PAGES / "Hollin_Moor_Canal.wikitext", write(tmp_path, "B.txt", "nothing"), "--wiki", "")
    assert len(records) == 17
    assert {record["title"] for record in records} == {"Hollin Moor Canal"}
    assert not any("url" in record for record in records)


TITLES = {
    "Tauhinukorokio_%2F_Mount_Pleasant.wikitext": "Tauhinukorokio / Mount Pleasant",
    "St_Eunan's_GAA.txt": "St Eunan's GAA",
    "Robots.txt.wikitext": "Robots.txt",
    "قلعة_الورد.wikitext": "قلعة الورد",
    "100%_Pure.wikitext": "100% Pure",
    "Who%3F.wikitext": "Who?",
    "Plain name": "Plain name",
}


def test_titles_and_addresses_come_from_the_names_of_the_files(tmp_path):
    records = records_in(*(write(tmp_path, name, "One{{Inconsistent}}") for name in TITLES))
    assert [record["title"] for record in records] == list(TITLES.values())
    addresses = [record["url"].removeprefix("https://en.wikipedia.org/wiki/") for record in records]
    assert addresses[0] == "Tauhinukorokio_/_Mount_Pleasant"
    assert addresses[3:6] == ["قلعة_الورد", "100%25_Pure", "Who%3F"]


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path):
    (record,) = records_in(write(tmp_path, "A.txt", b"\xef\xbb\xbf{{Contradict}}\r\nText\r\n"))
    assert (record["paragraph_A"], record["paragraph_A_clean"]) == ("{{Contradict}}", "")


def test_files_that_cannot_be_read_are_named_and_the_others_printed(tmp_path, capsys):
    good = write(tmp_path, "A.wikitext", "One{{Inconsistent}}")
    latin = write(tmp_path, "Latin.wikitext", "é{{Inconsistent}}".encode("latin-1"))
    with pytest.raises(CommandError, match="3 of 4 files could not be read") as ended:
        call_command("extract_tags", *map(str, (tmp_path / "missing.wikitext", latin, tmp_path, good)))
    assert ended.value.returncode == Exit.PARTLY
    shown, complaints = capsys.readouterr()
    assert [record["title"] for record in json.loads(shown)] == ["A"]
    for what in ("missing.wikitext: could not be read: No such file", "Latin.wikitext: is not UTF-8"):
        assert what in complaints


def test_a_page_given_up_on_is_named_with_the_reason_and_the_others_printed(tmp_path, capsys, settings):
    settings.EXTRACTION_SECONDS = 1.5
    stall = write(tmp_path, "Stall.wikitext", "<br " * 300_000 + "{{Inconsistent}}")
    good = write(tmp_path, "A.wikitext", "One{{Inconsistent}}")
    call_command("extract_tags", str(stall), str(good))
    shown, complaints = capsys.readouterr()
    assert [record["title"] for record in json.loads(shown)] == ["A"]
    assert "Stall.wikitext: was skipped: Reading it took longer than 1.5 seconds." in complaints


def test_a_terminal_that_knows_no_utf_8_gets_the_records_escaped(extract, tmp_path):
    page = write(tmp_path, "A.wikitext", "日本{{Inconsistent}}")
    result = extract(page, PYTHONIOENCODING="ascii")
    assert json.loads(result.stdout.decode("ascii"))[0]["paragraph_A_clean"] == "日本"
