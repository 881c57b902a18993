"""Dumps with broken pages, cut files and bad bytes: whole articles are stored, and the others are named."""

import bz2
import gzip
import re
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from annotation.harvesting.dumps import dump_parser
from annotation.harvesting.dumps.dump import DumpError, read_dump, read_pages
from annotation.harvesting.harvests import resume_harvest, start_harvest
from annotation.harvesting.steps import run_harvest
from annotation.mediawiki.pages import PageRevision
from annotation.models import Article, Harvest, HarvestState, Tag
from core.files import uploads
from core.refusals import Refusal
from tests.mediawiki.dumpfile import HEAD, Page, dump, write_dump

BRIDGE = "It opened in 1903.{{Inconsistent|date=May 2024}} It closed in 1899."


SITE = "<siteinfo><base>https://en.wikipedia.org/wiki/Main_Page</base></siteinfo>\n"


def whole(count: int = 30) -> str:
    return "".join(dump((Page.of(f"Bridge {n}", f"{n}: {BRIDGE}") for n in range(1, count + 1)), siteinfo=SITE))


def page_of(text: str, number: int) -> str:
    return re.findall(r"<page>.*?</page>\n", text, flags=re.DOTALL)[number - 1]


def with_page(old: str, new: str, *, number: int = 7, text: str = "") -> str:
    """A dump in one of whose pages `old` has become `new`."""
    text = text or whole()
    page = page_of(text, number)
    assert old in page
    return text.replace(page, page.replace(old, new, 1))


def streams(content: bytes, *, pack=bz2.compress, size: int = 3_000) -> bytes:
    return b"".join(pack(content[at : at + size]) for at in range(0, len(content), size))


PACKINGS = {
    "plain": bytes,
    "bz2": lambda content: bz2.compress(content, 1),  # in blocks of 100 kB
    "multistream": streams,
    "gz": gzip.compress,
    "gz members": lambda content: streams(content, pack=gzip.compress),
}


def written(tmp_path, content: str | bytes, name: str = "dump.xml"):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def harvested(path, wiki) -> Harvest:
    row = start_harvest(source="dump", wiki=wiki, parameters={"path": str(path)})
    run_harvest(row.pk)
    row.refresh_from_db()
    return row


# --- One broken page ------------------------------------------------------------------------------------------------

TEXT = re.search(r"<text.*</text>", page_of(whole(), 7))[0]
BROKEN_PAGES = {
    "no text": (TEXT, '<text bytes="1200" sha1="x" />', "no text"),
    "blank text": (TEXT, '<text bytes="1200" sha1="x" xml:space="preserve"> \n</text>', "no text"),
    "text by number": (TEXT, '<text id="77" />', "no text"),
    "text of another sum": (TEXT, "<text /><sha1>2jmj7l5rsw0yvb1vlwaykkys6r5s1df</sha1>", "no text"),
    "no text element": (TEXT, "", "no text"),
    "hidden text": (TEXT, '<text bytes="9" deleted="deleted" />', "hidden"),
    "odd namespace": ("<ns>0</ns>", "<ns>zero</ns>", "namespace"),
    "large number": ("<id>7</id>", f"<id>{'9' * 30}</id>", "number"),
    "no number": ("<id>7</id>", "", "number"),
    "odd revision": ("<revision><id>7</id>", "<revision><id>x</id>", "number"),
    "no time": ("<timestamp>2024-03-01T12:00:00Z</timestamp>", "", "time"),
    "odd time": ("2024-03-01T12:00:00Z", "yesterday", "time"),
    "early time": ("2024-03-01T12:00:00Z", "0001-01-01T00:00:00+23:00", "time"),
    "no revision": (re.search(r"<revision>.*</revision>", page_of(whole(), 7))[0], "", "revision"),
    "control character": ("It opened", "It \x0b opened", "damaged"),
    "escaped control character": ("It opened", "It &#1; opened", "damaged"),
    "bare ampersand": ("It opened", "It & opened", "damaged"),
    "HTML entity": ("It opened", "It&nbsp;opened", "damaged"),
    "less-than sign": ("It opened", "1 < 2", "damaged"),
    "element of HTML": ("It opened", "<br>It opened", "damaged"),
    "unclosed text": ("</text>", "", "damaged"),
    "unclosed page": ("</page>", "", "damaged"),
    "unclosed attribute": ('preserve">', "preserve>", "damaged"),
}


@pytest.mark.parametrize("packing", ["plain", "bz2", "multistream", "gz"])
@pytest.mark.parametrize("kind", BROKEN_PAGES)
def test_one_broken_page_is_a_problem_with_its_title(kind, packing, tmp_path):
    old, new, reason = BROKEN_PAGES[kind]
    path = written(tmp_path, PACKINGS[packing](with_page(old, new).encode()))
    found = [page for page, _ in read_pages(path)]
    whole_ones = [page.title for page in found if isinstance(page, PageRevision)]
    assert whole_ones == [f"Bridge {n}" for n in range(1, 31) if n != 7]
    (problem,) = [page for page in found if not isinstance(page, PageRevision)]
    assert problem.title == "Bridge 7"
    assert reason in problem.reason


@pytest.mark.parametrize("number", [1, 2, 29, 30])
@pytest.mark.parametrize("byte", [b"\xff", b"\x00", b"\xc3", b"\xed\xa0\x80"])
def test_a_bad_byte_costs_one_article_wherever_it_is(byte, number, tmp_path, wiki_row):
    content = with_page("It opened", "It @@ opened", number=number).encode().replace(b"@@", byte)
    done = harvested(written(tmp_path, content), wiki_row)
    assert (done.state, done.articles_seen, done.tags_new) == (HarvestState.DONE, 30, 29)
    assert [problem.title for problem in done.problems.all()] == [f"Bridge {number}"]


def test_several_broken_pages_are_several_problems(tmp_path, wiki_row):
    text = whole()
    for number, kind in ((3, "no text"), (4, "control character"), (5, "bare ampersand"), (9, "unclosed page")):
        old, new, _ = BROKEN_PAGES[kind]
        old = old if kind != "no text" else re.search(r"<text.*</text>", page_of(text, number))[0]
        text = with_page(old, new, number=number, text=text)
    done = harvested(written(tmp_path, text), wiki_row)
    assert (done.state, done.tags_new) == (HarvestState.DONE, 26)
    assert [problem.title for problem in done.problems.all()] == ["Bridge 3", "Bridge 4", "Bridge 5", "Bridge 9"]


def test_damage_without_a_title_is_named_by_the_article_before(tmp_path):
    for old, new in (("<title>", "<title>\x01"), ("<page>", "<pa\x01ge>")):
        found = [page for page, _ in read_pages(written(tmp_path, with_page(old, new)))]
        assert [page.title for page in found if not isinstance(page, PageRevision)] == ["A page after “Bridge 6”"]
        assert len(found) == 30


def test_broken_pages_in_other_namespaces_are_no_articles(tmp_path):
    talk = with_page("<title>Bridge 7</title><ns>0</ns>", "<title>Talk:Bridge 7</title><ns>1</ns>")
    for old, new in ((TEXT, '<text bytes="1200" />'), ("2024-03-01T12:00:00Z", "yesterday")):
        found = [
            page
            for page, _ in read_pages(
                written(tmp_path, talk.replace(page_of(talk, 7), page_of(talk, 7).replace(old, new)))
            )
        ]
        assert [page.title for page in found] == [f"Bridge {n}" for n in range(1, 31) if n != 7]


def test_an_article_that_is_empty_is_no_problem(tmp_path):
    empty = '<text bytes="0" sha1="phoiac9h4m842xq45sp7s6u21eteeq1" xml:space="preserve" />'
    found = [page for page, _ in read_pages(written(tmp_path, with_page(TEXT, empty)))]
    assert all(isinstance(page, PageRevision) for page in found)
    assert len(found) == 30


@pytest.mark.parametrize("attributes", ['bytes="1200"', 'bytes="9" deleted="deleted"'])
def test_tags_of_an_article_whose_text_is_not_known_are_not_gone(attributes, tmp_path, wiki_row):
    harvested(written(tmp_path, whole()), wiki_row)
    done = harvested(written(tmp_path, with_page(TEXT, f"<text {attributes} />")), wiki_row)
    assert (done.state, done.tags_gone, Tag.objects.present().count()) == (HarvestState.DONE, 0, 30)
    assert done.problems.get().title == "Bridge 7"


def test_reading_goes_on_behind_a_broken_page(tmp_path):
    """Wherever a harvest stops, the pages after that are the same, and no problem comes twice."""
    text = whole()
    for number, (old, new) in {5: ("It opened", "It & opened"), 6: ("</page>", ""), 12: ("</text>", "")}.items():
        text = with_page(old, new, number=number, text=text)
    for packing in PACKINGS.values():
        path = written(tmp_path, packing(text.encode()))
        pages = list(read_pages(path))
        assert len(pages) == 30
        for at, (_, checkpoint) in enumerate(pages):
            rest = [page for page, _ in read_pages(path, checkpoint=checkpoint)]
            assert [page.title for page in rest] == [page.title for page, _ in pages[at + 1 :]]


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64, 1_000])
def test_pieces_of_any_size_give_the_same_pages(chunk, tmp_path, monkeypatch):
    text = with_page("</page>", "", text=with_page("It opened", "It & opened", number=3))
    path = written(tmp_path, text)
    expected = list(read_pages(path))
    monkeypatch.setattr("annotation.harvesting.dumps.unpacking.CHUNK", chunk)
    assert [page for page, _ in read_pages(path)] == [page for page, _ in expected]


def test_a_file_that_is_damaged_all_over_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr("annotation.harvesting.dumps.dump_damage.MOST_DAMAGES", 5)
    text = whole().replace("It opened", "It & opened").replace("1: It & opened", "1: It opened", 1)
    with pytest.raises(DumpError, match="damaged more than 5 times"):
        list(read_pages(written(tmp_path, text)))


@given(at=st.integers(len(HEAD + SITE), len(whole().encode()) - 1), byte=st.sampled_from([0x00, 0x0B, 0x80, 0xFF]))
def test_a_bad_byte_anywhere_costs_two_articles_at_most_and_changes_none(at, byte, tmp_path_factory):
    content = bytearray(whole().encode())
    content[at] = byte
    path = written(tmp_path_factory.mktemp("damaged"), bytes(content))
    known = {page.title: page for page in read_dump(written(path.parent, whole(), "whole.xml"))}
    found = []
    try:
        found += [page for page, _ in read_pages(path)]
    except DumpError:
        assert at >= len(content) - len("</mediawiki>\n")
        return
    articles = [page for page in found if isinstance(page, PageRevision)]
    assert len(articles) >= 28
    assert all(known[page.title] == page for page in articles)
    assert len(articles) < len(found) <= 31


# --- No text at all -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 5, 1_200])
def test_a_dump_without_any_text_is_still_refused(count, tmp_path, wiki_row):
    stub = re.sub(r"<text.*?</text>", '<text bytes="1200" sha1="x" />', whole(count), flags=re.DOTALL)
    with pytest.raises(Refusal, match=r"stub.*Nothing was stored"):
        start_harvest(source="dump", wiki=wiki_row, parameters={"path": str(written(tmp_path, stub))})
    assert not Harvest.objects.exists()


def test_a_text_of_another_namespace_shows_that_a_dump_has_texts(tmp_path, wiki_row):
    pages = [Page.of("Bridge", BRIDGE), Page.of("Talk:Bridge", "Hello.")]
    text = "".join(dump(pages)).replace(
        re.search(r"<text.*?</text>", "".join(dump(pages)))[0], '<text bytes="9" />', 1
    )
    done = harvested(written(tmp_path, text), wiki_row)
    assert (done.state, done.problems.get().title) == (HarvestState.DONE, "Bridge")


@pytest.mark.parametrize(
    "content",
    [
        "<mediawiki></mediawiki>",
        HEAD + "<page><title>A</title><ns>zero</ns></page></mediawiki>",
        "<mediawiki><page></mediawiki>",
    ],
)
def test_a_dump_without_any_page_that_can_be_read(content, tmp_path):
    path = written(tmp_path, content)
    if "<page>" in content:
        with pytest.raises(DumpError, match="before the first article"):
            list(read_dump(path))
    else:
        assert not list(read_dump(path))


# --- Cut files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("packing", PACKINGS)
def test_whole_articles_before_the_cut_are_stored(packing, tmp_path, wiki_row):
    count = 1_200 if packing == "bz2" else 60
    content = PACKINGS[packing](whole(count).encode())
    path = written(tmp_path, content[: int(len(content) * 0.9)])
    failed = harvested(path, wiki_row)
    assert failed.state == HarvestState.FAILED
    assert "ends too early" in failed.error
    stored = Article.objects.count()
    assert 0.5 * count < stored < count
    assert failed.articles_seen == Tag.objects.count() == stored
    assert f"The {stored:,} whole articles before that were read" in failed.error
    assert not failed.can_resume


def test_the_message_names_the_cut_article_and_where_the_file_ends(tmp_path, wiki_row):
    text = whole()
    path = written(tmp_path, text[: text.index("Bridge 30") + 40])
    failed = harvested(path, wiki_row)
    assert (failed.articles_seen, failed.tags_new) == (29, 29)
    assert "after 29 articles, the last being “Bridge 29”" in failed.error
    assert "in the middle of “Bridge 30”" in failed.error
    assert f"byte {path.stat().st_size:,}" in failed.error


def test_a_file_cut_between_articles_is_cut(tmp_path, wiki_row):
    failed = harvested(written(tmp_path, whole().removesuffix("</mediawiki>\n")), wiki_row)
    assert (failed.state, failed.tags_new) == (HarvestState.FAILED, 30)
    assert "ends too early" in failed.error


def test_a_broken_page_before_the_cut_is_listed(tmp_path, wiki_row):
    text = with_page("It opened", "It & opened")
    failed = harvested(written(tmp_path, text[:-900]), wiki_row)
    assert failed.state == HarvestState.FAILED
    assert [problem.title for problem in failed.problems.all()] == ["Bridge 7"]
    assert f"The {failed.tags_new} whole articles before that were read" in failed.error


# --- Bad bytes in packed files --------------------------------------------------------------------------------------


@pytest.mark.parametrize("packing", ["bz2", "multistream", "gz", "gz members"])
@pytest.mark.parametrize("share", [0.7, 0.95])
def test_articles_before_a_damaged_stream_are_stored(packing, share, tmp_path, wiki_row):
    count = 1_200 if packing == "bz2" else 300
    text = "".join(dump(Page.of(f"Bridge {n}", f"{n * 7919 % 100_003}: {BRIDGE}") for n in range(1, count + 1)))
    content = bytearray(PACKINGS[packing](text.encode()))
    at = int(len(content) * share)
    content[at : at + 40] = bytes(byte ^ 0xFF for byte in content[at : at + 40])
    stopped = harvested(written(tmp_path, bytes(content)), wiki_row)
    assert stopped.state == HarvestState.FAILED
    stored = Article.objects.count()
    assert stored > count * (0.3 if packing == "bz2" else share - 0.15)
    assert stopped.error
    assert not stopped.can_resume
    by_title = dict(Article.objects.values_list("title", "wikitext"))
    known = {f"Bridge {n}": f"{n * 7919 % 100_003}: {BRIDGE}" for n in range(1, count + 1)}
    if packing != "gz":  # whose only checksum is at its end
        assert not [title for title, text in by_title.items() if known.get(title) != text]


@pytest.mark.parametrize("packing", ["multistream", "gz members"])
def test_a_damaged_stream_is_no_padding(packing, tmp_path):
    """Garbage after the last stream is ignored, a damaged stream is not."""
    content = PACKINGS[packing](whole(100).encode())
    starts = [each.start() for each in re.finditer(b"BZh9" if packing == "multistream" else b"\x1f\x8b\x08", content)]
    damaged = content[: starts[5] + 12] + b"\xff" * 30 + content[starts[5] + 42 :]
    with pytest.raises(DumpError) as error:
        list(read_dump(written(tmp_path, damaged)))
    assert "too early" not in str(error.value)
    assert len(list(read_dump(written(tmp_path, content + b"\0" * 500)))) == 100


def test_a_wrong_checksum_is_told(tmp_path, wiki_row):
    content = bytearray(gzip.compress(whole().encode()))
    content[-8] ^= 1
    stopped = harvested(written(tmp_path, bytes(content)), wiki_row)
    assert "checksum" in stopped.error
    assert Article.objects.count() == 30


# --- The doors ------------------------------------------------------------------------------------------------------


@pytest.fixture
def cut(tmp_path):
    return written(tmp_path, whole()[:-300])


def test_the_command_counts_and_offers_no_resume(cut, wiki_row):
    out = StringIO()
    with pytest.raises(CommandError) as error:
        call_command("harvest_articles", "--dump", str(cut), stdout=out)
    assert "--resume" not in str(error.value)
    assert "whole articles before that were read" in str(error.value)
    with pytest.raises(CommandError, match="damaged"):
        call_command("harvest_articles", "--resume", str(Harvest.objects.get().pk), stdout=out)


def test_the_page_offers_no_resume(
    cut, tmp_path, settings, wiki_row, admin, sign_in, django_capture_on_commit_callbacks
):
    settings.VAR_DIR = str(tmp_path / "var")
    site = sign_in(admin)
    asked = {"source": "dump", "dump_wiki": wiki_row.pk, "dump": SimpleUploadedFile("cut.xml", cut.read_bytes())}
    with django_capture_on_commit_callbacks(execute=True):
        site.post("/annotation/harvests/new/", asked)
    harvest = Harvest.objects.get()
    page = site.get(f"/annotation/harvests/{harvest.pk}/").text
    assert harvest.state == HarvestState.FAILED
    assert "whole articles before that were read" in page
    assert "resume-harvest" not in page
    assert "intact copy" in page
    assert site.post(f"/annotation/harvests/{harvest.pk}/resume/").status_code == 409


def test_the_api_says_that_it_cannot_be_resumed(
    cut, tmp_path, settings, wiki_row, admin, sign_in, django_capture_on_commit_callbacks
):
    settings.VAR_DIR = str(tmp_path / "var")
    client = sign_in(admin)
    asked = {"source": "dump", "dump_wiki": wiki_row.pk, "dump": SimpleUploadedFile("cut.xml", cut.read_bytes())}
    with django_capture_on_commit_callbacks(execute=True):
        begun = client.post("/api/v1/harvests/files/", asked)
    address = f"/api/v1/harvests/{begun.json()['id']}/"
    assert client.get(address).json()["can_resume"] is False
    assert client.post(f"{address}resume/", {}, content_type="application/json").status_code == 409


def test_an_intact_copy_adds_what_is_missing(cut, tmp_path, wiki_row):
    harvested(cut, wiki_row)
    done = harvested(written(tmp_path, whole(), "whole.xml"), wiki_row)
    assert (done.state, Tag.objects.count()) == (HarvestState.DONE, 30)


def test_an_uploaded_file_that_is_damaged_is_removed(
    cut, tmp_path, wiki_row, settings, django_capture_on_commit_callbacks
):
    settings.VAR_DIR = str(tmp_path / "var")
    folder = uploads.folder()
    folder.mkdir(parents=True)
    path = folder / "damaged"
    path.write_bytes(cut.read_bytes())
    with django_capture_on_commit_callbacks(execute=True):
        failed = harvested(path, wiki_row)
    assert failed.state == HarvestState.FAILED
    assert not path.exists()


def test_an_error_of_the_disk_can_be_resumed(tmp_path, wiki_row, monkeypatch):
    path = write_dump(tmp_path / "dump.xml", [Page.of(f"Bridge {n}", BRIDGE) for n in range(30)])
    row = start_harvest(source="dump", wiki=wiki_row, parameters={"path": str(path)})
    real = dump_parser.Parser.feed

    def feed(self, piece):
        real(self, piece)
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(dump_parser.Parser, "feed", feed)
        run_harvest(row.pk)
    row.refresh_from_db()
    assert (row.state, row.can_resume, row.tags_new) == (HarvestState.FAILED, True, 30)
    resume_harvest(harvest=row, by=None)
    run_harvest(row.pk)
    row.refresh_from_db()
    assert (row.state, row.articles_seen, row.tags_new) == (HarvestState.DONE, 30, 30)
