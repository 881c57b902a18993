"""A published site: complete, valid, whole without a server, and without a word that is not public."""

import csv
import hashlib
import io
import json
import re
import warnings
import zipfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

import html5lib
import pytest
from django.core.management import CommandError, call_command
from django.utils import translation
from html5lib.constants import DataLossWarning

from annotation.models import Instance, Question, Release
from annotation.releases.freezing import create_release
from core.models import Role, User
from judging.models import Response
from review.models import SeenJudgments
from review.rounds.rounds import close_round
from review.rounds.setting_aside import set_aside
from review.site import instances, pages
from review.site.pages import Site
from tests.conftest import make_person
from tests.factories import AnnotationFactory, ArticleFactory, TagFactory
from tests.factories.review import give_all, make_imported_run, make_known, make_response, make_round
from tests.review.blindness.test_blindness_of_models import make_run_of

pytestmark = pytest.mark.django_db

HOSTILE = '</p><script>alert(1)</script><img src="//evil.example/x" onerror=alert(2)> "quoted" & =cmd|\'x\'!A0 \\{}'
# Facts that only people who work on the project may know.
SECRETS = (
    "Undisclosed",  # the model of a round that goes on
    "unspoken",  # its responses
    "Halfway",  # a model of the same run that the round does not judge: what is missing would name the other
    "Check by Rita",  # a round's name
    "Two bridges of one name",  # why an instance was set aside
    "names both years",  # why a verdict is known beforehand
    "Hushed",  # the model of a check item
    "Not yet released",  # an accepted annotation after the release
    "Of tomorrow",  # the next release
    "rita",
    "ralph",
    "/review/",
    "/annotation/",
)


@pytest.fixture(scope="module")
def release(module_transaction) -> Release:
    """Seven questions, one of them hostile; two of three models judged by people, the third being judged."""
    admin = make_person("amir", Role.ADMIN)
    reviewers = [make_person("rita", Role.REVIEWER), make_person("ralph", Role.REVIEWER)]
    for number in range(6):
        AnnotationFactory(tag=TagFactory(article=ArticleFactory(title=f"Bridge {number}")))
    hostile = AnnotationFactory(
        tag=TagFactory(article=ArticleFactory(title=f"Bridge {HOSTILE}", url="javascript:alert(3)"))
    )
    Question.objects.filter(annotation=hostile).update(text=f"When? {HOSTILE}", answer_1=HOSTILE)
    release = create_release(name=f"Bridges {HOSTILE}"[:100], notes=HOSTILE, admin=admin)

    frozen = list(Instance.objects.order_by("pk"))
    judged, judging = make_imported_run(0), make_imported_run(0, name="second")
    for instance in frozen:
        for model in ("Mist", "Llam"):
            make_response(judged, instance, model=model, code="5")
        make_response(judging, instance, model="Undisclosed", code="5", text="unspoken")
    finished = make_round(admin, reviewers, judged, training_required=False)
    for number, item in enumerate(finished.items.order_by("pk")):
        give_all(item, *(("correct", "correct") if number % 3 else ("incorrect", "incorrect")))
    close_round(round=finished, admin=admin)
    known = make_known(judging, use="check", model="Hushed")
    Response.objects.filter(pk=known.response_id).update(instance=frozen[0])
    going_on = make_round(admin, reviewers, judging, name="Check by Rita", training_required=False)
    for item in list(going_on.items.filter(kind="ordinary").order_by("pk"))[:4]:
        give_all(item, "correct", "correct")
    make_response(judging, frozen[1], model="Halfway", code="5")
    set_aside(instance=frozen[-1], person=admin, reason="Two bridges of one name")
    AnnotationFactory(tag=TagFactory(article=ArticleFactory(title="Not yet released")))
    return release


@pytest.fixture(scope="module")
def folder(release, tmp_path_factory) -> Path:
    """Its site, with two instances on a page and three in a list."""
    folder = tmp_path_factory.mktemp("site") / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(instances, "ON_A_PAGE", 2)
        patch.setattr(pages, "LISTED_ON_A_PAGE", 3)
        said = io.StringIO()
        call_command("export_site", str(folder), release=1, contact="team@example.org", stdout=said)
        assert f"{Site(release).length()} files" in said.getvalue()
    return folder


def files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_bytes().decode() for path in folder.rglob("*") if path.is_file()}


def parsed(text: str):
    """The page's elements. Raises ParseError at the first piece of invalid HTML."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataLossWarning)
        return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)


def test_every_page_is_html_without_errors_and_every_link_inside_leads_somewhere(folder):
    there = {name: parsed(text) for name, text in files(folder).items() if name.endswith(".html")}
    ids = {name: {each.get("id") for each in page.iter() if each.get("id")} for name, page in there.items()}
    followed = set()
    for name, page in there.items():
        assert page.find(".//title").text.strip()
        assert len(page.findall(".//h1")) == 1, name
        for element in page.iter():
            for attribute in ("href", "src"):
                target = element.get(attribute)
                if target is None or target.startswith("mailto:"):
                    continue
                parts = urlsplit(target)
                if parts.scheme:
                    # The articles are the only addresses outside, and nothing is loaded from there.
                    assert (element.tag, parts.scheme, parts.hostname) == ("a", "https", "wiki.example.org")
                    continue
                assert not target.startswith("/"), "it has to work in any folder"
                path = (folder / name).parent / unquote(parts.path) if parts.path else folder / name
                assert path.is_file(), f"{name} leads to {target}"
                inside = str(path.resolve().relative_to(folder.resolve()))
                assert not parts.fragment or parts.fragment in ids[inside], f"{name} leads to {target}"
                followed.add(inside)
    assert set(there) <= followed | {"index.html"}, "every page is led to"


def test_nothing_in_a_page_acts_but_the_one_script(folder):
    for name, text in files(folder).items():
        if not name.endswith(".html"):
            continue
        page = parsed(text)
        scripts = [each.get("src") for each in page.iter("script")]
        assert scripts in ([], ["../assets/filter.js"])
        assert not [*page.iter("style"), *page.iter("iframe")]
        for element in page.iter():
            assert not any(attribute.startswith("on") or attribute == "style" for attribute in element.attrib), name
        policy = next(each for each in page.iter("meta") if each.get("http-equiv") == "Content-Security-Policy")
        assert policy.get("content").startswith("default-src 'none'")
        assert "unsafe" not in policy.get("content")
    assert "&lt;script&gt;alert(1)" in (folder / "instances/4.html").read_text()


def test_what_is_not_public_is_in_no_byte(folder):
    whole = "\n".join([*files(folder), *files(folder).values()])
    assert "Mist" in whole
    assert "Bridge 3" in whole
    for secret in SECRETS:
        assert secret not in whole, secret


def test_the_tables_count_what_people_finished_judging(folder):
    text = (folder / "downloads/table2.csv").read_text()
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["instances"] == "all"]
    # Seven responses each, less those to the instance that is set aside.
    assert {(row["model"], int(row["correct"]) + int(row["incorrect"])) for row in rows} == {("Mist", 6), ("Llam", 6)}
    page = (folder / "results/table2.html").read_text()
    assert "1 instance is set aside" in page
    assert "Without runs whose judging is not finished" in page
    assert "<svg" in page
    agreement = (folder / "results/agreement.html").read_text()
    assert "check item" not in agreement
    assert "Pair of reviewers" not in agreement


def test_every_instance_is_shown_once_and_listed_in_each_of_its_categories(folder):
    shown = "".join((folder / f"instances/{page}.html").read_text() for page in range(1, 5))
    assert sorted(map(int, re.findall(r'id="q(\d+)"', shown))) == [1, 2, 3, 4, 5, 6, 7]
    listed = [files(folder)[f"instances/semantic-type-date-{page}.html"] for page in (1, 2, 3)]
    assert sorted(re.findall(r'href="\d\.html#q(\d)"', "".join(listed))) == list("1234567")
    assert ["Next" in page for page in listed] == [True, True, False]
    first = (folder / "instances/1.html").read_text()
    assert '<mark class="span of-1">1903</mark>' in first
    assert '<mark class="span of-2">1899</mark>' in first


def test_the_downloads_are_those_of_the_release_with_their_checksums(folder, release):
    listed = dict(line.split("  ")[::-1] for line in (folder / "downloads/SHA256SUMS").read_text().splitlines())
    page = (folder / "downloads/index.html").read_text()
    for name, digest in listed.items():
        content = (folder / "downloads" / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == digest
        assert digest in page
        assert f"{len(content):,}" in page
    assert listed["wikicontradict-release-1.jsonl"] == release.content_hash
    assert {path.name for path in (folder / "downloads").iterdir()} == {*listed, "SHA256SUMS", "index.html"}


def test_a_line_as_the_site_asks_for_it_can_be_imported(folder, release, tmp_path, db):
    page = parsed((folder / "submit.html").read_text())
    line = json.loads(next(each.text for each in page.iter("code") if each.text.startswith("{")))
    (tmp_path / "responses.jsonl").write_text(json.dumps(line) + "\n")
    call_command("import_responses", str(tmp_path / "responses.jsonl"), stdout=io.StringIO())
    assert Response.objects.get(model__name="Your model").instance == release.instances.get(
        released_instances__number=1
    )


def test_the_citation_holds_no_markup_of_bibtex(release):
    site = Site(release, authors="Hou, Yufang and {Others}", url="https://example.org/w")
    assert "author  = {Hou, Yufang and Others}" in site.citation
    assert site.citation.count("{") == site.citation.count("}") == 7
    assert "\\" not in site.citation


def test_an_earlier_site_is_replaced_and_nothing_else(release, tmp_path, db):
    site = tmp_path / "site"
    for _ in range(2):
        call_command("export_site", str(site), release=1, stdout=io.StringIO())
    (site / "mine.txt").write_text("mine")
    with pytest.raises(CommandError, match=r"mine\.txt was added"):
        call_command("export_site", str(site), release=1, stdout=io.StringIO())
    assert (site / "mine.txt").read_text() == "mine"
    with pytest.raises(CommandError, match="There is no release 9"):
        call_command("export_site", str(tmp_path / "other"), release=9)
    assert not (tmp_path / "other").exists()


def test_admins_download_the_same_as_a_zip_file(release, folder, sign_in, tmp_path, db):
    admin = User.objects.get(username="amir")
    client = sign_in(admin)
    assert "/review/sites/1.zip" in client.get("/annotation/releases/1/").content.decode()
    response = client.get("/review/sites/1.zip")
    assert response["Content-Type"] == "application/zip"
    archive = zipfile.ZipFile(io.BytesIO(response.getvalue()))
    assert archive.testzip() is None
    call_command("export_site", str(tmp_path / "site"), release=1, stdout=io.StringIO())
    there = {f"wikicontradict-release-1-site/{name}": text for name, text in files(tmp_path / "site").items()}
    there.pop("wikicontradict-release-1-site/SHA256SUMS")
    assert {name: archive.read(name).decode() for name in archive.namelist()} == there
    # People who read verdicts count as having seen them.
    assert SeenJudgments.objects.filter(person=admin, round__name="Round 1").exists()
    assert not SeenJudgments.objects.filter(person=admin, round__name="Check by Rita").exists()


@pytest.mark.parametrize("model", ["Mist", "Llam"])
def test_an_admin_who_judges_gets_no_site_whichever_run_it_is(model, release, sign_in, db):
    """The site lacks the runs that people still judge, and names the models of the others."""
    judge = make_person("judith", Role.ADMIN, Role.REVIEWER)
    others = make_person("otto", Role.ADMIN, Role.REVIEWER)
    runs = {name: make_run_of(name, name, list(release.instances.all())) for name in ("Mist", "Llam")}
    round = make_round(others, [judge, others], runs[model], undo_minutes=0)
    refused = sign_in(judge).get("/review/sites/1.zip")
    assert refused.status_code == 403
    assert "This can reveal which model wrote what" in refused.text
    close_round(round=round, admin=others)
    assert sign_in(judge).get("/review/sites/1.zip").status_code == 200


def test_a_site_is_in_english_whoever_asks_for_it(release):
    english = {name: "".join(chunks) for name, chunks in Site(release).files()}
    with translation.override("de"):
        assert {name: "".join(chunks) for name, chunks in Site(release).files()} == english
