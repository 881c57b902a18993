"""WikiContradict's task: the question, its prompts, and the gold answers."""

from typing import Any

from annotation.content.instances import SAME_PASSAGE
from core.languages import say
from judging.protocol.prompts import ALL, ANSWERS, Template, placeholders
from judging.protocol.replies import Reply
from judging.protocol.tasks import Content, Task, VariantColumn
from judging.protocol.verdicts import Verdict

from . import items as item
from .protocol.answerers import ANSWERERS, shown_passages
from .protocol.asking import Resolved, answers_that_count, check_can_be_asked, has_same_passage, prompt_of, values_of
from .protocol.evaluator import WikiContradictEval
from .protocol.prompts import (
    DIFFERENT_PASSAGES,
    PLACEHOLDERS,
    RESOLVED_PASSAGES,
    TEMPLATES,
    check_template_text,
    text_of,
)

OF_ANSWERS = {"answer1", "answer2", "answer_resolved"}
RESOLVED = {"passage1_resolved", "passage2_resolved"}
RESOLVED_COLUMNS = tuple(
    VariantColumn(key, name, f"{name.replace('_', ' ')}, where the template shows passages without a conflict")
    for key, name in (
        ("passage_1", "resolved_passage_1"),
        ("passage_2", "resolved_passage_2"),
        ("answer", "resolved_answer"),
    )
)
RESOLVED_ONLY = say(
    "A prompt with resolved passages works only for instances with resolved passages: choose these below."
)


class Passages(Task):
    """The task of WikiContradict: a question on two passages that contradict each other."""

    code, name, benchmark = "answer", say("Answer a question on two passages"), item.CODE
    placeholders, needed = frozenset(PLACEHOLDERS), "question"
    offers_all_versions = False
    judge = WikiContradictEval()
    applies_to = {
        ALL: say("All instances"),
        DIFFERENT_PASSAGES: say("Instances whose passages differ"),
        RESOLVED_PASSAGES: say("Instances with resolved passages"),
    }
    expects = {
        ANSWERS: say("The answers"),
        "conflict": say("That there is a conflict"),
        "no conflict": say("That there is none"),
    }
    on_variants, reported_without = RESOLVED_PASSAGES, {DIFFERENT_PASSAGES: SAME_PASSAGE}
    variant_columns = RESOLVED_COLUMNS
    variant_name, variant_page = say("Resolved passages"), "resolved_passages_edit"
    no_variant = say("The conflict of this instance is not resolved yet.")
    usual_templates, first_reported = ("1", "2", "3", "4", "5"), "5"
    usual_answers = ("{answer1}", "{answer2}")
    text_help = say(
        "{question}, {passage1}, {passage2}, {passage1_resolved} and {passage2_resolved} are filled in unchanged; "
        "prompts of other benchmarks list their own placeholders. Nothing is stripped: a line break at the end is "
        "sent."
    )
    other_text_label = say("Text where both passages are the same")
    other_text_help = say("Avoids repeating the passage. If empty, the text above is used.")
    answers_help = say(
        "One per line, with {answer1}, {answer2} or {answer_resolved}. A correct response contains all of them."
    )
    left_out_label = say("Also ask single-passage prompts about instances with one passage")
    left_out_help = say("By default prompts 2 and 3 leave these instances out, as the paper does.")
    templates = tuple(TEMPLATES.values())
    baselines = ANSWERERS

    def check_can_be_asked(
        self, instance: Any, template: Template, variant: Resolved | None, *, include_left_out: bool
    ) -> None:
        check_can_be_asked(instance.content, template.applies_to, variant, include_left_out=include_left_out)

    def prompt(self, instance: Any, template: Template, variant: Resolved | None) -> str:
        return prompt_of(instance.content, template, variant)

    def correct_answers(self, instance: Any, template: Template, variant: Resolved | None) -> list[str]:
        return answers_that_count(template.correct_answers, values_of(instance.content, variant))

    def baseline_reply(
        self, name: str, content: Content, template: Template, variant: Resolved | None
    ) -> Reply | str:
        is_once = has_same_passage(content, template.applies_to, variant)
        text = text_of(template, same_passage=is_once)
        return self.baselines[name](shown_passages(text, values_of(content, variant)))

    def note(self, content: Content) -> str:
        return say("one passage") if content["same_passage"] else ""

    def variant_texts(self, content: Content) -> dict[str, tuple[str, str]]:
        return {
            "passage_1_resolved": (say("Passage 1, resolved"), content["passage_1"]),
            "passage_2_resolved": (say("Passage 2, resolved"), content["passage_2"]),
        }

    def problem_with_answers(self, template: Template) -> str:
        texts = [template.text, *filter(None, [template.other_text])]
        asked = set().union(*map(placeholders, texts))
        if asked & RESOLVED and template.applies_to != RESOLVED_PASSAGES:
            return RESOLVED_ONLY
        if not {Verdict.CORRECT, Verdict.INCORRECT} <= set(template.verdicts):
            return say("“Correct” and “incorrect” are always offered.")
        if not template.correct_answers:
            return say("Give at least one correct answer: without it, nobody can judge a response.")
        for answer in template.correct_answers:
            if unknown := placeholders(answer) - OF_ANSWERS:
                known = ", ".join(f"{{{name}}}" for name in sorted(OF_ANSWERS))
                return say(
                    "A correct answer can use {known}, but not {unknown}.",
                    known=known,
                    unknown=", ".join(sorted(unknown)),
                )
        return ""

    def problem(self, template: Template) -> str:
        try:
            for text in filter(None, (template.text, template.other_text)):
                check_template_text(text)
        except ValueError as error:
            return str(error)
        return ""


PASSAGES = Passages()
