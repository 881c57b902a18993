"""`{% once %}`: a fragment is rendered with what it names alone, so that its key cannot lack anything it reads."""

from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.template import Context, Engine, Template
from django.utils.safestring import mark_safe

from core.engine.fragments import NotGiven, as_key, placeholder
from core.engine.parts import FEWEST_CHARACTERS, Parts

ENGINE = Engine(libraries={"once": "core.templatetags.once"}, builtins=["core.templatetags.once"])


def page(text: str) -> Any:
    template = Template(text, engine=ENGINE)
    return lambda **values: template.render(Context(values))


@dataclass(frozen=True)
class Shown:
    words: list[str]


@dataclass(frozen=True)
class Row:
    pk: int


@pytest.fixture(params=[True, False], ids=["kept", "not kept"])
def prepared(request, settings):
    settings.PREPARED = request.param


@pytest.mark.parametrize(
    "fragment",
    [
        "{% once %}{{ state }}{% endonce %}",
        "{% once role %}{{ role }}{{ state }}{% endonce %}",
        "{% once role %}{% if state %}yes{% endif %}{% endonce %}",
        "{% once role %}{% if role and state %}yes{% endif %}{% endonce %}",
        "{% once role %}{% if not state %}yes{% endif %}{% endonce %}",
        "{% once role %}{% for each in state %}{{ each }}{% endfor %}{% endonce %}",
        "{% once role %}{% once state %}{{ state }}{% endonce %}{% endonce %}",
        "{% once role own row.pk %}{{ row.title }}{% endonce %}",
    ],
)
@pytest.mark.usefixtures("prepared")
def test_a_fragment_that_reads_a_value_without_naming_it_fails(fragment):
    with pytest.raises(NotGiven):
        page(fragment)(role="admin", state="open", row=Row(1))


@pytest.mark.usefixtures("prepared")
def test_a_fragment_follows_each_value_that_it_names():
    shown = page("{% once shown role? **more %}{{ shown.words.0 }} {{ role|default:'-' }} {{ state }}{% endonce %}")
    for words, more, said in [
        (["a"], {"state": 1}, "a - 1"),
        (["b"], {"state": 1}, "b - 1"),
        (["b"], {"state": True}, "b - True"),
        (["<"], {"state": 1}, "&lt; - 1"),
        ([mark_safe("<")], {"state": 1}, "< - 1"),
    ]:
        assert shown(shown=Shown(words), more=more) == said
    assert shown(shown=Shown(["a"]), more={"state": 1}, role="admin") == "a admin 1"


def test_a_fragment_is_rendered_once_and_each_time_with_the_switch_off(settings):
    rendered = []

    def count() -> str:
        rendered.append(1)
        return "x"

    shown = page("{% once row %}{{ row.count }}{% endonce %}{% once more=row.name %}{{ more }}{% endonce %}")
    counting = type("Counting", (str,), {"count": property(lambda self: count()), "name": "n"})("row")
    for is_on, times in [(True, 1), (False, 3)]:
        rendered.clear()
        settings.PREPARED = is_on
        assert {shown(row=counting) for _ in range(3)} == {"xn"}
        assert len(rendered) == times


def test_values_of_the_page_itself_are_put_into_the_kept_text_and_escaped():
    shown = page("{% once role own row.pk title %}{{ role }} /{{ row.pk }}/ {{ title }} {{ row.pk }}{% endonce %}")
    assert shown(role="x", row=Row(1), title="<b>") == "x /1/ &lt;b&gt; 1"
    other = f"{placeholder('row.pk', True)} {placeholder('title')}"
    assert shown(role="x", row=Row(2), title=other) == f"x /2/ {other} 2"


def test_where_the_condition_is_false_the_part_has_the_whole_page():
    shown = page("{% once role label? if is_blank %}{{ role }}{{ label }}{{ state }}{% endonce %}")
    assert shown(role="x", state="open") == "xNoneopen"
    with pytest.raises(NotGiven):
        shown(role="x", state="open", is_blank=True)


def test_rows_of_a_table_cannot_be_a_key():
    with pytest.raises(TypeError):
        as_key({"group": [Group(pk=1)]})
    with pytest.raises(TypeError):
        page("{% once group %}{{ group.name }}{% endonce %}")(group=Group(pk=1))


def test_a_long_fragment_that_the_browser_holds_is_a_mark():
    shown = page("{% once text own row.pk %}{{ row.pk }}{{ text }}{% endonce %}")
    text = "x" * FEWEST_CHARACTERS
    brought = shown(text=text, row=Row(1), parts=Parts())
    name = brought.split()[1].split("-->")[0]
    assert brought == f"<!--part {name}-->1{text}<!--/part-->"
    held = Parts.in_cookie(f"other.{name}")
    assert shown(text=text, row=Row(2), parts=held) == f'<template data-part="{name}"></template>'
    assert shown(text="short", row=Row(2), parts=held) == "2short"
