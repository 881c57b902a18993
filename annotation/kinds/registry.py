"""The registry of benchmarks: how the items of each are stored, checked, listed, counted and shown.

A benchmark is an entry here. Its use with models and people's verdicts is registered in the same way by the apps
above: see "To add a benchmark" in CONTRIBUTING.md.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from core.languages import say
from core.refusals import Refusal

from ..content.instances import Conflict
from ..models import Instance
from .signatures import (
    AboutInstance,
    AboutRelease,
    Content,
    FieldsOf,
    LineOf,
    ListedBy,
    ProblemsOf,
    QuotableIn,
    ReadFile,
    StatisticsOf,
)

# The format of items without one of their own: lines of JSON.
ITEMS = "items"


def _line(number: int, content: Content) -> dict[str, Any]:
    return {"question_ID": number, "content": content}


@dataclass(frozen=True, slots=True)
class FileIn:
    """A file format for releases of a benchmark: the text of its import page, and its reader."""

    label: str
    says: tuple[str, ...]
    read: ReadFile
    ending: str = "json"
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark's items. `annotation.kinds.signatures` says what each function gets and returns."""

    code: str
    name: str
    listed: ListedBy
    # A sentence or two about it, and the name of the page on which its work begins.
    summary: str = ""
    begins: str = ""
    problems: ProblemsOf = field(default=lambda content: [])
    # The name in an item's content under which files of replies name the item.
    identifier: str = ""
    line: LineOf = _line
    fields: FieldsOf = field(default=lambda content: {"content": content})
    # Its items are made of accepted annotations, and so have records, tags and a datasheet; others are content.
    is_annotated: bool = False
    statistics: StatisticsOf = field(default=lambda release: [])
    # The template that shows an instance, which it gets as `instance`, with what `about` says of it.
    template: str = "annotation/_instance_content.html"
    about: AboutInstance = field(default=lambda instance: {})
    quotable: QuotableIn = field(default=lambda content: {})
    # The template of what else the page of a release says, with what `release_about` gives; "" is nothing.
    release_template: str = ""
    release_about: AboutRelease = field(default=lambda release: {})
    # None where releases are made of annotations, or items are imported from lines of JSON.
    file_in: FileIn | None = None
    # The code of the format in which a release is a file that its import reads.
    item_format: str = ITEMS


_benchmarks: dict[str, Benchmark] = {}


def register(benchmark: Benchmark) -> None:
    """Register a benchmark; a later registration with the same code replaces the earlier one."""
    _benchmarks[benchmark.code] = benchmark


def benchmark(code: str) -> Benchmark:
    """The benchmark with this code. Raises Refusal if there is none."""
    if code not in _benchmarks:
        raise Refusal(
            say(
                "There is no benchmark “{code}” here. Choose from: {benchmarks}.",
                code=code,
                benchmarks=", ".join(_benchmarks),
            ),
            status=404,
        )
    return _benchmarks[code]


def benchmarks() -> Iterable[Benchmark]:
    return tuple(_benchmarks.values())


def benchmark_codes() -> list[str]:
    return list(_benchmarks)


def is_annotated(code: str) -> bool:
    """Return whether the releases of a benchmark are made of accepted annotations."""
    return code in _benchmarks and _benchmarks[code].is_annotated


def item_format_of(code: str) -> str:
    """The code of the format in which a release of a benchmark is a file that its import reads; "" if its module is
    gone.
    """
    return _benchmarks[code].item_format if code in _benchmarks else ""


def annotated() -> Benchmark:
    """The benchmark that annotators write here: the first registered one whose items are made of annotations."""
    return next(each for each in _benchmarks.values() if each.is_annotated)


def named_fields(instance: Instance) -> dict[str, Any]:
    """The fields of an instance by name, for files of responses and programs. Instances that are not made of an
    annotation have blank ones besides the question.
    """
    blank = asdict(Conflict(instance.question))
    return blank | instance.content if is_annotated(instance.benchmark) else blank


def fields_of(instance: Instance) -> Mapping[str, Any]:
    """The fields of an instance in the API besides the common ones; its content unchanged if the benchmark's module
    is gone.
    """
    if instance.benchmark in _benchmarks:
        return _benchmarks[instance.benchmark].fields(instance.content)
    return {"content": instance.content}


def name_of(code: str) -> str:
    """The name of a benchmark; its code if its module is gone."""
    return _benchmarks[code].name if code in _benchmarks else code


def quotable_texts(instance: Instance) -> dict[str, tuple[str, str]]:
    """Label and text of the parts of an instance that comments can quote, by name; only its question if the
    benchmark's module is gone.
    """
    of_kind = _benchmarks[instance.benchmark].quotable(instance.content) if instance.benchmark in _benchmarks else {}
    return {"question": (say("Question"), instance.question), **of_kind}
