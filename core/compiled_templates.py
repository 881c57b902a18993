"""Templates as Python: what Django's engine finds out for each variable of each row is found out once a template.

`Loader` finds templates as Django does. At its first rendering, a list of nodes becomes one function. Text, variables
with their filters, `if`, `for`, `with` and `url` are statements of it; every other node renders itself, with the
context that it expects. A page of fifty rows has a thousand variables, each at a fifth of what it costs Django.

What these statements say is what Django says. Where one of them fails, for whatever reason, Django is asked instead:
it knows which failures are silent, and raises the right error.
"""

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from django.template import Context, NodeList, VariableDoesNotExist
from django.template.base import FilterExpression, Node, TextNode, Variable, VariableNode, render_value_in_context
from django.template.defaulttags import ForNode, IfNode, TemplateLiteral, WithNode
from django.template.loaders import cached
from django.utils.safestring import SafeData, SafeString, mark_safe
from django.utils.timezone import template_localtime  # type: ignore[attr-defined]

from .templatetags.addresses import Address, address_of

MISSING = object()
STATEMENTS = (IfNode, ForNode, WithNode)


class Loader(cached.Loader):
    """Django's, with templates that become functions. With DEBUG they stay as they are, and say where an error is."""

    def get_template(self, template_name: str, skip: Any = None) -> Any:
        template = super().get_template(template_name, skip)
        if not self.engine.debug and not isinstance(template.nodelist, Compiled):
            for node in template.nodelist.get_nodes_by_type(Node):
                _compile_within(node)
            template.nodelist = Compiled(template.nodelist)
        return template


class Compiled(NodeList):
    """A list of nodes that becomes a function when it is rendered for the first time."""

    function: Callable[[Context], str] | None = None

    def render(self, context: Context) -> SafeString:
        if self.function is None:
            self.function = _Writer().function(self)
        return SafeString(self.function(context))


def _compile_within(node: Node) -> None:
    if type(node) in STATEMENTS:
        return
    for name in node.child_nodelists:
        nodes = getattr(node, name, None)
        if type(nodes) is NodeList:
            setattr(node, name, Compiled(nodes))


# --- At each rendering --------------------------------------------------------------------------------------------


def _named(context: Context, name: str) -> Any:
    for values in reversed(context.dicts):
        if name in values:
            value = values[name]
            return _called(value) if callable(value) else value
    return MISSING


def _of(value: Any, name: str) -> Any:
    """What `value.name` is in a template."""
    if value is MISSING:
        return MISSING
    if hasattr(type(value), "__getitem__"):
        try:
            found = value[name]
        except (TypeError, AttributeError, KeyError, ValueError, IndexError):
            found = getattr(value, name)
    else:
        found = getattr(value, name)
    return _called(found) if callable(found) else found


def _called(value: Any) -> Any:
    if getattr(value, "do_not_call_in_templates", False):
        return value
    if getattr(value, "alters_data", False):
        raise LookupError("Django says what stands for it.")
    return value()


def _there(value: Any) -> Any:
    """The argument of a filter, which must not be missing."""
    if value is MISSING:
        raise LookupError("Django says which one is missing.")
    return value


def _safe_as(was: Any, value: Any) -> Any:
    """What a filter that keeps safe text safe made of a value."""
    return mark_safe(value) if isinstance(was, SafeData) else value  # noqa: S308  # the filter says so


def _text(value: Any, context: Context) -> str:
    """A value as it stands on the page."""
    kind = type(value)
    if kind is SafeString:
        return value
    if kind is str and context.autoescape:
        return escape(value)
    # The settings group no thousands.
    return str(value) if kind is int else render_value_in_context(value, context)


def _django_resolves(expression: FilterExpression, context: Context, here: dict[str, Any], is_soft: bool) -> Any:
    with context.push(here):
        return expression.resolve(context, ignore_failures=is_soft)


def _django_tests(condition: Any, context: Context, here: dict[str, Any]) -> Any:
    with context.push(here):
        try:
            return condition.eval(context)
        except VariableDoesNotExist:
            return None


def _comparing(operator: str) -> Callable[[Any, Any], bool]:
    made: dict[str, Any] = {}
    lines = ["def compare(left, right):", f" try: return left {operator} right", " except Exception: return False"]
    exec("\n".join(lines), made)  # noqa: S102  # an operator from the list below
    return made["compare"]


COMPARES = {each: _comparing(each) for each in ("==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not")}


# --- Once a template ----------------------------------------------------------------------------------------------

Names = dict[str, str]


class _Writer:
    """Writes the function of a list of nodes. `names` are the variables of loops and of `with`, each with that of the
    function which has its value."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 1
        self.known: dict[str, Any] = {
            "named": _named,
            "of": _of,
            "there": _there,
            "safe_as": _safe_as,
            "text": _text,
            "localtime": template_localtime,
            "address_of": address_of,
            "django_resolves": _django_resolves,
            "django_tests": _django_tests,
            "MISSING": MISSING,
        }
        self.count = 0
        self._statements: dict[type[Node], Callable[[Any, Names], None]] = {
            TextNode: self._text,
            VariableNode: self._variable_node,
            IfNode: self._if,
            ForNode: self._for,
            WithNode: self._with,
            Address: self._address,
        }

    def function(self, nodes: NodeList) -> Callable[[Context], str]:
        self._nodes(nodes, {})
        lines = ["def render(context):", " out = []", " add = out.append", *self.lines, " return ''.join(out)"]
        exec(compile("\n".join(lines), "<template>", "exec"), self.known)  # noqa: S102  # no text from outside is in it
        return self.known["render"]

    def _line(self, text: str) -> int:
        self.lines.append(" " * self.depth + text)
        return len(self.lines) - 1

    def _name(self, word: str) -> str:
        self.count += 1
        return f"{word}_{self.count}"

    def _object(self, value: Any) -> str:
        """The name under which the function knows a thing."""
        name = self._name("object")
        self.known[name] = value
        return name

    # --- Statements

    def _nodes(self, nodes: Iterable[Node], names: Names) -> None:
        for node in nodes:
            write = self._statements.get(type(node))
            if write and not (isinstance(node, Address) and (node.kwargs or node.asvar)):
                write(node, names)
            else:
                self._line(f"add({self._object(node)}.render_annotated(context))")

    def _text(self, node: TextNode, names: Names) -> None:
        self._line(f"add({node.s!r})")

    def _variable_node(self, node: VariableNode, names: Names) -> None:
        self._line(f"add(text({self._value(node.filter_expression, names)}, context))")

    def _block(self, nodes: Iterable[Node], names: Names) -> None:
        self.depth += 1
        self._nodes(nodes, names)
        self._line("pass")
        self.depth -= 1

    def _if(self, node: Any, names: Names) -> None:
        depth = self.depth
        for condition, nodes in node.conditions_nodelists:
            self._line(f"if {'True' if condition is None else self._condition(condition, names)}:")
            self._block(nodes, names)
            self._line("else:")
            self.depth += 1
        self._line("pass")
        self.depth = depth

    def _for(self, node: Any, names: Names) -> None:
        values, count = self._name("values"), self._name("count")
        self._line(f"{values} = {self._value(node.sequence, names, is_soft=True)}")
        self._line(f"if {values} is None: {values} = ()")
        self._line(f"if not hasattr({values}, '__len__'): {values} = list({values})")
        self._line(f"{count} = len({values})")
        self._line(f"if {count} < 1:")
        self._block(node.nodelist_empty, names)
        self._line("else:")
        own = {name: self._name("each") for name in node.loopvars}
        each = ", ".join(own.values())
        body = self._apart(node.nodelist_loop, names | own, deeper=4)
        self.depth += 1
        if node.is_reversed:
            self._line(f"{values} = reversed({values})")
        if _is_told(body):
            loop, at = self._name("loop"), self._name("at")
            self._line(f"{loop} = {{'parentloop': context.get('forloop', {{}})}}")
            self._line(f"with context.push({{'forloop': {loop}}}):")
            self._line(f" for {at}, {f'({each})' if len(own) > 1 else each} in enumerate({values}):")
            self._line(f"  {loop}['counter0'], {loop}['counter'] = {at}, {at} + 1")
            self._line(f"  {loop}['revcounter0'], {loop}['revcounter'] = {count} - {at} - 1, {count} - {at}")
            self._line(f"  {loop}['first'], {loop}['last'] = {at} == 0, {at} == {count} - 1")
            self._line(f"  with context.push({_dictionary(own)}):")
        else:
            self._line(f"for {each} in {values}:")
        self.lines += body
        self.depth -= 1

    def _with(self, node: Any, names: Names) -> None:
        own = {name: self._value(value, names) for name, value in node.extra_context.items()}
        body = self._apart(node.nodelist, names | own, deeper=1)
        self._line(f"with context.push({_dictionary(own)}):" if _is_told(body) else "if True:")
        self.lines += body

    def _address(self, node: Any, names: Names) -> None:
        name, *arguments = (self._value(each, names) for each in (node.view_name, *node.args))
        self._line(f"add(address_of(context, {name}, ({''.join(f'{each}, ' for each in arguments)})))")

    def _apart(self, nodes: Iterable[Node], names: Names, *, deeper: int) -> list[str]:
        """The lines for these nodes, for a block whose head is written afterwards."""
        start = len(self.lines)
        self.depth += deeper - 1
        self._block(nodes, names)
        self.depth -= deeper - 1
        self.lines, apart = self.lines[:start], self.lines[start:]
        return apart

    # --- Values

    def _value(self, expression: FilterExpression, names: Names, *, is_soft: bool = False) -> str:
        """The variable that has the expression's value: None for a missing one if `is_soft`, else ""."""
        written = self._expression(expression, names, is_soft)
        if written in names.values():
            return written
        value = self._name("value")
        again = f"django_resolves({self._object(expression)}, context, {_dictionary(names)}, {is_soft})"
        self._line(f"try: {value} = {written}")
        self._line(f"except Exception: {value} = {again}")
        return value

    def _condition(self, condition: Any, names: Names) -> str:
        written = self._test(condition, names)
        if written in names.values():
            return written
        value = self._name("value")
        self._line(f"try: {value} = {written}")
        self._line(
            f"except Exception: {value} = django_tests({self._object(condition)}, context, {_dictionary(names)})"
        )
        return value

    def _test(self, condition: Any, names: Names) -> str:
        if isinstance(condition, TemplateLiteral):
            return self._expression(condition.value, names, is_soft=True)
        if condition.id == "not":
            return f"(not {self._test(condition.first, names)})"
        left, right = self._test(condition.first, names), self._test(condition.second, names)
        if condition.id in COMPARES:
            return f"{self._object(COMPARES[condition.id])}({left}, {right})"
        return f"({left} {condition.id} {right})"

    def _expression(self, expression: Any, names: Names, is_soft: bool) -> str:
        written = self._variable(expression.var, names) if expression.is_var else self._object(expression.var)
        if "named(" in written:
            value = self._name("value")
            written = f"({None if is_soft else ''!r} if ({value} := {written}) is MISSING else {value})"
        for function, arguments in expression.filters:
            given = "".join(f", {self._argument(each, names)}" for each in arguments)
            if getattr(function, "needs_autoescape", False):
                given += ", autoescape=context.autoescape"
            if getattr(function, "expects_localtime", False):
                written = f"localtime({written}, context.use_tz)"
            name = self._object(function)
            if getattr(function, "is_safe", False):
                was = self._name("value")
                written = f"safe_as({was} := {written}, {name}({was}{given}))"
            else:
                written = f"{name}({written}{given})"
        return written

    def _argument(self, argument: tuple[bool, Any], names: Names) -> str:
        is_looked_up, value = argument
        if not is_looked_up:
            return self._object(mark_safe(value))  # noqa: S308  # it stands in the template
        written = self._variable(value, names)
        return f"there({written})" if "named(" in written else written

    def _variable(self, variable: Variable, names: Names) -> str:
        if variable.lookups is None or variable.translate:
            return f"{self._object(variable)}.resolve(context)"
        first, *others = variable.lookups
        written = names.get(first) or f"named(context, {first!r})"
        for name in others:
            written = f"of({written}, {name!r})"
        return written


def _is_told(lines: list[str]) -> bool:
    """Whether something in these lines looks into the context for more than the page's own values."""
    return any("render_annotated(" in line or "'forloop'" in line for line in lines)


def _dictionary(names: Names) -> str:
    return "{" + ", ".join(f"{name!r}: {variable}" for name, variable in names.items()) + "}"
