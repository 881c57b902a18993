"""One object for all that a benchmark offers: each part has the type of the app below that uses it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotation.kinds import registry as kinds
from annotation.releases import reading
from annotation.releases.files import formats
from core import navigation
from core.accounts import sample_people
from judging import waking
from judging.catalogue import purposes
from judging.catalogue.purposes import Purpose
from judging.files import other_files
from judging.making import registry as makings
from judging.making.registry import Making
from judging.protocol import tasks
from judging.protocol.tasks import Task
from review.kinds.presentation import Presentation
from review.models import subjects
from review.models.subjects import SubjectKind
from review.reports import entries as reports
from review.reports.entries import Entry
from review.rounds import questionnaires
from review.rounds.keeping import registered as keeping
from review.rounds.keeping.keeping import Keeping
from review.rounds.questionnaires import Questionnaire
from review.site import entries as sites

Formats = formats.Formats
LoadFormats = formats.LoadFormats


@dataclass(frozen=True, slots=True)
class WhoReads:
    """The rules of reading released items: `refuse` is called before a person is shown a release, `note` when they
    are shown items of these groups, if that has to be kept.
    """

    refuse: reading.Refuse
    note: reading.Note | None = None


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark as its app declares it. Only `items` is needed.

    Args:
        items: what an item is.
        formats: the formats of its releases, by code; `formats_on_use` returns more, which are imported on use and
            come first.
        who_reads: the rules of reading released items.
        tasks: what models are asked; `purposes` are those of other calls.
        making: how models make its items; `wake` wakes its worker.
        subjects: rows of its own that people judge.
        questionnaires: what people are asked; `keeping` names, by their codes, other ways of keeping answers.
        reports: its reports by name.
        site: its published site, imported on use.
        where_else: the page or command for a file of this beginning, if it belongs there and holds no responses.
        finders: what the palette finds; `nav_items` are its pages in the navigation.
        demo: adds finished work to a first start, if there is none yet, and returns a line about it or "".
        demo_later: says whether `demo` may have something to add, which is then added while the site already runs;
            without it, `demo` is made before.
    """

    items: kinds.Benchmark
    formats: Formats = field(default_factory=dict)
    formats_on_use: LoadFormats | None = None
    who_reads: WhoReads | None = None
    tasks: Sequence[Task] = ()
    purposes: Sequence[Purpose] = ()
    making: Making | None = None
    wake: waking.Wake | None = None
    subjects: Sequence[SubjectKind] = ()
    questionnaires: Sequence[Questionnaire] = ()
    keeping: Mapping[str, Keeping] = field(default_factory=dict)
    reports: Mapping[str, Entry] = field(default_factory=dict)
    site: sites.MakePresentation = Presentation
    where_else: other_files.Recognise | None = None
    finders: Sequence[navigation.Finder] = ()
    nav_items: Sequence[navigation.NavItem] = ()
    demo: sample_people.Preparation | None = None
    demo_later: sample_people.IsDue | None = None


def register(benchmark: Benchmark) -> None:
    """Hand each part of a benchmark to the app that uses it. Call it once, when the benchmark's app starts."""
    code = benchmark.items.code
    kinds.register(benchmark.items)
    if benchmark.formats_on_use:
        formats.register_on_use(code, benchmark.formats_on_use)
    for name, each in benchmark.formats.items():
        formats.register(name, each, benchmark=code)
    sites.register(code, benchmark.site)
    if benchmark.who_reads:
        reading.register(code, refuse=benchmark.who_reads.refuse, note=benchmark.who_reads.note)
    _register_calls(benchmark)
    _register_people(benchmark)
    for name, entry in benchmark.reports.items():
        reports.register(name, entry)
    navigation.register_finders(*benchmark.finders)
    navigation.register(*benchmark.nav_items)
    if benchmark.demo:
        sample_people.on_prepare(benchmark.demo, later=benchmark.demo_later)


def _register_calls(benchmark: Benchmark) -> None:
    for task in benchmark.tasks:
        tasks.register(task)
    purposes.register(*benchmark.purposes)
    if benchmark.where_else:
        other_files.register(benchmark.where_else)
    if benchmark.making:
        makings.register(benchmark.making)
    if benchmark.wake:
        waking.register(benchmark.wake)


def _register_people(benchmark: Benchmark) -> None:
    for kind in benchmark.subjects:
        subjects.register(kind)
    for questionnaire in benchmark.questionnaires:
        questionnaires.register(questionnaire)
    for code, kept in benchmark.keeping.items():
        keeping.register(code, kept)
