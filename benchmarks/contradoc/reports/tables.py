"""Tables 2, 3 and 4 of ContraDoc, and given sentences: models' answers, and whether their quotes hit the evidence.

Rates are over readable replies; the others are counted beside them. The rates of Table 4 are those before evidence is
considered. Intervals come from resampling source documents.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Any, TypeVar

from core.languages import changed, in_sentence, joined, say
from core.words import joined_names, plural
from judging.models import Mark, PromptTemplate
from judging.protocol.tasks import task_of
from review.reports.drawing.plots import Intervals, Point, intervals
from review.reports.layout import (
    Cell,
    Column,
    Note,
    Report,
    Section,
    Table,
    Value,
    as_number,
    ends_of,
    interval_words,
    intervals_in_words,
    share_data,
    share_in_words,
    share_whisker,
    shown,
    undefined_cell,
)
from review.reports.links import ResponseFilter, response_list
from review.reports.scope import Scope
from review.statistics.estimates import Estimate, Undefined
from review.statistics.p_values import p_words
from review.statistics.rounding import half_up
from review.statistics.shares import FEW, is_too_close

from .groups import NOTHING_READ, OVERALL, K, chance_cell, chance_number, data_of, groups_of
from .metrics import (
    BINARY,
    JUDGE_THEN_FIND,
    NOT_DEFINED,
    QUOTES,
    TOP_K,
    Ratio,
    Scores,
    chance,
    differences,
    estimates_of,
)
from .pairs import compare_rows, pair_data, pair_sections
from .printed import titled
from .readings import BINARY_TASK, FIND_TASK, GIVEN_TASK, TOP_K_TASK, Row, positive_facts, rows_of

GIVEN = {name: TOP_K[name] for name in ("EHR", "EHR without long quotes")}
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
SHORT = {"average index": say("Average index"), "EHR without long quotes": say("Short quotes"), QUOTES: say("Quotes")}
MEANS = ("average index", QUOTES)
JUDGED, FOUND = attrgetter("judged"), attrgetter("found")
OF_LISTS = say("Of TP, replies whose list of evidence cannot be read or is cut off; what is missing counts as a miss")
COUNTED = ("TP", "FP", "TN", "FN")
LONG_QUOTES = say(
    "A quote hits if it or the evidence contains the other, both of at least 20 characters, whatever their case and "
    "white space, or by another matcher that is configured. “Short quotes” is EHR without quotes of more than five "
    "times the evidence’s length."
)


@dataclass(frozen=True, slots=True)
class Rated:
    """A model, or people: the counts over their replies, and the rates with their intervals."""

    name: str
    unreadable: int
    scores: Scores
    found: Mapping[str, Estimate | Undefined]


@dataclass(frozen=True, slots=True)
class RatedRow(Rated):
    """One model at one template."""

    row: Row


R = TypeVar("R", bound=Rated)
# The sentence about the best model: with its name, and its share in words.
BestIs = Callable[[str, str], str]


def table_2(scope: Scope) -> Report:
    """Binary judgment: is there a self-contradiction?"""
    return _judged(
        scope,
        BINARY_TASK,
        "binary",
        say("Binary judgment"),
        BINARY,
        first="accuracy",
        best_is=lambda model, share: say(
            "{model} is right most often, in {share} of its readable replies.", model=model, share=share
        ),
        nothing=say("No reply can be read."),
    )


def table_4(scope: Scope) -> Report:
    """Judge, then find."""
    return _judged(
        scope,
        FIND_TASK,
        "judge_then_find",
        say("Judge then find"),
        JUDGE_THEN_FIND,
        first="R-acc",
        best_is=lambda model, share: say(
            "{model} finds most: it says yes and quotes the evidence in {share} of the positive documents.",
            model=model,
            share=share,
        ),
        nothing=say("No reply on a positive document can be read."),
    )


def table_3(scope: Scope) -> Report:
    """The five likeliest sentences."""
    rated = _rated(scope, TOP_K_TASK, TOP_K, FOUND)
    rows = [each.row for each in rated]
    groups = groups_of(rows)
    by_chance = None
    if rows:
        by_chance = chance(Counter(each.sentences for each in positive_facts(scope, rows)), k=K)
    of_replies = _of_replies(scope, TOP_K_TASK, rated, TOP_K, say("five likeliest sentences"))
    tested = [each[OVERALL] for each in groups]
    found = {
        each.name: rated_data(each, TOP_K)
        | data_of(its)
        | {name: whole.as_data[name] for name in ("chance EHR", "p")}
        for each, its, whole in zip(rated, groups, tested, strict=True)
    }
    of_chance = say("The mean of min(1, 5 / sentences) over the documents of this row")
    extra = {
        Column(say("Chance"), title=of_chance): [chance_cell(whole) for whole in tested],
        Column("p", title=say("Two-sided binomial test against chance")): [_p_cell(whole.p) for whole in tested],
    }
    plot = plot_of(say("Evidence hit rate"), named(rated, "EHR", TOP_K["EHR"]))
    pairs = compare_rows("EHR", rows)
    data = {"topk": found, "chance": {"k": K, "EHR": chance_number(by_chance)}, "intervals": intervals_data(rated)}
    return Report(
        title=say("Self-contradiction in the top five"),
        lead=_lead_of_top_k(rated, by_chance),
        sections=[
            Section("", plots=[plot], table=_table(say("Top five"), scope, rated, TOP_K, extra)),
            *pair_sections("EHR", pairs),
        ],
        data=data | {"comparison": pair_data(pairs)},
        about=say(
            "EHR: hits in percent of n, a reply that quotes nothing being a miss. Average index: the mean "
            "rank of the first quote that hits. {long_quotes}",
            long_quotes=LONG_QUOTES,
        ),
        **of_replies,
    )


def given_sentence(scope: Scope) -> Report:
    """Section 5: which sentence contradicts a given one?"""
    rated = _rated(scope, GIVEN_TASK, GIVEN, FOUND)
    pairs = compare_rows("EHR", [each.row for each in rated])
    of_replies = _of_replies(scope, GIVEN_TASK, rated, GIVEN, say("given sentence"))
    said = _best_in_words(rated, "EHR", GIVEN, _finds_other_sides)
    plot = plot_of(say("Evidence hit rate"), named(rated, "EHR", GIVEN["EHR"]))
    return Report(
        title=say("The other side of a given sentence"),
        lead=[*said, *_unreadable_in_words(rated)],
        sections=[
            Section("", plots=[plot], table=_table(say("Given sentence"), scope, rated, GIVEN)),
            *pair_sections("EHR", pairs),
        ],
        data={
            "comparison": pair_data(pairs),
            "given": {each.name: rated_data(each, GIVEN) for each in rated},
            "intervals": intervals_data(rated),
        },
        about=say(
            "The evidence is given, and the ref sentences that it contradicts are sought: documents that "
            "name one besides the evidence. EHR: hits in percent of n. {long_quotes}",
            long_quotes=LONG_QUOTES,
        ),
        **of_replies,
    )


def _judged(
    scope: Scope,
    task: str,
    key: str,
    title: str,
    ratios: Mapping[str, Ratio],
    *,
    first: str,
    best_is: BestIs,
    nothing: str,
) -> Report:
    """The sentence about the highest rate of the name `first`, in the words `best_is`; `nothing` without one."""
    rated = _rated(scope, task, ratios, JUDGED)
    of_replies = _of_replies(scope, task, rated, ratios, in_sentence(title))
    of_rates = say(
        "Over readable replies: accuracy (TP + TN) / n, precision TP / (TP + FP), recall TP / (TP + FN), F1 their "
        "harmonic mean; rates in percent of n, before evidence is looked at."
    )
    evidence = say(
        "EHR: hits in percent of TP. R-acc: yes and a hit, in percent of positives. {long_quotes} “EHR "
        "at k = 2” counts hits by the first two quotes, and “Quotes” is their mean number: a reply that "
        "quotes the whole document always hits. “Lists unread”: {of_lists}.",
        long_quotes=LONG_QUOTES,
        of_lists=changed(OF_LISTS, lambda text: text[:1].lower() + text[1:]),
    )
    pairs = compare_rows(first, [each.row for each in rated])
    plot = plot_of(first, named(rated, first, ratios[first]))
    said = [*(_best_in_words(rated, first, ratios, best_is) or [nothing]), *_unreadable_in_words(rated)]
    said += _lists_in_words(rated) if QUOTES in ratios else []
    return Report(
        title=title,
        lead=said if rated else [],
        sections=[Section("", plots=[plot], table=_table(title, scope, rated, ratios)), *pair_sections(first, pairs)],
        data={
            key: {each.name: rated_data(each, ratios) for each in rated},
            "intervals": intervals_data(rated),
            "comparison": pair_data(pairs),
        },
        about=joined([of_rates, evidence]) if "EHR" in ratios else of_rates,
        **of_replies,
    )


def _rated(
    scope: Scope, task: str, ratios: Mapping[str, Ratio], scores_of: Callable[[Row], Scores]
) -> list[RatedRow]:
    rows = rows_of(scope, task)
    scores = [scores_of(row) for row in rows]
    found = zip(rows, scores, estimates_of(scores, ratios), strict=True)
    return [RatedRow(row.name, row.unreadable, its, estimates, row) for row, its, estimates in found]


def _of_replies(
    scope: Scope, task: str, rated: Sequence[RatedRow], ratios: Mapping[str, Ratio], asked: str
) -> dict[str, Any]:
    """The common part of the reports on replies to one task, which was to find what is `asked`."""
    return {
        "notes": _notes(scope, task, rated),
        "records": _records(rated, ratios),
        "empty": say(
            "No reply to this task ({asked}) has been read. Start a run on a release of ContraDoc, or import "
            "replies: Responses, Import, replies to tasks. The rates of each model then appear here.",
            asked=asked,
        ),
    }


# --- What the numbers say -------------------------------------------------------------------------------------------


def best_of(rated: Sequence[R], name: str, ratio: Ratio) -> tuple[R, Estimate] | None:
    """The row with the highest rate of this name, and the rate, among those with ten readings or more."""
    known = [
        (each, rate)
        for each in rated
        if isinstance(rate := each.found[name], Estimate) and each.scores.n_of(ratio) >= FEW
    ]
    return max(known, key=lambda pair: pair[1].value, default=None)


def _too_close_in_words(best: RatedRow, rated: Sequence[RatedRow], ratio: Ratio) -> list[str]:
    """The models that the data do not distinguish from the best one."""
    read = [each for each in rated if each is not best and each.scores.n_of(ratio) >= FEW]
    apart = differences(best.scores, [each.scores for each in read], ratio) if read else ()
    close = [each.name for each, difference in zip(read, apart, strict=True) if is_too_close(difference)]
    if not close:
        return []
    return [say("Between {best} and {others} it is too close to call.", best=best.name, others=joined_names(close))]


def _best_in_words(rated: Sequence[RatedRow], name: str, ratios: Mapping[str, Ratio], best_is: BestIs) -> list[str]:
    """The sentence about the model with the highest rate of this name, and the models not distinguished from it."""
    best = best_of(rated, name, ratios[name])
    if best is None:
        there = any(isinstance(each.found[name], Estimate) for each in rated)
        return [say("No model has {few} documents to be rated by, so none is ranked.", few=FEW)] if there else []
    model, rate = best
    said = best_is(model.name, share_in_words(rate))
    return [said, *_too_close_in_words(model, rated, ratios[name])]


def _lead_of_top_k(rated: Sequence[RatedRow], by_chance: float | None) -> list[str]:
    if not rated:
        return []
    said = _best_in_words(rated, "EHR", TOP_K, _finds_most)
    if by_chance is not None:
        by_chance_too = shown(by_chance, as_percent=True)
        said.append(say("Five sentences at random would find it in {share:f}%.", share=by_chance_too))
    return [*said, *_unreadable_in_words(rated)] or [say("No reply can be read.")]


def _finds_most(model: str, share: str) -> str:
    return say("{model} finds most: the evidence is among its five quotes in {share}.", model=model, share=share)


def _finds_other_sides(model: str, share: str) -> str:
    return say("{model} finds most: the other side, in {share}.", model=model, share=share)


def _unreadable_in_words(rated: Sequence[RatedRow]) -> list[str]:
    unreadable = [each for each in rated if each.unreadable]
    if not unreadable:
        return []
    count = sum(each.unreadable for each in unreadable)
    names = joined_names([each.name for each in unreadable])
    return [
        say(
            "{replies} of {names} cannot be read: in no rate, and never a “no”.",
            replies=plural(count, "reply", "replies"),
            names=names,
        )
    ]


def _lists_in_words(rated: Sequence[RatedRow]) -> list[str]:
    unread = [each for each in rated if each.scores.counts["unread lists"]]
    if not unread:
        return []
    lists = plural(sum(each.scores.counts["unread lists"] for each in unread), "list")
    names = joined_names([each.name for each in unread])
    return [
        say(
            "{lists} of evidence of {names} cannot be read, or not to their end: what is missing counts as a miss.",
            lists=lists,
            names=names,
        )
    ]


def _notes(scope: Scope, task: str, rated: Sequence[RatedRow]) -> list[Note]:
    # Each response has one reading that counts, if it has been read at all.
    answered = scope.responses().filter(template__in=PromptTemplate.objects.filter(task=task).values("pk"))
    unread = answered.count() - sum(len(each.row.tallies) + each.unreadable for each in rated)
    said = []
    if unread > 0:
        not_read = plural(unread, "reply has", "replies have")
        said.append(say("{replies} not been read yet: use manage.py read_responses.", replies=not_read))
    reader = task_of(task).reader
    if reader and (earlier := scope.readings(task).exclude(version=reader.version).count()):
        said.append(
            say(
                "{replies} read by an earlier version of the reader: use manage.py read_responses.",
                replies=plural(earlier, "reply was", "replies were"),
            )
        )
    notes = [Note(each) for each in said]
    if cut := scope.readings(task).filter(response__mark=Mark.CUT, problem="").count():
        were = plural(cut, "reply was", "replies were")
        of_cut = "{replies} cut at the token limit and could be read all the same: what they say counts."
        notes.append(Note(say(of_cut, replies=were)))
    return [*notes, *scope.notes()]


# --- Numbers as they are shown --------------------------------------------------------------------------------------


def ratio_cell(ratio: Ratio, scores: Scores, estimate: Estimate | Undefined) -> Cell:
    """The number as tables print it, with its denominator and its intervals in the tooltip."""
    value = scores.number(ratio)
    if value is None or isinstance(estimate, Undefined):
        return undefined_cell(_why(estimate))
    if not ratio.is_mean:
        return Cell(value, intervals_in_words(estimate), interval=interval_words(estimate.interval))
    interval = estimate.interval
    words = ""
    if not isinstance(interval, Undefined):
        words = say("{low:f} to {high:f}", low=half_up(interval.low, 2), high=half_up(interval.high, 2))
    return Cell(value, say("95% interval {words}", words=words) if words else "", interval=words)


def _p_cell(p: float | None) -> Cell:
    return undefined_cell(NOTHING_READ) if p is None else Cell(p_words(p))


def rated_data(each: Rated, ratios: Mapping[str, Ratio]) -> dict[str, Any]:
    """The numbers of a row under the names of the published figures."""
    scores, counts = each.scores, each.scores.counts
    kept = COUNTED if "TP" in counts else ()
    with_hits = {"hits": counts["hits"]} if "EHR" in ratios else {}
    found: dict[str, Any] = {"n": scores.n, "unreadable": each.unreadable, **{name: counts[name] for name in kept}}
    if QUOTES in ratios:
        with_hits |= {"unread lists": counts["unread lists"]}
    return found | with_hits | {name: as_number(scores.number(ratio)) for name, ratio in ratios.items()}


def rated_record(rated: Rated, ratios: Mapping[str, Ratio]) -> dict[str, Value]:
    """The same for CSV: with the reason where there is no number."""
    record = rated_data(rated, ratios)
    return record | {name: _why(rated.found[name]) for name in ratios if record[name] is None}


def _why(estimate: Estimate | Undefined) -> Undefined:
    return estimate if isinstance(estimate, Undefined) else NOT_DEFINED


def intervals_data(rated: Sequence[Rated]) -> dict[str, Any]:
    return {
        each.name: {
            name: _mean_ends(rate) if name in MEANS else share_data(rate)["interval"]
            for name, rate in each.found.items()
        }
        for each in rated
    }


def _mean_ends(mean: Estimate | Undefined) -> dict[str, float] | Undefined:
    """The interval of a mean rank, in ranks, or why there is none."""
    interval = mean.interval
    if isinstance(interval, Undefined):
        return interval
    return {"low": float(half_up(interval.low, 2)), "high": float(half_up(interval.high, 2))}


def _table(
    caption: str,
    scope: Scope,
    rated: Sequence[RatedRow],
    ratios: Mapping[str, Ratio],
    extra: Mapping[Column, Sequence[Cell]] = MappingProxyType({}),
) -> Table:
    """The table; `extra` are additional columns, each with a cell for each row."""
    columns = [
        Column(say("Prompt"), words=True),
        Column(say("Model"), words=True),
        Column("n", title=say("Readable replies")),
        Column(say("Unreadable"), title=say("Replies in no rate")),
        *([Column(say("Lists unread"), title=OF_LISTS)] if QUOTES in ratios else []),
        *([Column(say("Hits"))] if "EHR" in ratios else []),
        *(Column(titled(SHORT.get(name, name)), title=name) for name in ratios),
        *extra,
    ]
    lines = []
    for number, each in enumerate(rated):
        row, score = each.row, each.scores
        href = response_list(ResponseFilter(scope=scope, template=row.template.pk, model=row.model.pk))
        line = [Cell(row.template.label, row.template.name), Cell(row.model.name), Cell(score.n, href=href)]
        line.append(Cell(row.unreadable))
        line += [Cell(score.counts["unread lists"])] if QUOTES in ratios else []
        line += [Cell(score.counts["hits"])] if "EHR" in ratios else []
        line += [ratio_cell(ratio, score, each.found[name]) for name, ratio in ratios.items()]
        lines.append([*line, *(cells[number] for cells in extra.values())])
    return Table(caption, columns, lines)


def named(rated: Sequence[Rated], name: str, ratio: Ratio) -> list[tuple[str, Estimate | Undefined, int]]:
    """Each row's name, its rate of this name, and the number of readings."""
    return [(each.name, each.found[name], each.scores.n_of(ratio)) for each in rated]


def plot_of(name: str, found: Sequence[tuple[str, Estimate | Undefined, int]]) -> Intervals:
    """The plot of a share of each row, with its interval; for fewer than ten readings only the number."""
    lines: list[tuple[str, str, Sequence[Point], str]] = []
    for row, estimate, n in found:
        if n < FEW:
            aside = _aside(estimate)
            lines.append(("", row, [], say("{value} of {n}, too few", value=aside, n=n) if n else aside))
            continue
        point = share_whisker(estimate, f"{row}: {name}")
        if point is None and isinstance(estimate, Estimate):
            point = Point(
                estimate.value,
                title=say(
                    "{row}: {name} {value:f}%", row=row, name=name, value=shown(estimate.value, as_percent=True)
                ),
            )
        lines.append(("", row, [point] if point else [], _aside(estimate)))
    return intervals(titled(name), lines, ticks=TICKS, as_percent=True)


def _aside(estimate: Estimate | Undefined) -> str:
    return (
        say("not defined")
        if isinstance(estimate, Undefined)
        else say("{share:f}%", share=shown(estimate.value, as_percent=True))
    )


def _records(rated: Sequence[RatedRow], ratios: Mapping[str, Ratio]) -> list[dict[str, Value]]:
    return [
        {"template": each.row.template.label, "model": each.row.model.name, **rated_record(each, ratios)}
        | {
            f"{name} {end}": value
            for name, rate in each.found.items()
            if name not in MEANS
            for end, value in ends_of(rate.interval).items()
        }
        for each in rated
    ]
