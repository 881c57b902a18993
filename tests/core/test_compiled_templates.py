"""Templates that were compiled say what Django's engine says, and fail where it fails."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.template import Context, Engine, VariableDoesNotExist
from django.urls import NoReverseMatch
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy

from annotation.models import Family
from core.compiled_templates import Compiled

BUILTINS = ["core.templatetags.addresses", "core.templatetags.rows"]


class Silent(Exception):
    silent_variable_failure = True


class Row:
    def __init__(self, **values: Any):
        self.__dict__.update(values)

    def total(self) -> int:
        return 7

    def of(self, what: str) -> str:
        return what

    def delete(self) -> str:
        raise AssertionError("A template must not call this.")

    delete.alters_data = True  # type: ignore[attr-defined]

    @property
    def gone(self) -> str:
        raise Silent

    @property
    def broken(self) -> str:
        raise ValueError("broken")


VALUES = {
    "text": "<b>5 & 6</b>",
    "safe": mark_safe("<i>safe</i>"),
    "number": 12345,
    "float": 1234.5,
    "yes": True,
    "nothing": None,
    "at": datetime(2026, 11, 23, 8, 30, tzinfo=UTC),
    "lazy": gettext_lazy("No"),
    "choice": Family.INCONSISTENT,
    "choices": Family,
    "row": Row(name="One & one", inner=Row(name="two"), map={"items": "of a dict", "0": "zero"}),
    "rows": [Row(name="a<", size=1), Row(name="b", size=None), Row(name="c", size=3)],
    "pairs": [("a", 1), ("b", 2), ("c", 3)],
    "lists": [["x", "y"], [], ["z"]],
    "map": {"a": {"b": "deep"}, "k": [10, 20]},
    "call": lambda: "called",
}
ROW = "{{ row.name }}|{{ forloop.counter }}|{{ more }};"
TEMPLATES = [
    "{{ text }} {{ safe }} {{ number }} {{ float }} {{ yes }} {{ nothing }} {{ at }} {{ lazy }} {{ choice }}",
    "{{ missing }}|{{ missing.name }}|{{ row.missing }}|{{ map.x }}|{{ map.a.b }}|{{ map.k.1 }}|{{ map.k.7 }}",
    "{{ row.total }} {{ row.of }} {{ row.delete }} {{ row.gone }} {{ call }} {{ row.map.items }} {{ row.map.0 }}",
    "{{ choice.label }} {{ choices.INCONSISTENT.label }} {% for each in choices %}{{ each.label }}{% endfor %}",
    "{{ 'literal <' }} {{ 5 }} {{ -2.5 }} {{ _('No') }} {{ True }} {{ None }}",
    "{{ text|upper }} {{ safe|upper }} {{ text|default:'-' }} {{ missing|default:'<' }} {{ missing|default:text }}",
    "{{ nothing|default_if_none:number }} {{ text|truncatechars:number }} {{ at|date:'H:i' }} {{ pairs|length }}",
    "{{ text|safe }} {{ text|linebreaks }} {{ safe|cut:'a' }} {{ text|escape }} {{ text|force_escape|upper }}",
    "{{ missing|length }} {{ nothing|length }} {{ text|short:6 }} {{ rows|join:', '|length }}",
    "{% autoescape off %}{{ text }} {{ safe }} {{ number }}{% endautoescape %}",
    "{% autoescape off %}{% for a, b in pairs %}{{ a }}{{ text }}{% endfor %}{% endautoescape %}",
    "{% load l10n %}{% localize off %}{% for a, b in pairs %}{{ b }} {{ float }}{% endfor %}{% endlocalize %}",
    "{% if text %}1{% elif number %}2{% else %}3{% endif %}{% if missing %}1{% elif number %}2{% else %}3{% endif %}",
    "{% if missing or nothing %}1{% else %}2{% endif %}{% if not missing and yes %}1{% endif %}",
    "{% if missing > 1 %}1{% else %}2{% endif %}{% if nothing >= 1 or number > 1 %}3{% endif %}",
    "{% if not nothing > 1 %}1{% endif %}{% if text == '<b>5 & 6</b>' %}2{% endif %}",
    "{% if 'a' in map %}1{% endif %}{% if 'b' not in map %}2{% endif %}{% if 'b' in number %}3{% endif %}",
    "{% if nothing is None %}1{% endif %}{% if yes is not True %}2{% endif %}",
    "{% if number != 12345 %}3{% endif %}{% if missing == None %}3{% endif %}",
    "{% if row.broken or yes %}1{% else %}2{% endif %}{% if not row.broken %}3{% endif %}",
    "{% if missing|length > 0 %}1{% endif %}{% if text|cut:missing %}2{% else %}3{% endif %}",
    "{% for row in rows %}{{ row.name }}{{ row.size }}{{ forloop.counter }}{{ forloop.last }}{% endfor %}",
    "{% for row in rows reversed %}{{ row.name }}{% if row.size > 1 %}!{% endif %}{% endfor %}",
    "{% for each in missing %}x{% empty %}none{% endfor %}{% for each in nothing %}x{% empty %}none{% endfor %}",
    "{% for a, b in pairs %}{{ a }}{{ b }}{% if not forloop.last %}, {% endif %}{% endfor %}{{ a }}{{ row.name }}",
    "{% for list in lists %}{% for each in list %}{{ each }}{{ list.0 }}{% empty %}-{% endfor %}{% endfor %}",
    "{% for list in lists %}{% for each in list %}{{ forloop.parentloop.counter }}{{ forloop.counter0 }};{% endfor %}"
    "{{ forloop.revcounter }}{{ forloop.revcounter0 }}{{ forloop.first }}{% endfor %}",
    "{% for row in rows %}{% include 'row.html' with more=forloop.counter0 %}{% endfor %}",
    "{% for a, b in pairs %}{% with row=a %}{% include 'row.html' %}{% endwith %}{% endfor %}",
    "{% with name=row.name more=missing %}{{ name }}{{ more }}{% include 'row.html' %}{% endwith %}{{ name }}",
    "{% with a=text %}{% for row in rows %}{{ a }}{{ row.missing }}{% endfor %}{{ row.inner.name }}{% endwith %}",
    "{% for a, b in pairs %}{% cycle 'odd' 'even' %}{% ifchanged b %}{{ a }}{% endifchanged %}{% endfor %}",
    "{% for key, value in map.items %}{{ key }}{% endfor %}{% for key in map %}{{ key }}{% endfor %}",
    "{% for row in rows %}{{ row.gone }}{{ row.delete }}{{ row.name|default:row.size }}{% endfor %}",
    "{% url 'home' %}{% url 'tag' 5 %}{% url 'home' as there %}{{ there }}{% url 'no_such' as there %}{{ there }}",
    "{% for a, b in pairs %}{% url 'tag' b %}{% endfor %}",
    "{% extends 'base.html' %}{% block inner %}{{ block.super }}{{ row.name }}{% endblock %}",
    "{% spaceless %}<a> {% if yes %}<b> </b>{% endif %} </a>{% endspaceless %}",
    "{% filter upper %}{{ text }}{% endfilter %}",
]
FAILING = [
    "{{ row.broken }}",
    "{% for row in rows %}{{ row.name.broken }}{% url row.name %}{% endfor %}",
    "{% for a, b in lists %}{{ a }}{% endfor %}",
    "{% for a, b in rows %}{{ a }}{% endfor %}",
    "{% for each in number %}{{ each }}{% endfor %}",
    "{{ text|cut:missing }}",
    "{% url 'no_such' %}",
]


def engines(text: str) -> tuple[Engine, Engine]:
    """Django's, and the one that compiles, with the same templates."""
    files = {
        "this.html": text,
        "row.html": ROW,
        "base.html": "<main>{% block inner %}{% for a, b in pairs %}{{ a }}{% endfor %}{% endblock %}</main>",
    }
    plain: Any = ("django.template.loaders.locmem.Loader", files)
    compiles: Any = ("core.compiled_templates.Loader", [plain])
    options: Any = {"builtins": BUILTINS, "libraries": {"l10n": "django.templatetags.l10n"}}
    return Engine(loaders=[plain], **options), Engine(loaders=[compiles], **options)


@pytest.mark.parametrize("text", TEMPLATES)
def test_a_compiled_template_says_what_django_says(text):
    django, compiling = engines(text)
    expected = django.get_template("this.html").render(Context(VALUES))
    template = compiling.get_template("this.html")
    assert isinstance(template.nodelist, Compiled)
    assert [template.render(Context(VALUES)) for _ in range(2)] == [expected, expected]


@pytest.mark.parametrize("text", FAILING)
def test_a_compiled_template_fails_where_django_fails(text):
    for engine in engines(text):
        context = Context(VALUES)
        with pytest.raises((ValueError, TypeError, NoReverseMatch, VariableDoesNotExist)):
            engine.get_template("this.html").render(context)
        assert len(context.dicts) == len(Context(VALUES).dicts)


def test_with_debug_templates_stay_as_they_are():
    loader: Any = ("django.template.loaders.locmem.Loader", {"this.html": "{{ text }}"})
    engine = Engine(debug=True, loaders=[("core.compiled_templates.Loader", [loader])])
    assert not isinstance(engine.get_template("this.html").nodelist, Compiled)
