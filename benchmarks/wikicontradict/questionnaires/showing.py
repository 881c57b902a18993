"""Shows a response on the judging page: everything needed for a verdict, and nothing that reveals the model.

The prompt is filled anew from template and instance. The sent one may bear marks of the model (an empty system
message, chat markup); the shown one is the same for all models.
"""

from dataclasses import dataclass, field
from functools import cached_property

from annotation.content.marking import Piece, mark_spans
from annotation.releases.spans import Spans, spans_of
from core.languages import say
from judging.catalogue.messages import content_of, correct_answers
from judging.models import PromptTemplate, Response
from judging.protocol.prompts import PLACEHOLDER, MissingValue
from judging.protocol.thoughts import shown_response
from judging.protocol.verdicts import Verdict

from ..protocol.asking import has_same_passage, values_of
from ..protocol.prompts import render_prompt, text_of

# The rule of each verdict, after the paper's evaluation (WikiContradict, NeurIPS 2024, section 4 and appendix C).
BOTH_ANSWERS: dict[Verdict, str] = {
    Verdict.CORRECT: say(
        "Gives every correct answer and lets them stand as contradictory or each as possible, without preferring one."
    ),
    Verdict.PARTIALLY_CORRECT: say(
        "Gives one of the answers only; or all, but prefers one or adds one that matches none."
    ),
    Verdict.INCORRECT: say(
        "Matches no correct answer; or merely puts the answers together, as if they did not contradict each other."
    ),
}
ONE_ANSWER: dict[Verdict, str] = {
    Verdict.CORRECT: say(
        "The main answer matches the correct answer. Further details do no harm if they fit with it."
    ),
    Verdict.PARTIALLY_CORRECT: say("Matches the correct answer, but adds another one that does not match."),
    Verdict.INCORRECT: say("The main answer does not match the correct answer."),
}
CONFLICT: dict[Verdict, str] = {
    Verdict.CORRECT: say("Says that the context conflicts, and explains it by both answers."),
    Verdict.PARTIALLY_CORRECT: say("Says that the context conflicts, but explains it wrongly or by one answer only."),
    Verdict.INCORRECT: say("Says that there is no conflict, or does not say."),
}
NO_CONFLICT: dict[Verdict, str] = {
    Verdict.CORRECT: say("Says that the context does not conflict."),
    Verdict.PARTIALLY_CORRECT: say("Says that there is no conflict, but claims one on the way."),
    Verdict.INCORRECT: say("Says that there is a conflict, or does not say."),
}
KEYS = {Verdict.CORRECT: "1", Verdict.PARTIALLY_CORRECT: "2", Verdict.INCORRECT: "3"}


@dataclass(frozen=True, slots=True)
class Offered:
    """A verdict that can be chosen, with its key and its rule."""

    verdict: Verdict
    key: str
    rule: str


@dataclass(frozen=True, slots=True)
class Coloured:
    """A text that belongs to passage 1 or 2, or to neither (0)."""

    passage: int
    name: str
    text: str
    spans: Spans = field(default_factory=dict)

    @property
    def pieces(self) -> list[Piece]:
        """The text with the contradicted spans marked, wherever they occur in it."""
        return mark_spans(self.text, self.spans)


@dataclass(frozen=True)
class ShownResponse:
    """A response as it is shown to be judged or adjudicated. Response, template and instance should be loaded."""

    response: Response
    # Read if not given; a page with several responses reads them together.
    spans: Spans | None = None

    @property
    def question(self) -> str:
        return self.response.instance.question

    @property
    def text(self) -> str:
        return shown_response(self.response.text)

    @property
    def template(self) -> PromptTemplate:
        return self.response.template

    @property
    def expects(self) -> str:
        return self.template.expects

    @property
    def offered(self) -> list[Offered]:
        rules = self._rules()
        return [Offered(verdict, KEYS[verdict], rules[verdict]) for verdict in self.template.offered_verdicts]

    def _rules(self) -> dict[Verdict, str]:
        if self.expects == "conflict":
            return CONFLICT
        if self.expects == "no conflict":
            return NO_CONFLICT
        return ONE_ANSWER if len(self.template.correct_answers) == 1 else BOTH_ANSWERS

    @cached_property
    def answers(self) -> list[Coloured]:
        """The correct answers for this template, each in the colour of its passage, if it has one."""
        answers = correct_answers(self.response)
        if len(answers) != len(self.template.correct_answers):
            return [Coloured(0, "", answer) for answer in answers]
        passages = [_passage_of(answer) for answer in self.template.correct_answers]
        return [
            Coloured(number, say("By passage {number}", number=number) if number else "", answer)
            for number, answer in zip(passages, answers, strict=True)
        ]

    @cached_property
    def passages(self) -> list[Coloured]:
        """The passages that the model saw, in its order."""
        response, resolved = self.response, content_of(self.response.variant)
        same = has_same_passage(response.instance.content, self.template.applies_to, resolved)
        values = values_of(response.instance.content, resolved)
        spans = spans_of([response.instance])[response.instance_id] if self.spans is None else self.spans
        names = dict.fromkeys(PLACEHOLDER.findall(text_of(self.template.as_template(), same_passage=same)))
        return [
            Coloured(
                _passage_of(f"{{{name}}}"),
                say("Passages 1 and 2, which are the same")
                if same
                else say("Passage {number}", number=_passage_of(f"{{{name}}}")),
                values[name] or "",
                {of: span for of, span in spans.items() if same or of == _passage_of(f"{{{name}}}")},
            )
            for name in names
            if name.startswith("passage") and values.get(name)
        ]

    @cached_property
    def prompt(self) -> str:
        """The whole prompt; "" if the instance lacks a value that it uses."""
        response, resolved = self.response, content_of(self.response.variant)
        same = has_same_passage(response.instance.content, self.template.applies_to, resolved)
        try:
            values = values_of(response.instance.content, resolved)
            return render_prompt(self.template.as_template(), values, same_passage=same)
        except MissingValue:
            return ""


def _passage_of(text: str) -> int:
    """1 or 2 for a text whose placeholders all belong to that passage, otherwise 0."""
    numbers = {name.removesuffix("_resolved")[-1] for name in PLACEHOLDER.findall(text)}
    return int(numbers.pop()) if len(numbers) == 1 and numbers <= {"1", "2"} else 0
