"""The sections of a datasheet about the making of a release of candidates."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.models import Release
from annotation.releases.datasheets.datasheet import Section, Table
from annotation.releases.datasheets.sources import NOT_GIVEN
from core.words import plural
from review.models import AdjudicationCause, Round

from ..files import contents_of
from ..questionnaires.verification import OUTCOMES
from .made_facts import Facts, facts_of

NO_ROUNDS = "The rounds that it was made from are no longer here, so it is not known how its documents were made."
COUNTED_NOW = (
    "This release was made before such numbers were kept. They are counted from today's rows and can differ "
    "from those when it was made."
)
CHECK_OUTCOMES = {"passed": "Passed", "failed": "Failed", "not_checked": "Not checked", "waiting": "Waiting"}
CANDIDATES = {
    "failed": "Rejected by a check",
    "left_out": "Not chosen: another gap for the sentence was better",
    "made": "Still to be checked",
    "chosen": "Chosen for verification, not decided",
    "verified": "Kept by people",
    "rejected": "Rejected by people",
    "negative": "Found by people not to contradict themselves",
}


def making(release: Release) -> Iterator[Section]:
    """The making of a release; nothing for an imported one."""
    if "rounds" not in release.how_made:
        return
    facts = release.how_made.get("making")
    if facts is None:
        rounds = list(Round.objects.filter(name__in=release.how_made["rounds"]))
        if not rounds:
            yield Section("How it was made", [NO_ROUNDS])
            return
        yield Section("How it was made", [COUNTED_NOW])
        facts = facts_of(
            rounds,
            [dict(content) for content in contents_of(release)],
            with_clean=release.how_made.get("with_clean", False),
        )
    yield from sections_of(facts)


def sections_of(facts: Facts) -> Iterator[Section]:
    yield _texts(facts)
    yield _generation(facts["generation"])
    yield from _prompts(facts["generation"])
    yield _checks(facts["checks"])
    yield _verification(facts["verification"])
    yield _rejected(facts)
    yield _licence(facts["documents"])
    yield _maintenance()
    yield _defects(facts)


def _count(number: int) -> str:
    return f"{number:,}"


def _share(count: int, of: int) -> str:
    return f"{count:,} of {of:,} ({100 * count / of:.1f} %)" if of else f"{count:,}"


def _texts(facts: Facts) -> Section:
    composition, documents = facts["composition"], facts["documents"]
    rows = [
        ("Documents with a contradiction, verified", _count(composition["positive"])),
        ("Edited documents that do not contradict themselves", _count(composition["edited_negative"])),
        ("Clean documents as negatives", _count(composition["clean_negative"])),
        ("Clean documents to start from", _count(documents["all"])),
    ]
    return Section(
        "How it was made",
        [
            "A language model was given clean documents and asked for statements with their contradictions. A "
            "contradiction was put into the document, as another sentence or in place of one. Checks by models left "
            "out unlikely candidates; people verified the others, and an expert decided where they did not agree."
        ],
        [Table(("What", "Count"), rows)],
    )


def _generation(made: list[Facts]) -> Section:
    header = ("Method and model", "Replies", "Unreadable", "Statements", "Refused", "Candidates", "Verified")
    names = ("replies", "unreadable", "statements", "refused", "candidates", "verified")
    rows = [(f"{each['name']}, {each['model']}", *(_count(each[name]) for name in names)) for each in made]
    settings = [
        (f"{each['name']}, {each['model']}", f"{each['endpoint_name'] or NOT_GIVEN}; {_decoding(each['decoding'])}")
        for each in made
    ]
    return Section(
        "Generation",
        [
            "Statements are refused if the model did not give all parts, or if its original sentence is not in the "
            "document."
        ],
        [Table(header, rows), Table(("Name at the endpoint and decoding", ""), settings)],
    )


def _decoding(decoding: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in decoding.items()) or "decoding not given"


def _prompts(made: list[Facts]) -> Iterator[Section]:
    prompts = {each["method"]: each for each in made}
    for each in prompts.values():
        about = f"Method {each['method']}. SHA-256 of the prompt: {each['prompt_sha256']}. The document follows it."
        text = each["prompt"] or "The prompt of this method is no longer here."
        yield Section(f"Prompt: {each['name']}", [about if each["prompt"] else "", text])


def _checks(checks: list[Facts]) -> Section:
    header = ("Check", "Threshold", *CHECK_OUTCOMES.values(), "Without the check")
    rows = [
        (
            each["name"],
            "; ".join(f"{operation}: {value:g}" for operation, value in each["thresholds"]) or "none applied",
            *(_count(each["outcomes"][outcome]) for outcome in CHECK_OUTCOMES),
            _count(each["without"]),
        )
        for each in checks
    ]
    lines = [line for each in checks for line in _check_lines(each)]
    return Section(
        "Checks",
        ["A candidate that was not checked is neither passed nor failed: it went on to people.", *lines],
        [Table(header, rows)],
    )


def _check_lines(check: Facts) -> Iterator[str]:
    by = "; ".join(check["components"]) or "nothing"
    extents = f" Looked at: {'; '.join(check['extents'])}." if check["extents"] else ""
    yield f"{check['name']}: measured by {by}.{extents}"
    for reason, count in check["reasons"].items():
        yield f"{check['name']}: {plural(count, 'candidate')} not checked. {reason}"


def _verification(found: Facts) -> Section:
    expert, decided = found["expert"], sum(found["outcomes"].values())
    causes = ((AdjudicationCause(code).label, count) for code, count in expert["causes"].items() if count)
    rows = [
        ("Verification rounds", _count(found["rounds"])),
        ("Verifiers", _count(found["verifiers"])),
        ("People per candidate", ", ".join(map(str, found["each"]))),
        ("Judgments", _count(found["judgments"])),
        ("Decided by the expert", _share(expert["all"], decided)),
        *((f"Reason for the expert: {label}", _count(count)) for label, count in causes),
        *((f"Expert: {OUTCOMES[name]}", _count(count)) for name, count in expert["outcomes"].items()),
    ]
    agreement = [
        (each["question"], _count(each["n"]), _number(each["raw"], percent=True), _number(each["kappa"]))
        for each in found["agreement"]
    ]
    return Section(
        "Verification by people",
        ["People did not see each other's answers. Agreement is that of the answers before any were merged."],
        [Table(("What", "Count"), rows), Table(("Question", "Pairs", "Same answer", "Cohen's kappa"), agreement)],
    )


def _number(number: Facts, *, percent: bool = False) -> str:
    if number["value"] is None:
        return f"not defined: {number['reason']}"
    return f"{100 * number['value']:.1f} %" if percent else f"{number['value']:.2f}"


def _rejected(facts: Facts) -> Section:
    total = sum(facts["candidates"].values())
    rows = [
        ("Replies that could not be read", _count(sum(each["unreadable"] for each in facts["generation"]))),
        ("Statements that were refused", _count(sum(each["refused"] for each in facts["generation"]))),
        *(
            (label, _share(facts["candidates"][state], total))
            for state, label in CANDIDATES.items()
            if state in facts["candidates"]
        ),
    ]
    return Section("What was left out", ["Candidates of the same runs, by their state."], [Table(("", ""), rows)])


def _licence(documents: Facts) -> Section:
    rows: list[tuple[str, str]] = []
    for source in documents["files"]:
        rows += [
            ("File of clean documents", f"{source['file'] or NOT_GIVEN}, {plural(source['records'], 'document')}"),
            ("SHA-256 of the file", source["sha256"]),
            ("Revision", source["revision"] or NOT_GIVEN),
            ("Licence of the texts", source.get("licence") or NOT_GIVEN),
        ]
    if documents["not_recorded"]:
        rows.append(("Clean documents whose file was not recorded", _count(documents["not_recorded"])))
    unknown = documents["not_recorded"] or any(not each.get("licence") for each in documents["files"])
    says = ["The licence of some texts is not known here. Find out before you publish them."] if unknown else []
    return Section("Source and licence of the texts", says, [Table(("", ""), rows)])


def _maintenance() -> Section:
    return Section(
        "Maintenance",
        [
            "A release never changes. A correction is a new release with a number and a content hash of its own, and "
            "the page of a release lists what changed since the one before. Tell those who publish it about errors."
        ],
    )


def _defects(facts: Facts) -> Section:
    defects, positive = facts["defects"], facts["composition"]["positive"]
    rows = [
        ("Contradictions without all checks passed", _share(defects["not_all_checks_passed"], positive)),
        ("Contradictions kept by the expert alone", _share(defects["kept_by_the_expert"], positive)),
        ("Documents whose evidence is not in their text", _count(defects["evidence_not_in_text"])),
        ("Documents with a ref sentence that is not in their text", _count(defects["refs_not_in_text"])),
        ("Documents beyond the first of their source", _count(defects["same_source"])),
    ]
    return Section(
        "Known defects",
        [
            "Contradictions were written by a model, not found: their style may give them away, and the model that "
            "wrote them may find its own more easily. Only what people verified is known to contradict itself; a "
            "clean document was not read for contradictions of its own."
        ],
        [Table(("What", "Count"), rows)],
    )
