"""Agreement of annotators on tags that two or more annotated: their first submissions, compared in numbers."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from annotation import taxonomy
from annotation.content.checks import is_yes_no
from annotation.content.fields import Content, questions_of
from annotation.content.marking import normalised
from annotation.models import Validity
from annotation.reviewing.first_submissions import FirstSubmitted
from core.languages import say

from ...statistics.agreement.overlap import Passages, mean_of, passages_f1, same_passages
from ...statistics.agreement.sets import alpha_of_values, masi_distance, same_or_not
from ...statistics.estimates import Estimate, Undefined
from ..agreement.two_people import agreement_of_people, two_by_two

NO_KAPPA_OF_SETS = Undefined(say("kappa and AC1 are for single choices, and here several can be right"))
NO_AC1_OF_ORDER = Undefined(say("AC1 takes all differences as equal, and these have an order"))
ONE_OF_TWO_VALID = Undefined(say("no two annotators called the same tag valid"))
STARS = ("1", "2", "3", "4", "5")
SEMANTIC = taxonomy.SEMANTIC_TYPE


@dataclass(frozen=True, slots=True)
class Choice:
    """The agreement of annotators on a choice. `n` counts pairs of annotations with a choice in both, `tags` their
    tags; `kappa` is weighted for confidence, and `alpha` has the distance MASI for the semantic type.
    """

    name: str
    n: int
    tags: int
    same: Estimate | Undefined
    kappa: Estimate | Undefined
    ac1: Estimate | Undefined
    alpha: Estimate | Undefined


@dataclass(frozen=True, slots=True)
class Overlap:
    """The mean of a measure between 0 and 1 over `n` pairs of annotations that both call the tag valid."""

    name: str
    n: int
    mean: Estimate | Undefined


@dataclass(frozen=True, slots=True)
class AnnotatedTwice:
    """Tags with two or more annotations, or those of one pair of annotators or one month."""

    label: str
    tags: int
    choices: dict[str, Choice]
    overlaps: dict[str, Overlap]


# The annotations of one tag that were first submitted.
Tag = Sequence[FirstSubmitted]


# The overlap of two annotations (by primary key): computed once for all groups that they are in.
Known = dict[tuple[int, int], list[float]]


def measured(label: str, tags: Sequence[Tag], known: Known) -> AnnotatedTwice:
    """All measures over these tags; each tag is drawn as a whole for the intervals. `known` results are not computed
    again, and new ones are added.
    """
    return AnnotatedTwice(label, len(tags), agreement_on_choices(tags), _overlaps(_called_valid(tags), known))


def agreement_on_choices(tags: Sequence[Tag]) -> dict[str, Choice]:
    """The agreement on each choice, by its code."""
    valid = _called_valid(tags)
    return {
        "validity": _choice(say("Validity"), tags, lambda content: content["wikitag_label_valid"], list(Validity)),
        SEMANTIC.code: _sets(SEMANTIC.name, valid),
        **{
            dimension.code: _choice(
                dimension.name, valid, _only(dimension.key), [option.code for option in dimension.options]
            )
            for dimension in taxonomy.DIMENSIONS
            if not dimension.multiple
        },
        "confidence": _choice(say("Confidence"), tags, lambda content: content["confidence"], STARS, weighted=True),
    }


def _called_valid(tags: Sequence[Tag]) -> list[Tag]:
    """The annotations that call the tag valid, of tags with two or more such."""
    valid = [[each for each in tag if _is_valid(each.content)] for tag in tags]
    return [tag for tag in valid if len(tag) > 1]


def by_pair(tags: Sequence[Tag]) -> dict[tuple[int, int], list[Tag]]:
    """The tags of each two annotators (by primary key), those with the most first."""
    found: dict[tuple[int, int], list[Tag]] = defaultdict(list)
    for tag in tags:
        for one, other in combinations(tag, 2):
            found[one.annotator, other.annotator].append((one, other))
    return dict(sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0])))


def by_month(tags: Sequence[Tag]) -> dict[str, list[Tag]]:
    """The tags by the month in which the last first submission came in, newest first."""
    found: dict[str, list[Tag]] = defaultdict(list)
    for tag in tags:
        found[f"{max(each.submitted_at for each in tag):%Y-%m}"].append(tag)
    return dict(sorted(found.items(), reverse=True))


def _is_valid(content: Content) -> bool:
    return content["wikitag_label_valid"] == Validity.VALID


def _only(key: str) -> Callable[[Content], str]:
    """The choice of a dimension, or nothing if an imported annotation has none or several."""
    return lambda content: content[key][0] if len(content[key]) == 1 else ""


def _chosen(tags: Iterable[Tag], choice: Callable[[Content], Hashable]) -> Iterator[list[Any]]:
    """The choices for each tag, of annotators who chose anything."""
    for tag in tags:
        yield [value for each in tag if (value := choice(each.content))]


def _pairs(units: Iterable[Sequence[Any]]) -> tuple[list[tuple[Any, Any]], list[int]]:
    """The pairs of values within each unit, and the unit of each."""
    found = [(two, number) for number, unit in enumerate(units) for two in combinations(unit, 2)]
    return [two for two, _ in found], [number for _, number in found]


def _choice(
    name: str,
    tags: Sequence[Tag],
    choice: Callable[[Content], Hashable],
    options: Sequence[str],
    *,
    weighted: bool = False,
) -> Choice:
    given = [[(each.annotator, value) for each in tag if (value := choice(each.content))] for tag in tags]
    given = [unit for unit in given if len(unit) > 1]
    units = [[value for _, value in unit] for unit in given]
    pairs = [pair for number, unit in enumerate(given) for pair in two_by_two(number, unit)]
    found = agreement_of_people(pairs, options)
    return Choice(
        name=name,
        n=len(pairs),
        tags=len(units),
        same=found.raw,
        kappa=found.weighted_kappa if weighted else found.kappa,
        ac1=NO_AC1_OF_ORDER if weighted else found.ac1,
        alpha=alpha_of_values(units, _stars_apart if weighted else same_or_not),
    )


def _stars_apart(one: str, other: str) -> float:
    """The distance of an interval scale: Krippendorff 2011, (c - k)²."""
    return float((int(one) - int(other)) ** 2)


def _sets(name: str, tags: Sequence[Tag]) -> Choice:
    units = [unit for unit in _chosen(tags, lambda content: frozenset(content[SEMANTIC.key])) if len(unit) > 1]
    pairs, clusters = _pairs(units)
    same = mean_of([one == other for one, other in pairs], clusters)
    return Choice(
        name, len(pairs), len(units), same, NO_KAPPA_OF_SETS, NO_KAPPA_OF_SETS, alpha_of_values(units, masi_distance)
    )


def _overlaps(tags: Sequence[Tag], known: Known) -> dict[str, Overlap]:
    pairs, clusters = _pairs(tags)
    values = [_in_common(*two, known) for two in pairs]
    return {
        code: Overlap(name, len(pairs), mean_of([each[number] for each in values], clusters))
        if pairs
        else Overlap(name, 0, ONE_OF_TWO_VALID)
        for number, (code, (name, _)) in enumerate(IN_COMMON.items())
    }


def _in_common(one: FirstSubmitted, other: FirstSubmitted, known: Known) -> list[float]:
    key = one.annotation, other.annotation
    if key not in known:
        known[key] = [float(measure(one.content, other.content)) for _, measure in IN_COMMON.values()]
    return known[key]


def _passages(content: Content) -> Passages:
    """The passages as found, regardless of case, blanks, quotes and dashes."""
    return normalised(content["paragraphA_information"]), normalised(content["paragraphB_information"])


def _kinds(content: Content) -> tuple[int, int]:
    """The numbers of yes/no questions and of others."""
    yes_no = sum(is_yes_no(question) for question, *_ in questions_of(content))
    return yes_no, len(questions_of(content)) - yes_no


IN_COMMON: dict[str, tuple[str, Callable[[Content, Content], float]]] = {
    "passages_f1": (
        say("Passages: words in common (F1)"),
        lambda one, other: passages_f1(_passages(one), _passages(other)),
    ),
    "passages_same": (
        say("Passages: both the same"),
        lambda one, other: same_passages(_passages(one), _passages(other)),
    ),
    "question_count": (
        say("Questions: as many"),
        lambda one, other: len(questions_of(one)) == len(questions_of(other)),
    ),
    "question_kinds": (say("Questions: as many of each kind"), lambda one, other: _kinds(one) == _kinds(other)),
}
