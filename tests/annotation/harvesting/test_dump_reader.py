"""Dumps are read page by page: which articles come out, and what is said of a broken file."""

import bz2
import gzip
import re
import tracemalloc
import zlib
from datetime import UTC, datetime

import pytest

from annotation.harvesting.dumps import dump_parser
from annotation.harvesting.dumps.dump import DumpError, read_dump, read_pages
from tests.mediawiki.dumpfile import Page, Revision, dump, write_dump

SITE = (
    "<siteinfo><sitename>Wikipedia</sitename><base>https://en.wikipedia.org/wiki/Main_Page</base><namespaces>"
    '<namespace key="0" case="first-letter" /><namespace key="10" case="first-letter">Vorlage</namespace>'
    "</namespaces></siteinfo>\n"
)
PAGES = [
    Page.of("Velm Bridge", "Opened in 1911.{{Inconsistent}} Text with <ref>, & and 🏰."),
    Page.of("Old Velm Bridge", "#REDIRECT [[Velm Bridge]]"),
    Page.of("Talk:Velm Bridge", "{{Inconsistent}}"),
    Page.of("2001: A Bridge", "A title with a colon.{{Contradict}}"),
    Page.of("قلعة الورد", "بنيت سنة 1180.{{Inconsistent}}"),
]


@pytest.fixture
def dump_text() -> bytes:
    return "".join(dump(PAGES, siteinfo=SITE)).encode()


def articles(tmp_path, content: bytes, name="dump.xml"):
    path = tmp_path / name
    path.write_bytes(content)
    return list(read_dump(path))


def test_articles_come_out_and_nothing_else(tmp_path, dump_text):
    pages = articles(tmp_path, dump_text)
    assert [page.title for page in pages] == ["Velm Bridge", "2001: A Bridge", "قلعة الورد"]
    first = pages[0]
    assert (first.page_id, first.namespace, first.revision_id) == (1, 0, 1)
    assert first.wikitext == PAGES[0].revisions[0].text
    assert first.revised_at == datetime(2024, 3, 1, 12, tzinfo=UTC)
    assert [page.url for page in pages] == [
        "https://en.wikipedia.org/wiki/Velm_Bridge",
        "https://en.wikipedia.org/wiki/2001:_A_Bridge",
        "https://en.wikipedia.org/wiki/%D9%82%D9%84%D8%B9%D8%A9_%D8%A7%D9%84%D9%88%D8%B1%D8%AF",
    ]


def multistream(content: bytes) -> bytes:
    third = len(content) // 3
    return b"".join(
        bz2.compress(part) for part in (content[:third], content[third : 2 * third], content[2 * third :])
    )


@pytest.mark.parametrize("pack", [bz2.compress, multistream, gzip.compress])
@pytest.mark.parametrize("name", ["dump.xml", "dump.xml.bz2", "dump"])
def test_packing_is_told_from_the_content(tmp_path, dump_text, pack, name):
    assert articles(tmp_path, pack(dump_text), name) == articles(tmp_path, dump_text)


def test_the_newest_revision_counts_wherever_it_stands(tmp_path):
    history = [Revision(f"Text of {year}", f"{year}-05-01T00:00:00Z") for year in (2010, 2024, 2019)]
    path = write_dump(tmp_path / "dump.xml", [Page("Velm Bridge", history)])
    (page,) = read_dump(path)
    assert (page.wikitext, page.revision_id, page.revised_at.year) == ("Text of 2024", 2, 2024)


def test_of_two_revisions_in_one_second_the_later_number_counts(tmp_path):
    path = write_dump(tmp_path / "dump.xml", [Page("Velm Bridge", [Revision("first"), Revision("second")])])
    assert [page.wikitext for page in read_dump(path)] == ["second"]


def test_old_dumps_without_ns_tell_the_namespace_by_the_title(tmp_path):
    pages = [Page.of("Vorlage:Widerspruch", "a"), Page.of("Velm Bridge", "b"), Page.of("2001: A Bridge", "c")]
    old = "".join(dump(pages, siteinfo=SITE)).replace("<ns>0</ns>", "").encode()
    assert [page.title for page in articles(tmp_path, old)] == ["Velm Bridge", "2001: A Bridge"]


def test_hidden_texts_and_other_content_models_are_left_out(tmp_path, dump_text):
    hidden = re.sub(rb"<text.*?</text>", b'<text deleted="deleted" bytes="9" />', dump_text, count=1)
    assert [page.title for page in articles(tmp_path, hidden)] == ["2001: A Bridge", "قلعة الورد"]
    data = dump_text.replace(b"<model>wikitext</model>", b"<model>json</model>", 1)
    assert [page.title for page in articles(tmp_path, data)] == ["2001: A Bridge", "قلعة الورد"]


@pytest.mark.parametrize("pack", [bytes, bz2.compress, gzip.compress])
@pytest.mark.parametrize("share", [0.5, 0.99])
def test_a_file_that_ends_too_early_is_named_with_the_offset(tmp_path, pack, share):
    content = pack("".join(dump(PAGES * 400, siteinfo=SITE)).encode())
    path = tmp_path / "dump.xml"
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(DumpError, match=r"dump\.xml cannot be read beyond byte [\d,]+, .*too early"):
        list(read_dump(path))


def test_what_came_before_the_break_stays_good(tmp_path, dump_text):
    path = tmp_path / "dump.xml"
    path.write_bytes("".join(dump(PAGES * 2000)).encode()[:-1000])
    found: list[str] = []
    with pytest.raises(DumpError, match="the last being “"):
        found.extend(page.title for page in read_dump(path))
    assert len(found) > 5900
    reader = read_dump(path)
    assert [next(reader).title for _ in range(3)] == ["Velm Bridge", "2001: A Bridge", "قلعة الورد"]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "before the first article"),
        (b"<html><body>Not found</body></html>", "begins with <mediawiki>"),
        (b'{"query": {}}', "byte"),
        (b"7z\xbc\xaf\x27\x1c" + b"x" * 50, "compressed with 7z"),
        (b"\x28\xb5\x2f\xfd" + b"x" * 50, "compressed with zstd"),
        (b"\x1f\x8b" + b"x" * 50, "byte"),
        (b"BZh9" + b"x" * 50, "byte"),
        (b'<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><mediawiki>&b;</mediawiki>', "document type"),
        (b"<mediawiki><page><title>A</title><ns>zero</ns></page></mediawiki>", "byte"),
        (b"<mediawiki><page></mediawiki>", "mismatched tag"),
    ],
)
def test_what_is_no_dump_is_refused(tmp_path, content, complaint):
    with pytest.raises(DumpError, match=complaint):
        articles(tmp_path, content)


def test_a_dump_without_texts_is_named_as_such(tmp_path):
    stub = (
        "<mediawiki><page><title>A</title><ns>0</ns><id>1</id><revision><id>1</id>"
        '<timestamp>2024-01-01T00:00:00Z</timestamp><text bytes="1200" sha1="x" /></revision></page></mediawiki>'
    )
    with pytest.raises(DumpError, match="stub"):
        articles(tmp_path, stub.encode())


def test_memory_does_not_grow_with_the_file(tmp_path):
    def peak(pages, revisions):
        history = [Revision("x" * 20_000, f"2024-01-01T00:{n // 60:02}:{n % 60:02}Z") for n in range(revisions)]
        path = write_dump(tmp_path / "dump.xml", (Page(f"Page {n}", history) for n in range(pages)))
        tracemalloc.start()
        assert sum(1 for _ in read_dump(path)) == pages
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return highest

    small = peak(pages=20, revisions=1)
    assert peak(pages=400, revisions=1) < small + 400_000
    assert peak(pages=1, revisions=400) < small + 400_000


# --- Memory ---------------------------------------------------------------------------------------------------------


def packed_dump(path, *parts):
    """A gzip file of these parts; a number repeats the part before it so often. Takes little memory itself."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    with path.open("wb") as file:
        for part, times in parts:
            for _ in range(times):
                file.write(packer.compress(part))
        file.write(packer.flush())
    return path


def peak_of(read) -> int:
    tracemalloc.start()
    try:
        read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


BEFORE_TEXT = (
    b"<mediawiki><page><title>Velm Bridge</title><ns>0</ns><id>1</id><revision><id>1</id>"
    b"<timestamp>2024-01-01T00:00:00Z</timestamp><text>{{Inconsistent}}</text></revision></page>"
    b"<page><title>The long page</title><ns>0</ns><id>2</id><revision><id>2</id>"
    b"<timestamp>2024-01-01T00:00:00Z</timestamp><text>"
)
AFTER_TEXT = (
    b"</text></revision></page><page><title>Ostrow</title><ns>0</ns><id>3</id><revision><id>3</id>"
    b"<timestamp>2024-01-01T00:00:00Z</timestamp><text>{{Inconsistent}}</text></revision></page></mediawiki>"
)
MEGABYTE = b"ten bytes " * 100_000


@pytest.mark.parametrize("unit", [MEGABYTE, b"line\n" * 200_000], ids=["one line", "many lines"])
def test_a_page_of_any_length_is_passed_over_by_name_in_little_memory(tmp_path, unit):
    path = packed_dump(tmp_path / "dump.xml.gz", (BEFORE_TEXT, 1), (unit, 60), (AFTER_TEXT, 1))
    assert path.stat().st_size < 1_000_000
    found = []
    assert peak_of(lambda: found.extend(page for page, _ in read_pages(path))) < 25_000_000
    assert [page.title for page in found] == ["Velm Bridge", "The long page", "Ostrow"]
    assert "skipped" in found[1].reason
    assert [page.title for page in read_dump(path)] == ["Velm Bridge", "Ostrow"]


def test_a_long_revision_that_is_not_the_newest_does_no_harm(tmp_path, monkeypatch):
    monkeypatch.setattr(dump_parser, "MOST_TEXT", 50)
    history = [Revision("x" * 100, "2010-05-01T00:00:00Z"), Revision("short", "2024-05-01T00:00:00Z")]
    path = write_dump(tmp_path / "dump.xml", [Page("Velm Bridge", history), Page("Ostrow", history[::-1])])
    assert [page.wikitext for page in read_dump(path)] == ["short", "short"]


@pytest.mark.parametrize(
    ("start", "unit", "complaint"),
    [
        (b"<mediawiki><!-- ", MEGABYTE, "element or comment of more than"),
        (b'<mediawiki><page><title about="', MEGABYTE, "element or comment of more than"),
        (b"<mediawiki>", b"<part>" * 100_000, "nested deeper"),
        (b"<mediawiki>", b"<page>" * 100_000, "damaged more than"),
        (
            b"<mediawiki><siteinfo><namespaces>",
            "".join(f'<namespace key="{n}">N{n}</namespace>' for n in range(20_000)).encode(),
            "namespaces",
        ),
    ],
    ids=["comment", "attribute", "depth", "pages", "namespaces"],
)
def test_nothing_else_in_a_file_takes_memory_without_bound(tmp_path, start, unit, complaint):
    path = packed_dump(tmp_path / "dump.xml.gz", (start, 1), (unit, 60))

    def read():
        with pytest.raises(DumpError, match=complaint):
            list(read_pages(path))

    assert peak_of(read) < 40_000_000


def test_a_title_of_any_length_is_passed_over_too(tmp_path):
    path = packed_dump(
        tmp_path / "dump.xml.gz",
        (b"<mediawiki><page><title>", 1),
        (MEGABYTE, 30),
        (b"</title><ns>0</ns><id>7</id><revision><id>2</id>", 1),
        (b"<timestamp>2024-01-01T00:00:00Z</timestamp><text>x" + AFTER_TEXT, 1),
    )
    found = []
    assert peak_of(lambda: found.extend(page for page, _ in read_pages(path))) < 25_000_000
    assert [page.title for page in found] == ["Page 7", "Ostrow"]


def test_a_page_with_a_number_that_no_wiki_has_is_passed_over(tmp_path, dump_text):
    path = tmp_path / "dump.xml"
    path.write_bytes(dump_text.replace(b"<id>1</id>", b"<id>" + b"9" * 30 + b"</id>", 1))
    found = [page for page, _ in read_pages(path)]
    assert [page.title for page in found] == ["Velm Bridge", "2001: A Bridge", "قلعة الورد"]
    assert "number, “9999" in found[0].reason


# --- Read on from the middle ----------------------------------------------------------------------------------------


def many_streams(pack):
    return lambda content: b"".join(pack(content[at : at + 50_000]) for at in range(0, len(content), 50_000))


PACKINGS = {
    "plain": bytes,
    "bz2": bz2.compress,
    "bz2 streams": many_streams(bz2.compress),
    "gz": gzip.compress,
    "gz members": many_streams(gzip.compress),
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_a_dump_is_read_on_from_behind_any_page(tmp_path, packing):
    text = "".join(dump(PAGES * 400, siteinfo=SITE)).replace("<ns>0</ns>", "")
    path = tmp_path / "dump"
    path.write_bytes(PACKINGS[packing](text.encode()))
    whole = list(read_pages(path))
    assert len(whole) == 1200
    for at in (0, 1, 2, 77, 600, 1198, 1199):
        rest = list(read_pages(path, checkpoint=whole[at][1]))
        assert rest == whole[at + 1 :]


@pytest.mark.parametrize("packing", ["plain", "bz2 streams", "gz members"])
def test_what_was_read_before_is_not_read_again(tmp_path, packing):
    """All between the head and the checkpoint is overwritten: nobody may look at it."""
    text = "".join(dump(PAGES * 600, siteinfo=SITE)).encode()
    path = tmp_path / "dump"
    packed = PACKINGS[packing](text)
    path.write_bytes(packed)
    whole = list(read_pages(path))
    checkpoint = whole[1500][1]
    first_stream = {"plain": 200_000}.get(packing) or len(PACKINGS[packing](text[:50_000]))
    path.write_bytes(packed[:first_stream] + bytes(checkpoint.packed - first_stream) + packed[checkpoint.packed :])
    if packing == "plain":  # whose head is read by the piece
        path.write_bytes(packed[:200_000] + b"<" * (checkpoint.packed - 200_000) + packed[checkpoint.packed :])
    assert [page.title for page, _ in read_pages(path, checkpoint=checkpoint)] == [
        page.title for page, _ in whole[1501:]
    ]


def test_a_dump_in_another_encoding_has_no_checkpoints(tmp_path):
    path = tmp_path / "dump.xml"
    path.write_bytes("".join(dump(PAGES)).encode("utf-16"))
    assert [(page.title, checkpoint) for page, checkpoint in read_pages(path)] == [
        ("Velm Bridge", None),
        ("2001: A Bridge", None),
        ("قلعة الورد", None),
    ]


def test_a_checkpoint_in_a_file_that_has_become_another_is_refused(tmp_path, dump_text):
    path = tmp_path / "dump.xml"
    path.write_bytes("".join(dump(PAGES * 40)).encode())
    checkpoint = list(read_pages(path))[100][1]
    path.write_bytes(dump_text)
    with pytest.raises(DumpError, match="too early"):
        list(read_pages(path, checkpoint=checkpoint))
