"""The questions of a task: the release's instances, each with each template that applies to it.

The prompts are filled by the same code as in WikiContradict Workbench, which is beside this file.
"""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .asking import answers_that_count, check_can_be_asked, prompt_of, values_of
from .prompts import RESOLVED_PASSAGES, read_template
from .protocol.prompts import MissingValue, Template


@dataclass(frozen=True)
class Question:
    """One prompt. `about` is what is needed to bring the response back: numbers, texts and lists of texts."""

    id: str
    system: str
    prompt: str
    about: dict[str, Any]


def read_release(folder: Path) -> dict[str, Any]:
    """The release: its number, name and content hash."""
    return json.loads((folder / "release.json").read_text("utf-8"))


def read_templates(folder: Path) -> list[tuple[Template, int]]:
    """The prompt templates, each with its version."""
    templates = json.loads((folder / "templates.json").read_text("utf-8"))
    return [(read_template(data), data["version"]) for data in templates]


def questions(folder: Path, codes: Collection[str] = ()) -> Iterator[Question]:
    """All that is asked, or with the templates of these codes. Raises ValueError if there is no such template."""
    release, templates = read_release(folder), read_templates(folder)
    if unknown := set(codes) - {template.id for template, _ in templates}:
        there = ", ".join(template.id for template, _ in templates)
        raise ValueError(f"There is no template {', '.join(sorted(unknown))}. There are {there}.")
    with (folder / "instances.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            instance = json.loads(line)
            for template, version in templates:
                if not codes or template.id in codes:
                    yield from asked(release, instance, template, version)


def asked(release: dict[str, Any], line: dict[str, Any], template: Template, version: int) -> Iterator[Question]:
    """The question that a template asks about an instance; none if it does not apply."""
    used = line["resolved"] if template.applies_to == RESOLVED_PASSAGES else None
    try:
        check_can_be_asked(line, template.applies_to, used)
        prompt = prompt_of(line, template, used)
    except MissingValue:
        return
    about = {
        "release": release["number"],
        "content_hash": release["content_hash"],
        "question_ID": line["question_ID"],
        "instance": line["instance"],
        "question": line["question"],
        "template": template.id,
        "template_version": version,
        "correct_answers": answers_that_count(template.correct_answers, values_of(line, used)),
        "verdicts": [verdict.value for verdict in template.verdicts],
        "expects": template.expects,
        "resolved_passage_1": used["passage_1"] if used else "",
        "resolved_passage_2": used["passage_2"] if used else "",
        "resolved_answer": used["answer"] if used else "",
    }
    id = f"r{release['number']}-q{line['question_ID']}-t{template.id}-v{version}"
    yield Question(id, template.system, prompt, about)
