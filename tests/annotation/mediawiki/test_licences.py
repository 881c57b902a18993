"""The licence of a release's texts is that of their wikis, as these say; where they do not say, it is not known."""

import io
import json
from pathlib import Path
from unittest.mock import Mock

import pytest
import yaml
from django.core.management import call_command

from annotation.mediawiki.wiki import Wiki as WikiClient
from annotation.models import Article, Release, Wiki
from annotation.releases.datasheets.licences import Licence, licences_told
from annotation.releases.freezing import create_release
from tests.factories import AnnotationFactory

pytestmark = pytest.mark.django_db
BY_SA = "https://creativecommons.org/licenses/by-sa/3.0/"


def wiki(host: str, licence: str = "", licence_url: str = "", path: str = "w") -> Wiki:
    said = {"licence": licence, "licence_url": licence_url}
    return Wiki.objects.create(name=host, api_url=f"https://{host}/{path}/api.php", **said)


@pytest.fixture
def released(admin):
    def released(*hosts: str) -> Release:
        for host in hosts:
            article = AnnotationFactory().tag.article
            Article.objects.filter(pk=article.pk).update(url=f"https://{host}/wiki/{article.pk}")
        return create_release(name="First", admin=admin)

    return released


def exported(tmp_path: Path, form: str) -> Path:
    target = tmp_path / form
    call_command("export_release", str(target), "--release", "1", "--format", form, stdout=io.StringIO())
    return target


def card_of(tmp_path: Path) -> tuple[str, str, str]:
    """The card's code and words, and the licence in Croissant."""
    folder = exported(tmp_path, "huggingface")
    _, header, card = (folder / "README.md").read_text().split("---\n", 2)
    said = card.partition("## Licence\n\n")[2].partition("\n\n## ")[0]
    return yaml.safe_load(header)["license"], said, json.loads((folder / "croissant.json").read_text())["license"]


def test_it_is_what_the_wiki_says(released, tmp_path):
    wiki("dragons.example.org", "Dragon Licence", "https://dragons.example.org/terms")
    released("dragons.example.org")
    # Frozen with the release: what the wiki says later does not count.
    Wiki.objects.update(licence="Another", licence_url="")
    code, said, croissant = card_of(tmp_path)
    assert (code, croissant) == ("other", "https://dragons.example.org/terms")
    for text in (said, *(exported(tmp_path, form) for form in ("datasheet", "inspect", "lm-eval"))):
        if isinstance(text, Path):
            text = (text / "README.md" if text.is_dir() else text).read_text()
        assert (
            "from dragons.example.org are quotations, under Dragon Licence (https://dragons.example.org/terms)"
            in text
        )
        assert "BY-SA" not in text
        assert "Another" not in text


def test_where_the_wiki_does_not_say_it_is_not_known(released, tmp_path):
    wiki("dragons.example.org")
    released("dragons.example.org", "en.wikipedia.org")
    code, said, croissant = card_of(tmp_path)
    assert (code, croissant) == ("unknown", "not known")
    assert "texts from dragons.example.org is not recorded here. Check the wiki's terms" in said
    assert "from en.wikipedia.org are quotations, under Creative Commons" in said
    assert "shared alike" in said
    assert "not recorded here" in exported(tmp_path, "datasheet").read_text()
    pages = exported(tmp_path, "site")
    assert not [path for path in pages.rglob("index.html") if "under CC BY-SA" in path.read_text()]


def test_several_wikis_and_articles_without_an_address(released, tmp_path):
    wiki("one.example.org", "", "https://creativecommons.org/publicdomain/zero/1.0/deed.en")
    wiki("two.example.org", "Share alike", BY_SA)
    released("one.example.org", "two.example.org")
    code, said, croissant = card_of(tmp_path)
    assert (code, croissant) == ("other", "several licences, see below")
    assert said.count("are quotations, under") == 2


def test_a_release_of_one_share_alike_wiki_has_its_code(released, tmp_path):
    wiki("two.example.org", "Share alike", BY_SA)
    released("two.example.org")
    assert card_of(tmp_path)[0] == "cc-by-sa-3.0"
    assert Licence("x", "http://creativecommons.org/publicdomain/zero/1.0").code == "cc0-1.0"


def test_a_host_of_two_wikis_that_differ_has_none():
    wiki("farm.example.org", "Ours")
    assert set(licences_told()) == {"farm.example.org"}
    wiki("farm.example.org", "Theirs", path="b")
    assert licences_told() == {}


@pytest.mark.parametrize(
    ("rights", "said"),
    [
        ({"text": " CC BY ", "url": "//creativecommons.org/licenses/by/4.0/"}, "https://creativecommons.org"),
        ({"text": "CC BY", "url": "/wiki/Terms"}, "https://wiki.example.org/wiki/Terms"),
        ({"text": "CC BY", "url": "javascript:alert(1)"}, ""),
        ({"text": "CC BY"}, ""),
    ],
)
def test_the_address_is_read_as_wikis_write_it(rights, said):
    client = WikiClient("https://wiki.example.org/w/api.php", contact="x@example.org")
    general = {"sitename": "W", "lang": "en", "base": "https://wiki.example.org/wiki/Main"}
    client.endpoint = Mock(query=Mock(return_value={"query": {"general": general, "rightsinfo": rights}}))
    site = client.site()
    assert (site.licence, site.licence_url.startswith(said) and bool(site.licence_url)) == ("CC BY", bool(said))
    client.endpoint.query.return_value = {"query": {"general": general, "rightsinfo": []}}
    assert (client.site().licence, client.site().licence_url) == ("", "")
