"""WikiContradict's task: the question, its prompts, and the gold answers."""

from typing import Any

from judging.protocol.prompts import Template, placeholders
from judging.protocol.replies import Reply
from judging.protocol.tasks import Content, Task
from judging.protocol.verdicts import Verdict

from . import items as item
from .protocol.answerers import ANSWERERS, shown_passages
from .protocol.asking import Resolved, answers_that_count, check_can_be_asked, has_same_passage, prompt_of, values_of
from .protocol.evaluator import WikiContradictEval
from .protocol.prompts import (
    APPLIES_TO,
    DIFFERENT_PASSAGES,
    EXPECTS,
    PLACEHOLDERS,
    RESOLVED_PASSAGES,
    TEMPLATES,
    check_template_text,
)

ANSWERS = {"answer1", "answer2", "answer_resolved"}
RESOLVED = {"passage1_resolved", "passage2_resolved"}
RESOLVED_ONLY = "A prompt with resolved passages works only for instances with resolved passages: choose these below."


class Passages(Task):
    """The task of WikiContradict: a question on two passages that contradict each other."""

    code, name, benchmark = "answer", "Answer a question on two passages", item.CODE
    placeholders, needed = frozenset(PLACEHOLDERS), "question"
    offers_all_versions = False
    judge = WikiContradictEval()
    applies_to, expects = APPLIES_TO, EXPECTS
    resolved_only, different_only = RESOLVED_PASSAGES, DIFFERENT_PASSAGES
    templates = tuple(TEMPLATES.values())
    baselines = ANSWERERS

    def check_can_be_asked(
        self, instance: Any, template: Template, resolved: Resolved | None, *, same_passage: bool
    ) -> None:
        check_can_be_asked(instance.content, template.applies_to, resolved, include_same_passage=same_passage)

    def prompt(self, instance: Any, template: Template, resolved: Resolved | None) -> str:
        return prompt_of(instance.content, template, resolved)

    def correct_answers(self, instance: Any, template: Template, resolved: Resolved | None) -> list[str]:
        return answers_that_count(template.correct_answers, values_of(instance.content, resolved))

    def baseline_reply(
        self, name: str, content: Content, template: Template, resolved: Resolved | None
    ) -> Reply | str:
        is_once = has_same_passage(content, template.applies_to, resolved) and template.text_same_passage
        text = template.text_same_passage if is_once else template.text
        return self.baselines[name](shown_passages(text, values_of(content, resolved)))

    def problem_with_answers(self, template: Template) -> str:
        texts = [template.text, *filter(None, [template.text_same_passage])]
        asked = set().union(*map(placeholders, texts))
        if asked & RESOLVED and template.applies_to != RESOLVED_PASSAGES:
            return RESOLVED_ONLY
        if not {Verdict.CORRECT, Verdict.INCORRECT} <= set(template.verdicts):
            return "“Correct” and “incorrect” are always offered."
        if not template.correct_answers:
            return "Give at least one correct answer: without it, nobody can judge a response."
        for answer in template.correct_answers:
            if unknown := placeholders(answer) - ANSWERS:
                known = ", ".join(f"{{{name}}}" for name in sorted(ANSWERS))
                return f"A correct answer can use {known}, but not {', '.join(sorted(unknown))}."
        return ""

    def problem(self, template: Template) -> str:
        try:
            for text in filter(None, (template.text, template.text_same_passage)):
                check_template_text(text)
        except ValueError as error:
            return str(error)
        return ""


PASSAGES = Passages()
