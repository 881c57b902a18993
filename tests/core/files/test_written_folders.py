"""A folder appears with all its files or not at all, and replaces nothing that another hand has touched."""

import subprocess

import pytest

from core.files.folders import SUMS, files_below, written_folder
from core.refusals import Refusal


def write(target, *, kind: str = "site", **files: str) -> None:
    with written_folder(target, kind=kind) as folder:
        for name, text in files.items():
            (folder / "inner").mkdir(exist_ok=True)
            (folder / "inner" / name).write_text(text)


def test_it_is_there_once_all_of_it_is_written_with_checksums_that_others_check(tmp_path):
    target = tmp_path / "out"
    with written_folder(target, kind="site") as folder:
        (folder / "a b.txt").write_text("a")
        assert not target.exists()
    assert files_below(target) == [SUMS, "a b.txt"]
    subprocess.run(["sha256sum", "--check", "--strict", SUMS], cwd=target, check=True, capture_output=True)
    (tmp_path / "other").mkdir()
    assert target.stat().st_mode == (tmp_path / "other").stat().st_mode


def test_it_replaces_one_that_was_written_in_this_way(tmp_path):
    target = tmp_path / "out"
    write(target, one="1", two="2")
    write(target, two="22")
    assert files_below(target) == [SUMS, "inner/two"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    target = tmp_path / "empty"
    target.mkdir()
    write(target, one="1")


def test_a_failure_leaves_what_was_there(tmp_path):
    target = tmp_path / "out"
    write(target, one="1")
    with pytest.raises(TypeError), written_folder(target, kind="site") as folder:
        (folder / "one").write_text(None)
    assert (target / "inner" / "one").read_text() == "1"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda folder: (folder / "inner" / "one").write_text("mine"), "inner/one was changed"),
        (lambda folder: (folder / "notes.txt").write_text("mine"), "notes.txt was added"),
        (lambda folder: (folder / "inner" / "one").unlink(), "inner/one was removed"),
        (lambda folder: (folder / "mine").symlink_to("inner/one"), "mine was added"),
        (lambda folder: (folder / SUMS).unlink(), "was not written by this program, and contains inner"),
        (lambda folder: (folder / SUMS).write_bytes(b"\xff\xfe"), "was not written by this program"),
    ],
)
def test_what_another_hand_has_touched_is_not_replaced(change, words, tmp_path):
    target = tmp_path / "out"
    write(target, one="1", two="2")
    change(target)
    before = {name: (target / name).read_bytes() for name in files_below(target)}
    with pytest.raises(Refusal, match=words):
        write(target, one="new")
    assert {name: (target / name).read_bytes() for name in files_below(target)} == before


def test_another_kind_of_folder_is_not_replaced(tmp_path):
    target = tmp_path / "out"
    write(target, kind="huggingface", one="1")
    with pytest.raises(Refusal, match=r"was written as “huggingface” and is not replaced by “site”.*Nothing was"):
        write(target, one="2")
    sums = target / SUMS
    first, _, rest = sums.read_text().partition("\n")
    assert first.startswith("#")
    sums.write_text(rest)
    with pytest.raises(Refusal, match="by an earlier version, which did not record its kind"):
        write(target, one="2")
    assert (target / "inner" / "one").read_text() == "1"


def test_a_folder_of_others_is_refused_with_the_names_in_the_way(tmp_path):
    for number in range(7):
        (tmp_path / f"{number}.txt").write_text("mine")
    with pytest.raises(Refusal, match=r"contains 0\.txt, 1\.txt, .*4\.txt and 2 more\. Name a new or empty folder"):
        write(tmp_path, one="1")
    assert len(files_below(tmp_path)) == 7


def test_a_file_or_a_missing_folder_above_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(Refusal, match="is a file"):
        write(tmp_path / "file", one="1")
    with pytest.raises(Refusal, match="cannot be written: No such file or directory"):
        write(tmp_path / "none" / "out", one="1")
