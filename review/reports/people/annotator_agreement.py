"""The report on agreement of annotators, and on reviewers' decisions about each one's annotations."""

from collections.abc import Sequence
from dataclasses import asdict

from annotation.reviewing.first_submissions import Outcome, annotated_twice, first_submissions, outcomes
from annotation.tags.listing import Work
from core.languages import figure, in_sentence, joined, say, say_count
from core.models import User

from ...statistics.estimates import Estimate, Undefined, wilson_interval
from ...statistics.rounding import half_up, percent
from ..drawing.plots import COEFFICIENTS, Point, intervals
from ..kinds import FEW, of_page
from ..layout import (
    Cell,
    Column,
    Note,
    Report,
    Section,
    Table,
    Value,
    estimate_cells,
    estimate_record,
    number_cell,
    with_interval,
)
from ..links import quality_page, tag_list
from ..scope import Scope
from .annotated_twice import AnnotatedTwice, Choice, Known, Overlap, by_month, by_pair, measured

BREAKDOWNS = {"people": say("Pair of annotators"), "month": say("Month")}
# The number of newest tags that a page compares; a file has all.
TAGS_ON_A_PAGE = 1_000
# The coefficients of each group in a line of the breakdowns.
SHOWN_BY_GROUP = ("validity", "semantic_type", "reasoning_type")
DECISIONS = {
    "accepted": (say("Accepted"), Work.ACCEPTED),
    "returned": (say("Returned"), None),
    "excluded": (say("Excluded"), Work.EXCLUDED),
}


def annotator_agreement(scope: Scope, by: str = "", page: int | None = None) -> Report:
    """Agreement of annotators, broken down by one dimension or, without `by`, by each; the scope does not narrow
    it.
    """
    twice = annotated_twice(scope.reader).values_list("tag", flat=True)
    chosen = list(twice if page is None else twice[: TAGS_ON_A_PAGE + 1])
    cut = page is not None and len(chosen) > TAGS_ON_A_PAGE
    tags = list(first_submissions(chosen[:TAGS_ON_A_PAGE] if cut else chosen, reader=scope.reader))
    known: Known = {}
    whole = measured(say("All"), tags, known)
    groups = {each: _groups(each, tags, page, known) for each in ([by] if by else BREAKDOWNS)}
    reviewed = outcomes(scope.reader)
    return Report(
        title=say("Agreement of annotators"),
        lead=_sentences(whole, reviewed),
        sections=[
            *(whole_sections(whole) if tags else []),
            *(_group_section(BREAKDOWNS[name], of[0]) for name, of in groups.items() if tags),
            *([_outcome_section(reviewed)] if reviewed else []),
        ],
        data={
            "all": asdict(whole),
            **{f"by_{name}": [asdict(group) for group in of[0]] for name, of in groups.items()},
            "outcomes": [_outcome_data(each) for each in reviewed],
        },
        records=[
            record
            for name, found in (("all", [whole]), *((name, of[0]) for name, of in groups.items()))
            for group in found
            for record in _records(name, group)
        ]
        + [record for each in reviewed for record in _outcome_records(each)],
        notes=[Note(say("The newest {most:,} tags; the files have all of them.", most=TAGS_ON_A_PAGE))]
        if cut
        else (),
        about=say(
            "Tags that two or more people annotated, once all annotations are submitted. Only first "
            "submissions count, without changes after an annotation was returned or taken back. "
            "Dimensions, passages and questions are compared where both called the tag valid. The 95% "
            "interval comes from resampling whole tags."
        ),
        empty=say(
            "No tag has two annotations by people yet. Let a share of the tags need two (Settings), or "
            "set it for single tags; the agreement of two annotators then appears here."
        ),
        breakdowns=list(BREAKDOWNS.items()),
        pages=max(pages for _, pages in groups.values()),
    )


def _groups(by: str, tags: Sequence, page: int | None, known: Known) -> tuple[list[AnnotatedTwice], int]:
    """The groups on the page, all if it is None; and the number of pages."""
    if by == "month":
        named = list(by_month(tags).items())
    else:
        pairs = by_pair(tags)
        people = User.objects.in_bulk({person for pair in pairs for person in pair})
        named = [
            (say("{people} and {people2}", people=people[one], people2=people[other]), of)
            for (one, other), of in pairs.items()
        ]
    shown, pages = of_page(named, page)
    return [measured(label, of, known) for label, of in shown], pages


def _sentences(whole: AnnotatedTwice, reviewed: Sequence[Outcome]) -> list[str]:
    sentences: list[str] = []
    validity, types = whole.choices["validity"], whole.choices["semantic_type"]
    if isinstance(validity.same, Estimate):
        sentences.append(
            say_count(
                validity.n,
                "Annotators agree on validity in {percent:f}% of {count:,} pair of annotations ({kappa}).",
                "Annotators agree on validity in {percent:f}% of {count:,} pairs of annotations ({kappa}).",
                percent=half_up(validity.same.value * 100, 1),
                kappa=_in_words(say("kappa"), validity.kappa),
            )
        )
    if isinstance(types.alpha, Estimate):
        sentences.append(
            say(
                "On the semantic type of tags that both call valid they reach {alpha}.",
                alpha=_in_words(say("alpha"), types.alpha),
            )
        )
    if reviewed:
        decided, accepted = (sum(getattr(each, name) for each in reviewed) for name in ("decided", "accepted"))
        sentences.append(
            say_count(
                decided,
                "{percent:f}% of {count:,} annotation that reviewers decided on are accepted.",
                "{percent:f}% of {count:,} annotations that reviewers decided on are accepted.",
                percent=percent(accepted, decided),
            )
        )
    return sentences


def _in_words(name: str, number: Estimate | Undefined) -> str:
    if isinstance(number, Undefined):
        return say("{name} is not defined: {reason}", name=name, reason=number.reason)
    words = joined([name, figure(str(half_up(number.value, 2)))])
    return (
        say("{words}, 95% interval {interval}", words=words, interval=str(number.interval))
        if number.interval
        else words
    )


def whole_sections(whole: AnnotatedTwice) -> list[Section]:
    """The sections on choices, and on passages and questions."""
    rows = [
        ("", choice.name, [point], say("n {n:,}", n=choice.n))
        for choice in whole.choices.values()
        if (point := _point(choice.name, choice.alpha, choice.n))
    ]
    return [
        Section(
            say("Choices"),
            plots=[intervals(say("Krippendorff's alpha with its 95% interval"), rows, ticks=COEFFICIENTS)],
            table=_choice_table(list(whole.choices.values())),
            about=say(
                "The semantic type is a set of choices: alpha counts sets that overlap as partly the same "
                "(MASI). Confidence has an order: kappa is weighted, and alpha has squared distances."
            ),
        ),
        Section(say("Passages and questions"), table=_overlap_table(list(whole.overlaps.values()))),
    ]


def _point(name: str, number: Estimate | Undefined, n: int) -> Point | None:
    """The point; nothing for a number of few pairs without an interval."""
    if isinstance(number, Undefined) or (n < FEW and not number.interval):
        return None
    return Point(
        number.value,
        number.interval.low,
        number.interval.high,
        say("{name}: {number}, n {n:,}", name=name, number=str(number), n=n),
    )


def _choice_table(choices: Sequence[Choice]) -> Table:
    columns = [
        Column(say("Field"), words=True),
        Column("n", title=say("Pairs of annotations of one tag with a choice in both")),
        Column(say("Tags")),
        *with_interval(Column(say("Same, %"), say("Raw agreement"))),
        *with_interval(Column(say("Kappa"), say("Cohen's kappa"))),
        *with_interval(Column("AC1", say("Gwet's AC1"))),
        *with_interval(Column(say("Alpha"), say("Krippendorff's alpha"))),
    ]
    rows = []
    for choice in choices:
        title = say("Of {pairs}", pairs=say_count(choice.n, "{count:,} pair", "{count:,} pairs"))
        row = [Cell(choice.name), Cell(choice.n), Cell(choice.tags)]
        row += estimate_cells(choice.same, title=title, as_percent=True)
        for number in (choice.kappa, choice.ac1, choice.alpha):
            row += estimate_cells(number, title=title)
        rows.append(row)
    return Table(say("Agreement of annotators by field"), columns, rows)


def _overlap_table(overlaps: Sequence[Overlap]) -> Table:
    columns = [
        Column(say("Measure"), words=True),
        Column("n", title=say("Pairs of annotations that both call the tag valid")),
        *with_interval(Column("%")),
    ]
    rows = [[Cell(each.name), Cell(each.n), *estimate_cells(each.mean, as_percent=True)] for each in overlaps]
    return Table(say("Agreement of annotators on passages and questions"), columns, rows)


def _group_section(name: str, groups: Sequence[AnnotatedTwice]) -> Section:
    columns = [
        Column(name, words=True),
        Column(say("Tags")),
        Column(say("Same, %"), say("Validity")),
        *with_interval(Column(say("Kappa"), say("Validity"))),
        *with_interval(Column(say("Alpha"), say("Semantic type"))),
        *with_interval(Column(say("Kappa"), say("Reasoning type"))),
        *with_interval(Column(say("F1, %"), say("Passages"))),
    ]
    rows, points = [], []
    for group in groups:
        validity, types, reasoning = (group.choices[each] for each in SHOWN_BY_GROUP)
        passages = group.overlaps["passages_f1"]
        rows.append(
            [
                Cell(group.label),
                Cell(group.tags),
                number_cell(validity.same, title=say("n {n:,}", n=validity.n), as_percent=True),
                *estimate_cells(validity.kappa, title=say("n {n:,}", n=validity.n)),
                *estimate_cells(types.alpha, title=say("n {n:,}", n=types.n)),
                *estimate_cells(reasoning.kappa, title=say("n {n:,}", n=reasoning.n)),
                *estimate_cells(passages.mean, title=say("n {n:,}", n=passages.n), as_percent=True),
            ]
        )
        if point := _point(group.label, validity.kappa, validity.n):
            points.append(("", group.label, [point], say("n {n:,}", n=validity.n)))
    return Section(
        say("By {name}", name=in_sentence(name)),
        plots=[intervals(say("Kappa of validity with its 95% interval"), points, ticks=COEFFICIENTS)]
        if points
        else (),
        table=Table(say("Agreement of annotators by {name}", name=in_sentence(name)), columns, rows),
    )


def _outcome_section(reviewed: Sequence[Outcome]) -> Section:
    columns = [Column(say("Annotator"), words=True), Column("n", title=say("Annotations that a reviewer decided on"))]
    for label, _ in DECISIONS.values():
        columns += with_interval(Column("%", label))
    rows = []
    for each in reviewed:
        row = [Cell(str(each.annotator), say("Quality of work"), quality_page(each.annotator.pk)), Cell(each.decided)]
        for name, (_, work) in DECISIONS.items():
            count = getattr(each, name)
            low, high = (half_up(end * 100, 1) for end in _wilson(each, name))
            title = say("{count:,} of {decided:,}", count=count, decided=each.decided)
            row += [
                Cell(percent(count, each.decided), title, _tags(each, work)),
                Cell(say("{low:f} to {high:f}", low=low, high=high)),
            ]
        rows.append(row)
    return Section(
        say("Outcome of the reviews, by annotator"),
        table=Table(say("Outcome of the reviews by annotator"), columns, rows),
        about=say(
            "Returned counts annotations that were returned at least once, whatever their state is "
            "now. Annotations that were not chosen, or not reviewed yet, are not among them. The "
            "intervals are Wilson's."
        ),
    )


def _wilson(each: Outcome, name: str) -> tuple[float, float]:
    interval = wilson_interval(getattr(each, name), each.decided)
    return interval.low, interval.high


def _tags(each: Outcome, work: Work | None) -> str:
    return tag_list(person=each.annotator.pk, **({"work": work.value} if work else {}))


def _outcome_data(each: Outcome) -> dict[str, object]:
    shares = {
        name: {"count": getattr(each, name), "low": _wilson(each, name)[0], "high": _wilson(each, name)[1]}
        for name in DECISIONS
    }
    return {"annotator": str(each.annotator), "decided": each.decided, **shares}


COLUMNS = ("by", "group", "tags", "measure", "statistic", "n", "value", "low", "high")


def _records(by: str, group: AnnotatedTwice) -> list[dict[str, Value]]:
    """One for each measure and statistic."""
    found: list[tuple[str, str, int, Estimate | Undefined]] = []
    for name, choice in group.choices.items():
        found += [(name, each, choice.n, getattr(choice, each)) for each in ("same", "kappa", "ac1", "alpha")]
    found += [(name, "mean", overlap.n, overlap.mean) for name, overlap in group.overlaps.items()]
    return [
        _record(by, group.label, group.tags, name, of, n, *estimate_record("value", number).values())
        for name, of, n, number in found
    ]


def _outcome_records(each: Outcome) -> list[dict[str, Value]]:
    name, n = str(each.annotator), each.decided
    return [
        _record("annotator", name, n, decision, "share", n, getattr(each, decision) / n, *_wilson(each, decision))
        for decision in DECISIONS
    ]


def _record(*values: Value) -> dict[str, Value]:
    return dict(zip(COLUMNS, values, strict=True))
