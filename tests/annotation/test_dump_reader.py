"""Dumps are read page by page: which articles come out, and what is said of a broken file."""

import bz2
import gzip
import re
import tracemalloc
from datetime import UTC, datetime

import pytest

from annotation.harvesting.dump import DumpError, read_dump
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


def articles(tmp_path, content: bytes, name="dump.xml", **options):
    path = tmp_path / name
    path.write_bytes(content)
    return list(read_dump(path, **options))


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


def test_only_wanted_texts_come_out(tmp_path, dump_text):
    assert [page.title for page in articles(tmp_path, dump_text, wanted=lambda text: "Contradict" in text)] == [
        "2001: A Bridge"
    ]


def test_an_error_of_the_caller_is_not_blamed_on_the_file(tmp_path, dump_text):
    def wanted(text):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        articles(tmp_path, dump_text, wanted=wanted)


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
def test_a_file_that_ends_too_early_is_named_with_the_place(tmp_path, pack, share):
    content = pack("".join(dump(PAGES * 400, siteinfo=SITE)).encode())
    path = tmp_path / "dump.xml"
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(DumpError, match=r"dump\.xml cannot be read on from byte [\d,]+, .*too early"):
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
        (b"7z\xbc\xaf\x27\x1c" + b"x" * 50, "packed with 7z"),
        (b"\x28\xb5\x2f\xfd" + b"x" * 50, "packed with zstd"),
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


@pytest.mark.mediawiki
@pytest.mark.parametrize("history", [False, True])
def test_a_dump_that_mediawiki_wrote_is_read(tmp_path, wiki, history):
    pages = {page.title: page for page in articles(tmp_path, wiki.export(history=history).encode())}
    assert pages["Ostrow Observatory"].wikitext.count("{{Inconsistent") == 1
    assert pages["Velm Bridge"].url == f"http://127.0.0.1:{wiki.port}/wiki/Velm_Bridge"
    assert "Old Velm Bridge" not in pages
    assert not [title for title in pages if title.startswith(("Talk:", "Template:", "Category:", "Draft:"))]
