"""Scripts and style sheets: served line by line, under addresses with a version, which imports keep."""

import re
from pathlib import Path
from urllib.parse import urljoin

import pytest
from django.conf import settings
from django.templatetags.static import static
from django.test import Client

from config.static import version_of
from core.templatetags.scripts import modules_of

IMPORT = re.compile(r"""^import\s[^;]*?["'](\.[^"']+)["'];$""", re.MULTILINE)
LATER = re.compile(r"""\bimport\(["'](\.[^"']+)["']\)""")
SCRIPT = re.compile(r"""<script type="module"(?: blocking="render")? src="{% static '([^']+)' %}"></script>""")
ROOT = Path(settings.BASE_DIR)


@pytest.mark.django_db
def test_each_page_gets_every_module_that_its_script_imports_at_one_version():
    client = Client()
    waiting = [
        static(name) for page in (ROOT / "templates").rglob("*.html") for name in SCRIPT.findall(page.read_text())
    ]
    assert waiting
    waiting += [static(f"scripts/texts/{language}.js") for language, _ in settings.LANGUAGES if language != "en"]
    seen: set[str] = set()
    while waiting:
        address = waiting.pop()
        if address in seen:
            continue
        seen.add(address)
        answer = client.get(address)
        assert answer.status_code == 200, address
        assert answer["Content-Type"].startswith("text/javascript")
        assert "max-age=2592000" in answer["Cache-Control"]
        source = answer.content.decode()
        waiting += [urljoin(address, name) for name in IMPORT.findall(source) + LATER.findall(source)]
    # The file of published sites is written into their folders.
    paths = [path for path in (ROOT / "static/scripts").rglob("*.js") if path.parent.name != "site"]
    scripts = {static(str(path.relative_to(ROOT / "static"))) for path in paths}
    assert seen == scripts, "a script that no page uses, or an import that leads out of the folder"


def test_a_page_can_name_all_modules_that_its_script_imports():
    """All that the desk loads at first, and nothing twice: not what it imports only when it is needed."""
    named, waiting = (
        modules_of("scripts/frame.js", "scripts/desk/desk.js"),
        ["scripts/frame.js", "scripts/desk/desk.js"],
    )
    imported = set(waiting)
    while waiting:
        script = waiting.pop()
        found = {urljoin(script, name) for name in IMPORT.findall((ROOT / "static" / script).read_text())}
        waiting += found - imported
        imported |= found
    assert len(named) == len(set(named))
    assert {*named, "scripts/frame.js", "scripts/desk/desk.js"} == imported


def test_the_version_changes_with_any_file_and_with_nothing_else(tmp_path):
    (tmp_path / "scripts").mkdir()
    file = tmp_path / "scripts" / "a.js"
    file.write_text("1")
    first = version_of(tmp_path)
    file.touch()
    assert version_of(tmp_path) == first
    file.write_text("2")
    second = version_of(tmp_path)
    file.rename(tmp_path / "scripts" / "b.js")
    third = version_of(tmp_path)
    (tmp_path / "c.css").write_text("")
    assert len({first, second, third, version_of(tmp_path)}) == 4


def test_a_file_of_another_version_is_not_served_as_this_one():
    assert Client().get("/static/0000000000/app.css").status_code == 404
