"""All texts of pages can be translated, and are: in templates, Python and scripts, and in the catalogs."""

import re
from functools import cache

import pytest
from django.template import engines

from docs import messages
from tests.languages.rooms import ENGLISH
from tests.languages.untranslated import plain_texts, script_texts, texts_outside
from tests.structure import ROOT

PLACEHOLDER = re.compile(r"{[^}]*}|</?\w+>")
LANGUAGES = messages.languages()


@cache
def found() -> list[messages.Found]:
    return messages.found()


@cache
def texts() -> dict[str, list[str]]:
    """By file, the texts of pages that no catalog can have."""
    files = [
        *(ROOT / "templates").rglob("*.html"),
        *(ROOT / "templates").rglob("*.txt"),
        *(path for folder in messages.SOURCES for path in (ROOT / folder).rglob("*.py")),
    ]
    by_file = {}
    for path in files:
        name, source = str(path.relative_to(ROOT)), path.read_text()
        if name.startswith(ENGLISH) or "/migrations/" in name:
            continue
        if path.suffix == ".py":
            by_file[name] = [text for _, text in plain_texts(source)]
        else:
            by_file[name] = [source[start:end] for start, end in texts_outside(source)]
    return {name: some for name, some in by_file.items() if some}


def test_no_part_has_a_text_that_cannot_be_translated():
    assert texts() == {}, "put these into {% t %} in templates, into say() in Python"


def test_scripts_have_no_text_that_cannot_be_translated():
    # The published pages are English, and so are the names of the paper's fields.
    scripts = [path for path in messages.SCRIPTS.rglob("*.js") if path.parent.name not in ("site", "texts")]
    left = {f"{path.name}: {text}" for path in scripts for text in script_texts(path.read_text())}
    assert {text for text in left if "Contradict type" not in text} == set(), "put these into say()"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_catalog_has_the_texts_of_the_sources(language):
    catalog = messages.renewed(messages.catalog_of(language), found())
    folder = messages.LOCALE / language / "LC_MESSAGES"
    again = "run `python -m docs.messages` and translate what it names"
    assert (folder / "django.po").read_bytes() == messages.written(catalog), again
    assert (folder / "django.mo").read_bytes() == messages.compiled(catalog), again
    assert messages.script_of(language).read_bytes() == messages.as_script(catalog, found()), again


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_text_has_a_translation_with_the_same_placeholders(language):
    catalog = messages.catalog_of(language)
    assert messages.untranslated(catalog) == []
    assert [each.id for each in catalog if each.fuzzy and each.id] == []
    assert [each.id for each in catalog if each.id and differs(each)] == []


def differs(message) -> bool:
    """Return whether the translation lacks a placeholder, or has one too many; the form for one may leave one out."""
    ids, strings = ([each] if isinstance(each, str) else list(each) for each in (message.id, message.string))
    needed, known = names_in(ids[-1]), {name for each in ids for name in names_in(each)}
    return names_in(strings[-1]) != needed or any(not names_in(text) <= known for text in strings)


def names_in(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_brings_markup_of_its_own(language):
    """It would end an attribute, or add an element that the page does not have."""
    catalog = messages.catalog_of(language)
    strings = [(each.id, str(each.string)) for each in catalog if each.id]
    assert [one for one, string in strings if '"' in string and '"' not in str(one) and isinstance(one, str)] == []


def test_no_style_sheet_has_a_text():
    """Words that a style adds are in a `data-` attribute of the page. Verdicts have the letters of the paper."""
    said = [
        (path.name, text)
        for path in (ROOT / "static").glob("*.css")
        for text in re.findall(r'content: *"([^"]*)"', path.read_text())
    ]
    assert [each for each in said if re.search(r"[A-Za-z]", each[1]) and each[1] not in ("● C", "◐ P", "○ I")] == []


def test_the_finder_sees_texts_and_attributes():
    page = '<p title="Hello">One <b>two</b> {{ three }}</p>{% t %}four{% endt %}<a href="{% url "x" %}">{{ z }}</a>'
    assert [page[start:end] for start, end in texts_outside(page)] == ["Hello", "One <b>two</b> {{ three }}"]
    lines = 'Refusal("no")\nRefusal(say("no"))\nmessages.info(request, f"{n} yes")\nField(label="Name", name="name")'
    assert [text for _, text in plain_texts(lines)] == ["'no'", "f'{n} yes'", "'Name'"]


def test_the_finder_sees_texts_of_scripts():
    script = """
      // A comment of its own
      notice("Not sent yet.");
      notice(say("All is well."));
      const words = sayCount(this.found.length, "{count} change", "{count} changes", { more });
      button.textContent = isOpen ? "a" : "b";
      button.title = "Undo";
      throw new Error(`There is no ${name}`);
      line.textContent = `${count} found`;
      all("main fieldset");
    """
    assert script_texts(script) == ['"Not sent yet."', '"Undo"', "`${count} found`"]


def test_messages_are_found_in_scripts():
    script = messages.SCRIPTS / "text" / "marks.js"
    found = {(each.one, each.many) for each in messages.in_scripts() if each.file == str(script.relative_to(ROOT))}
    assert ("“{now}” was added", "") in found
    assert ("{count} change: {changes}.", "{count} changes: {changes}.") in found


def test_messages_are_found_in_the_content_of_tags():
    page = '{% table "A" %}{% if a %}{% t %}one{% endt %}{% endif %}{% endtable %}{% table_head "State" %}'
    assert {each.one for each in messages.in_template("x", page, engines["django"])} == {"A", "one", "State"}
