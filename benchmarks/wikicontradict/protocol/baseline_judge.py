"""A baseline that judges and needs no model. With it and the answerers of benchmarks the whole path runs offline, and
their figures are the floor that a model has to beat.

It looks for the gold answers in the response (`matching`) and for a few words that name a conflict or prefer
one answer. It follows WikiContradictEval: all answers, presented as a conflict or as alternatives, are correct; all
with one preferred, or only one, partially correct; none, or all merely joined as if both were true, incorrect.
"""

import re
from collections.abc import Collection, Sequence

from judging.protocol.thoughts import shown_response
from judging.protocol.verdicts import ParsedVerdict, Verdict

from . import matching
from .judge import without_parts

# The endpoint name of the baseline that judges.
GOLD_ANSWERS = "gold answers"
BASELINE_JUDGE = f"Baseline judge: {GOLD_ANSWERS}"

CONFLICT = re.compile(
    r"conflict|contradict|discrepan|inconsisten|disagree|disput|ambigu|unclear|uncertain|depend(?:s|ing) on|"
    r"\b(?:an)?other (?:source|account|statement|passage|part|place|version)|\bone (?:source|account|statement)|"
    r"\bone passage|\bsome (?:sources|accounts)|\bhowever\b|\bwhile\b|\bwhereas\b|\bon the other hand\b|\beither\b|"
    r"\balternatively\b|\balso (?:said|stated|mentioned|reported|claimed|suggested|given|known)\b|"
    r"\bor\b(?! more| less)|\bbut\b"
)
PREFERENCE = re.compile(
    r"\bin fact\b|\bactually\b|\b(?:most|more|very) likely\b|\blikely (?:a|an|to be)\b|\bprobably\b|\bdespite\b|"
    r"\b(?:is|was|are|seems?|appears?) (?:an? )?(?:incorrect|wrong|error|mistake|typo|erroneous|inaccurate)|"
    r"typographical|\bmore (?:accurate|reliable|recent|precise)\b|"
    r"\b(?:correct|true|right) (?:answer|one|date|number|value)|"
    r"^(?:al)?though\b|[.;] (?:al)?though\b|\beven though\b"
)
CONCLUSION = re.compile(
    r"\b(?:therefore|thus|hence|in conclusion|so the answer|the (?:final )?answer (?:is|would be))\b"
)
NOT_KNOWN = re.compile(
    r"\b(?:do not|don't|does not|doesn't|cannot|can't|could not|couldn't|unable to)\b[^.]{0,30}"
    r"\b(?:know|have (?:any |enough |specific )?(?:information|knowledge)|find|determine|provide|specify|say|mention)"
    r"\b|\b(?:no|not enough|insufficient) information\b|\bnot (?:aware|familiar|sure)\b"
)
CONFLICT_NAMED = re.compile(r"conflicting|contradict|discrepan|inconsisten|disagree|disput|ambigu")
# Names of a conflict, also as adjectives and verbs.
NAMED = r"(?:conflict\w*|contradict\w*|discrepan\w*|inconsisten\w*|disagree\w*|incompatible)"
CONFLICT_SAID = re.compile(rf"\b{NAMED}|\b(?:not|n't|never) (?:\w+ ){{0,2}}(?:consistent|agree|compatible)\b")
# "No conflict", "do not contradict each other", "without any real discrepancy", "they agree".
NO_CONFLICT = re.compile(
    rf"(?:\b(?:no|not|never|without|cannot|neither|nor|free (?:of|from))\b|n't\b)"
    rf"(?: (?!but\b|and\b|however\b)[\w'-]+){{0,5}} {NAMED}"
    r"|(?<!not )(?<!n't )\b(?:is|are|both|they|passages?|statements?|sources?) (?:fully |entirely |all )?"
    r"(?:consistent|agree|compatible|in agreement)\b"
)
UNDECIDED = re.compile(
    r"\b(?:not|n't) (?:sure|certain|clear)|\b(?:unsure|uncertain|unclear)\b|\b(?:whether|if) (?:there|they|it|the)\b"
    r"|\b(?:may|might|could|maybe|perhaps|possibly)\b"
    r"|\b(?:cannot|can't|could not|couldn't|unable to|do not|don't) (?:know|tell|say|determine|decide)\b"
)
YES, NO = frozenset({"yes"}), frozenset({"no"})
BOTH = YES | NO
IN_WORDS_BOTH = re.compile(
    r"\byes and no\b|\bno and yes\b|\byes or no\b|\bmay or may not\b|\byes\b.{1,40}\band (?:also )?no\b"
)
SAYS_YES = re.compile(r"(?:^|[.:;\"“{(] ?|answer (?:is|would be) |, )(?:definitely )?yes\b(?! or no)")
SAYS_NO = re.compile(r"(?:^|[.:;\"“{(] ?|answer (?:is|would be) )no(?=[,.;:!\"”})]| it | he | she | they |$)")
# "No, ...", also "No the passages agree": at the beginning of a sentence, unless it denies the no's own noun.
SAYS_NO_CONFLICT = re.compile(
    r"(?:^|[.:;\"“{(] ?|answer (?:is|would be) )no(?=[,.;:!\"”})]| it | they | the | there |$)"
)
NEGATION = re.compile(
    r"\b(?:not|never|cannot|no longer|neither|nor|none|without|fails? to|unable to)\b|n't\b|\bun(?:true|likely)\b"
)
# A rule of its own, as this module is copied into tasks of other harnesses, which have no splitter.
SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\b[A-Z]\.)(?<!\b(?:Dr|Jr|Mr|Ms|Sr|St)\.)(?<!\b(?:Mrs|Gen|Rev|[Vv]ol)\.)(?<!\bProf\.)"
    r"(?<!\b[Ee]d\.)(?<!\b[Aa]pprox\.)\s+(?=[^a-z])|\n+"
)
CONTRAST = re.compile(
    r"^(?:however|but|on the other hand|nevertheless|conversely|another|other|later)\b|; however,|, but |, while "
)


def baseline_reply(
    question: str, answers: Sequence[str], response: str, *, expects: str, allowed: Collection[Verdict]
) -> str:
    """The baseline judge's verdict, in the form of judge models' replies, so that one rule reads both."""
    parsed = judge_by_matching(question, answers, response, expects=expects, allowed=allowed)
    evaluation = parsed.verdict.label.lower() if parsed.verdict else ""
    return f"{without_parts(parsed.comment)}\nevaluation: {evaluation}"


def judge_by_matching(
    question: str,
    answers: Sequence[str],
    response: str,
    *,
    expects: str = "answers",
    allowed: Collection[Verdict] = tuple(Verdict),
) -> ParsedVerdict:
    """The verdict on `response` by plain rules, with the findings as its comment.

    `expects` is the template's: "answers", "conflict" (5.2) or "no conflict" (5.4); for these two only yes or no
    counts. `allowed` are the verdicts on offer: without "partially correct", such a response counts as incorrect.
    """
    text = shown_response(response)[: matching.MAX_CHARACTERS]
    if expects != "answers":
        wanted = YES if expects == "conflict" else NO
        found = [conflict_stance(text) == wanted]
        names = [f"{next(iter(wanted))}, there is {'a' if wanted == YES else 'no'} conflict"]
    else:
        names = [answer.strip() for answer in answers]
        found = find_answers(question, answers, text)
    verdict = weigh(text, names, found, yes_or_no=is_yes_or_no(answers))
    if verdict not in allowed:
        verdict = Verdict.INCORRECT
    given = [name for name, is_given in zip(names, found, strict=True) if is_given]
    missing = [name for name, is_given in zip(names, found, strict=True) if not is_given]
    comment = " ".join(
        f"{label}: {'; '.join(some)}." for label, some in (("Found", given), ("Not found", missing)) if some
    )
    return ParsedVerdict(verdict, comment=comment)


def weigh(text: str, answers: Sequence[str], found: Sequence[bool], *, yes_or_no: bool) -> Verdict:
    """The verdict that follows from the answers found and the surrounding words."""
    if not any(found):
        return Verdict.INCORRECT
    if not all(found):
        return Verdict.PARTIALLY_CORRECT
    if len(answers) == 1:
        return Verdict.CORRECT
    folded = matching.fold(text)
    if PREFERENCE.search(folded) or concludes_with_one(text, answers):
        return Verdict.PARTIALLY_CORRECT
    return Verdict.CORRECT if yes_or_no or CONFLICT.search(folded) else Verdict.INCORRECT


def find_answers(question: str, answers: Sequence[str], text: str) -> list[bool]:
    """For each answer, whether the text gives it."""
    if is_yes_or_no(answers):
        said = polarity(text, question)
        return [yes_or_no(answer) <= said for answer in answers]
    return [
        matching.gives(text, answer, question=question, others=[other for other in answers if other != answer])
        for answer in answers
    ]


def concludes_with_one(text: str, answers: Sequence[str]) -> bool:
    """Return whether a concluding sentence decides for one answer."""
    for sentence in sentences_of(text):
        if CONCLUSION.search(matching.fold(sentence)):
            others = [[other for other in answers if other != answer] for answer in answers]
            given = [matching.gives(sentence, a, others=rest) for a, rest in zip(answers, others, strict=True)]
            if sum(given) == 1:
                return True
    return False


def sentences_of(text: str) -> list[str]:
    return [part.strip() for part in SENTENCE_END.split(text) if part.strip()]


# --- Yes and no -----------------------------------------------------------------------------------------------------


def yes_or_no(answer: str) -> frozenset[str]:
    """The yes or no that an answer begins with; empty for any other."""
    first = re.match(r"\W*(yes|no)\b(?:\W|$)", answer, re.IGNORECASE)
    return frozenset({first[1].lower()}) if first else frozenset()


def is_yes_or_no(answers: Sequence[str]) -> bool:
    return all(yes_or_no(answer) for answer in answers)


def polarity(text: str, question: str) -> frozenset[str]:
    """Yes, no, both or neither, as a text's answer to a question."""
    sentences = [fold_answer(part) for part in sentences_of(text)]
    folded = " ".join(sentences)
    if not folded:
        return frozenset()
    if IN_WORDS_BOTH.search(folded):
        return BOTH
    said = (YES if SAYS_YES.search(folded) else frozenset()) | (NO if SAYS_NO.search(folded) else frozenset())
    if not said:
        if CONFLICT_NAMED.search(folded):
            return BOTH
        if NOT_KNOWN.search(folded):
            return frozenset()
        nearest = max(sentences, key=lambda sentence: overlap(sentence, question))
        if not overlap(nearest, question):
            return frozenset()
        said = stance(nearest)
    # A sentence after "however" about the question may say the opposite.
    return said.union(
        *(stance(part) for part in sentences[1:] if CONTRAST.search(part) and overlap(part, question) >= 0.4)
    )


def conflict_stance(text: str) -> frozenset[str]:
    """Return whether a text says that there is a conflict (yes), that there is none (no), both, or neither."""
    sentences = [fold_answer(part) for part in sentences_of(text)]
    folded = " ".join(sentences)
    if IN_WORDS_BOTH.search(folded):
        return BOTH
    said = (YES if SAYS_YES.search(folded) else frozenset()) | (
        NO if SAYS_NO_CONFLICT.search(folded) else frozenset()
    )
    if said:
        return said
    if any(UNDECIDED.search(sentence) for sentence in sentences):
        return frozenset()
    denied = NO_CONFLICT.search(folded)
    return (NO if denied else frozenset()) | (
        YES if CONFLICT_SAID.search(NO_CONFLICT.sub(" ", folded)) else frozenset()
    )


def fold_answer(text: str) -> str:
    return re.sub(r"\\(?:boxed|text)", " ", matching.fold(text)).replace("*", "").strip()


def stance(sentence: str) -> frozenset[str]:
    return NO if NEGATION.search(sentence) else YES


def overlap(text: str, question: str) -> float:
    """The share of the question's words that a text repeats."""
    asked = {word for word in matching.tokens(question) if word not in matching.STOP_WORDS}
    said = matching.tokens(text)
    return sum(any(matching.alike(word, other) for other in said) for word in asked) / max(len(asked), 1)
