"""The agreement report: overall, and by template, model, pair of reviewers and reasoning type."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from django.db.models import Count

from core.languages import in_sentence, joined, say, say_count
from judging.protocol.verdicts import Verdict

from ...models import Judgment, KnownUse, KnownVerdict
from ...statistics.agreement.alpha import krippendorff_alpha
from ...statistics.estimates import Estimate, Interval, Undefined
from ...statistics.rounding import half_up
from ..clusters import ORDER, K
from ..drawing.plots import COEFFICIENTS, LETTERS, Plot, Point, coefficient_points, intervals
from ..kinds import FEW
from ..layout import Note, Report, Section, Value, ends_in_record, estimate_record, shown
from ..links import ResponseFilter, response_list
from ..scope import Scope
from .double_judged import BREAKDOWNS, Breakdown, DoubleJudged, break_down
from .many_judged import pairs_of_many
from .tables import agreement_table, indices_table, matrix_data, matrix_section, pooled_table, table_of_both

# Shares of agreement by chance that differ by less do not set two coefficients apart.
ALIKE = 0.01


def agreement_report(scope: Scope, by: str = "", page: int | None = None) -> Report:
    """The report, broken down by one dimension or, without `by`, by each of them."""
    breakdowns = [break_down(scope, each, page=page) for each in ([by] if by else BREAKDOWNS)]
    overall = breakdowns[0].overall
    checked = {} if scope.public else _check_items(scope)
    notes = [
        *_notes(scope, overall),
        *_note_on_more_than_two(scope),
        *_note_on_check_items(checked),
        *scope.notes(),
    ]
    return Report(
        title=say("Agreement between reviewers"),
        lead=_sentences(breakdowns) if overall.agreement.n else (),
        sections=[_overall(scope, overall), *(part for each in breakdowns for part in _sections(scope, each))],
        data={
            "overall": overall.as_data(),
            **{f"by_{each.by}": [group.as_data() for group in each.groups] for each in breakdowns},
            **_matrix_data(breakdowns),
            "check_items": checked,
        },
        records=[record for each in breakdowns for record in _records(each)],
        notes=notes,
        about=say(
            "Agreement before adjudication, of responses that two people judged independently. A "
            "stratum is one prompt, one model and, where they judged enough together, one pair of "
            "people; each coefficient within strata is their mean, weighted by n. The 95% interval "
            "comes from resampling, as responses to one tag are related; the analytic one takes "
            "responses as independent. Weighted kappa counts correct and incorrect as twice as far "
            "apart as either from partially correct. Groups of fewer than {few} responses are in no "
            "ranking, and in no plot without an interval.",
            few=FEW,
        ),
        empty=say(
            "No response was judged by two people yet. Once both judgments of a response can no longer "
            "be taken back, it counts here."
        ),
        breakdowns=[(value, say("By {label}", label=in_sentence(label))) for value, label in BREAKDOWNS.items()],
        pages=max(each.pages for each in breakdowns),
    )


def _sentences(breakdowns: Sequence[Breakdown]) -> list[str]:
    overall = breakdowns[0].overall
    whole = overall.agreement
    sentences: list[str] = []
    if isinstance(whole.raw, Estimate):
        sentences.append(
            say_count(
                whole.n,
                "Two people gave the same verdict to {percent:f}% of {count:,} response that was judged twice; "
                "{kappa}.",
                "Two people gave the same verdict to {percent:f}% of {count:,} responses that were judged twice; "
                "{kappa}.",
                percent=half_up(whole.raw.value * 100, 1),
                kappa=_kappa_in_words(overall),
            )
        )
    known = [group for group in breakdowns[0].groups if group.stratified.kappa and not group.is_small]
    known.sort(key=_value)
    if known and half_up(_value(known[0]), 2) != half_up(_value(known[-1]), 2):
        low, high = (
            say(
                "{group} (kappa {kappa:f}, n {n:,})",
                group=_name(breakdowns[0].by, group),
                kappa=half_up(_value(group), 2),
                n=group.agreement.n,
            )
            for group in (known[0], known[-1])
        )
        sentences.append(say("It is lowest for {low} and highest for {high}.", low=low, high=high))
    return sentences


def _name(by: str, group: DoubleJudged) -> str:
    """The group's name as used within a sentence."""
    match by:
        case "template":
            return in_sentence(group.label)
        case "reasoning":
            return say("{label} conflicts", label=in_sentence(group.label))
    return group.label


def _value(group: DoubleJudged) -> float:
    kappa = group.stratified.kappa
    return kappa.value if isinstance(kappa, Estimate) else 0.0


def _kappa_in_words(overall: DoubleJudged) -> str:
    within, pooled = overall.stratified.kappa, overall.agreement.kappa
    if isinstance(within, Undefined):
        reason = pooled.reason if isinstance(pooled, Undefined) else within.reason
        return say("kappa is not defined: {reason}", reason=reason)
    parts = [say("kappa is {value:f}", value=half_up(within.value, 2))]
    if isinstance(within.interval, Interval):
        parts.append(say("(95% interval {interval})", interval=str(within.interval)))
    if overall.stratified.strata > 1 and isinstance(pooled, Estimate):
        parts.append(
            say(
                "within {strata} strata, and {value:f} in one table of all",
                strata=overall.stratified.strata,
                value=half_up(pooled.value, 2),
            )
        )
    return joined(parts)


def _why_they_differ(overall: DoubleJudged) -> str:
    """The agreement that each of the two coefficients expects by chance, which alone distinguishes them, apart from
    the weights.
    """
    within, pooled = overall.stratified.chance, overall.agreement.chance
    if overall.stratified.strata < 2 or isinstance(within, Undefined) or isinstance(pooled, Undefined):
        return say("There is one stratum, so that both are the same.")
    amounts = say(
        "One table of all expects {pooled:f}% of the verdicts to be the same by chance, the strata "
        "{within:f}% on average",
        pooled=shown(pooled, as_percent=True),
        within=shown(within, as_percent=True),
    )
    if abs(within - pooled) < ALIKE:
        return say("{amounts}, so that the two hardly differ.", amounts=amounts)
    if within < pooled:
        return say(
            "{amounts}: within strata, the two people differ more in how often they give each verdict.",
            amounts=amounts,
        )
    return say(
        "{amounts}. Strata differ in how often each verdict is given, so two people agree across "
        "them by knowing the prompt or the model alone; one table takes that for agreement beyond "
        "chance.",
        amounts=amounts,
    )


def _notes(scope: Scope, overall: DoubleJudged) -> list[Note]:
    if not overall.cannot_judge:
        return []
    text = say_count(
        overall.cannot_judge,
        "{count:,} pair is left out of every coefficient, as a reviewer could not judge.",
        "{count:,} pairs are left out of every coefficient, as a reviewer could not judge.",
    )
    href = response_list(ResponseFilter(scope=scope, first="cannot_judge"))
    return [Note(text, href)]


def _note_on_more_than_two(scope: Scope) -> list[Note]:
    if not pairs_of_many(scope).exists():
        return []
    return [
        Note(
            say(
                "A response that three or more people judged counts once for every two of them, also in n. "
                "“Consensus of three and more” has the coefficients for all of them together."
            )
        )
    ]


def _overall(scope: Scope, overall: DoubleJudged) -> Section:
    return Section(
        say("All responses"),
        plots=[table_of_both(scope, "", overall)],
        table=agreement_table(scope, "", say("All"), [overall]),
    )


def _sections(scope: Scope, each: Breakdown) -> list[Section]:
    name = BREAKDOWNS[each.by]
    plotted = [(group, _points(group)) for group in each.groups]
    plots: list[Plot] = [
        intervals(
            say("Kappa within strata with its 95% interval"),
            [("", group.label, points, say("n {n:,}", n=group.agreement.n)) for group, points in plotted if points],
            ticks=COEFFICIENTS,
            legend=[("circle", say("Cohen's kappa")), ("diamond", "AC1")],
        )
    ]
    return [
        Section(
            say("By {name}", name=in_sentence(name)),
            plots=plots,
            table=agreement_table(scope, each.by, name, each.groups),
        ),
        *([matrix_section(scope, each.matrix)] if each.matrix else []),
        Section(
            say("All strata in one table, by {name}", name=in_sentence(name)),
            table=pooled_table(scope, each, name),
            about=_why_they_differ(each.overall),
        ),
        Section(
            say("Verdicts of the two, by {name}", name=in_sentence(name)),
            plots=[table_of_both(scope, each.by, group) for group in each.groups],
            table=indices_table(scope, each.by, name, each.groups),
            about=say(
                "Prevalence says how much one verdict outweighs the others, bias how far the two differ in "
                "how often they give it; away from 0, prevalence pulls kappa down and bias pulls it up."
            ),
        ),
    ]


def _points(group: DoubleJudged) -> list[Point]:
    number = group.stratified
    return coefficient_points(group.label, group.agreement.n, number.kappa, number.ac1, is_small=group.is_small)


def _matrix_data(breakdowns: Sequence[Breakdown]) -> dict[str, object]:
    matrices = [matrix_data(each.matrix) for each in breakdowns if each.matrix]
    return {"reviewer_matrix": matrices[0]} if matrices else {}


def _records(each: Breakdown) -> list[dict[str, Value]]:
    records = []
    for group, by in [(each.overall, "all"), *((group, each.by) for group in each.groups)]:
        record: dict[str, Value] = {"by": by, "group": group.label, "n": group.agreement.n}
        record |= {"cannot_judge": group.cannot_judge, "strata": group.stratified.strata}
        for name, number in (
            ("raw", group.agreement.raw),
            ("kappa", group.agreement.kappa),
            ("weighted_kappa", group.agreement.weighted_kappa),
            ("ac1", group.agreement.ac1),
            ("alpha", group.agreement.alpha),
            ("stratified_kappa", group.stratified.kappa),
            ("stratified_weighted_kappa", group.stratified.weighted_kappa),
            ("stratified_ac1", group.stratified.ac1),
            ("stratified_alpha", group.stratified.alpha),
        ):
            record |= estimate_record(name, number) | ends_in_record(f"{name}_analytic", number.analytic)
        counts = {
            (one, other): count
            for one, row in zip(group.verdicts, group.agreement.table, strict=True)
            for other, count in zip(group.verdicts, row, strict=True)
        }
        record |= {
            f"{LETTERS[one]}{LETTERS[other]}": counts.get((one, other), 0) for one in Verdict for other in Verdict
        }
        records.append(record)
    return records


def _check_items(scope: Scope) -> dict[str, object]:
    """Hidden check items, which all reviewers of a round judge. Their number differs, so only alpha applies."""
    known = KnownVerdict.objects.filter(use=KnownUse.CHECK)
    given = Judgment.objects.fixed().filter(number=None, item__known__in=known).exclude(verdict="").order_by()
    if scope.round:
        given = given.filter(round=scope.round)
    if scope.hidden:
        given = given.exclude(round__in=scope.hidden)
    if scope.mixes:
        given = given.filter(item__instance__benchmark=scope.benchmark)
    if scope.run:
        given = given.filter(item__response__run=scope.run)
    units: dict[tuple[int, int], list[int]] = {}
    rows = given.values_list("item", "item__instance", "verdict").annotate(count=Count("pk"))
    for item, instance, verdict, count in rows if known.exists() else []:
        units.setdefault((item, instance), [0] * K)[ORDER[verdict]] += count
    clusters = scope.units.unit(np.array([instance for _, instance in units], dtype=int)) if units else None
    alpha = krippendorff_alpha(list(units.values()), clusters=clusters)
    return {"items": len(units), "judgments": sum(map(sum, units.values())), "alpha": asdict(alpha)}


def _note_on_check_items(found: dict[str, Any]) -> list[Note]:
    if not found.get("items"):
        return []
    words = say_count(found["items"], "{count:,} hidden check item", "{count:,} hidden check items")
    value = found["alpha"]["value"]
    alpha = (
        say("Krippendorff's alpha is {value:f}", value=half_up(value, 2))
        if value is not None
        else say("alpha is not defined")
    )
    return [
        Note(
            say(
                "{words} with {judgments:,} judgments by everybody: {alpha}. They are in no number above.",
                words=words,
                judgments=found["judgments"],
                alpha=alpha,
            )
        )
    ]
