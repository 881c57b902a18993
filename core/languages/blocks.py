"""The text between `{% t %}` and `{% endt %}` as a message of a catalog.

Variables and tags of the template become names in braces, elements lose their attributes, and `pluralize` makes a
message with two forms: `<a href="{% url "tags" %}">{{ n }} tag{{ n|pluralize }}</a> left` is looked up as
`<a>{n} tag</a> left` and `<a>{n} tags</a> left`. A translation may put them in another order.
"""

import re
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field

from django.template import Context, Node, NodeList
from django.template.base import FilterExpression, TextNode, VariableNode
from django.template.defaultfilters import pluralize
from django.utils import translation
from django.utils.safestring import SafeString, mark_safe

from .texts import is_english

VOID = ("br", "wbr", "img", "input", "hr")
ELEMENT = re.compile(r"<(/?)([a-zA-Z][\w-]*)")
NAMED = re.compile(r"(\{\w+\}|</?\w+>)")
SPACE = re.compile(r"\s+")


class Unclear(Exception):
    """Raised for a block that cannot be one message."""


@dataclass
class Message:
    """A block as a message.

    Args:
        one: the message, or that for one.
        many: the message for other numbers; "" if there is one form only.
        count: the number that decides which.
        parts: the pieces of the template behind each name and element.
        around: the space before and after.
    """

    one: str = ""
    many: str = ""
    count: FilterExpression | None = None
    parts: dict[str, NodeList] = field(default_factory=dict)
    around: tuple[str, str] = ("", "")


class TextBlock(Node):
    """Renders its content as it stands in English, and as the catalog has it in other languages."""

    def __init__(self, nodelist: NodeList):
        self.nodelist = nodelist
        self._message: Message | None = None
        self._split: dict[str, list[str]] = {}

    @property
    def message(self) -> Message:
        if self._message is None:
            self._message = Reader().read(self.nodelist)
        return self._message

    def render(self, context: Context) -> SafeString:
        if is_english():
            return self.nodelist.render(context)
        message = self.message
        if message.count:
            text = translation.ngettext(message.one, message.many, _number(message.count.resolve(context)))
        else:
            text = translation.gettext(message.one)
        pieces = self._split.get(text)
        if pieces is None:
            pieces = self._split[text] = NAMED.split(text)
        parts = message.parts
        shown = "".join(parts[each].render(context) if each in parts else each for each in pieces)
        before, after = message.around
        # The catalog's text is as much ours as the template's, and its parts are rendered by the template.
        return mark_safe(f"{before}{shown}{after}")  # noqa: S308


def _number(value: object) -> int:
    """The number that `pluralize` would take: itself, or a length."""
    try:
        return int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return len(value) if hasattr(value, "__len__") else 0


class Reader:
    """Reads a block of a template into a message."""

    def __init__(self) -> None:
        self.message = Message()
        self.forms: tuple[list[str], list[str]] = ([], [])
        self.open: list[str] = []
        self.names: dict[str, str] = {}
        # The pieces of an element's tag that has begun and not ended.
        self.tag: NodeList | None = None
        self.tag_key = ""

    def read(self, nodelist: NodeList) -> Message:
        for node in nodelist:
            if isinstance(node, TextNode):
                self._text(node.s)
            elif self.tag is not None:
                self.tag.append(node)
            elif isinstance(node, VariableNode) and _forms(node.filter_expression):
                self._plural(node.filter_expression)
            else:
                self._say(self._key(node), NodeList([node]))
        one, many = ("".join(form) for form in self.forms)
        message = self.message
        message.around = (one[: len(one) - len(one.lstrip())], one[len(one.rstrip()) :])
        message.one, message.many = (SPACE.sub(" ", form.strip()) for form in (one, many))
        if message.count is None:
            message.many = ""
        return message

    def _say(self, key: str, part: NodeList) -> None:
        self.message.parts[key] = part
        self._both(key)

    def _both(self, text: str) -> None:
        for form in self.forms:
            form.append(text)

    def _text(self, text: str) -> None:
        while text:
            if self.tag is not None:
                inside, end, text = text.partition(">")
                self.tag.append(TextNode(inside + end))
                if end:
                    self._say(self.tag_key, self.tag)
                    self.tag = None
            elif found := ELEMENT.search(text):
                self._both(text[: found.start()])
                self._begin(bool(found[1]), found[2].lower())
                text = text[found.start() :]
            else:
                self._both(text)
                return

    def _begin(self, closes: bool, name: str) -> None:
        self.tag = NodeList()
        if closes:
            self.tag_key = f"</{self.open.pop() if self.open else name}>"
            return
        number = 1
        while f"<{name}{number if number > 1 else ''}>" in self.message.parts:
            number += 1
        numbered = f"{name}{number if number > 1 else ''}"
        self.tag_key = f"<{numbered}>"
        if name not in VOID:
            self.open.append(numbered)

    def _plural(self, expression: FilterExpression) -> None:
        one, many = _forms(expression) or ("", "")
        count = copy(expression)
        count.filters = [each for each in expression.filters if each[0] is not pluralize]
        if self.message.count is not None and str(self.message.count.var) != str(count.var):
            raise Unclear(f"two numbers decide the form of one text: {self.message.count.var} and {count.var}")
        self.message.count = count
        self.forms[0].append(one)
        self.forms[1].append(many)

    def _key(self, node: Node) -> str:
        if isinstance(node, VariableNode):
            source = node.filter_expression.token
            steps = [step for step in str(node.filter_expression.var).split(".") if not step.isdigit()]
            name = re.sub(r"\W", "", steps[-1] if steps else "") or "value"
        else:
            token = node.token.contents if node.token else type(node).__name__
            source, name = f"{token} {id(node)}", re.sub(r"\W", "", token.split()[0])
        if source in self.names:
            return self.names[source]
        number, key = 1, f"{{{name}}}"
        while key in self.message.parts:
            number += 1
            key = f"{{{name}{number}}}"
        self.names[source] = key
        return key


def _forms(expression: FilterExpression) -> tuple[str, str] | None:
    """The two endings that `pluralize` chooses from, if this is one."""
    for function, arguments in expression.filters:
        if function is pluralize:
            endings = str(arguments[0][1]) if arguments else "s"
            one, comma, many = endings.partition(",")
            return (one, many) if comma else ("", one)
    return None


def blocks_in(nodelist: Iterable[Node]) -> Iterator[TextBlock]:
    """All blocks of a template, also those within others and in the content of tags such as `{% table %}`."""
    for node in nodelist:
        if isinstance(node, TextBlock):
            yield node
        # Django names no lists for tags with a content of their own.
        for name in node.child_nodelists or ("nodelist",):
            yield from blocks_in(getattr(node, name, None) or ())
