"""Writes a release as a task for another program's evaluation: its questions, and the current code that fills prompts
and reads verdicts. The folder runs without this program.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.models import Instance, Release, ReleasedInstance
from annotation.releases.canonical import released_instances
from annotation.releases.datasheets.datasheet import escaped, tally_of
from annotation.releases.datasheets.licences import licence_words, licences_of
from core.files.writing import json_lines
from core.writing.progress import along
from judging.models import InstanceVariant, PromptTemplate

HERE = Path(__file__).parents[1]
JUDGING = HERE.parents[1] / "judging"
WRITTEN = Path(__file__).parent / "written"
# The package of the folder that has the code: that of this benchmark, and below it `protocol`, the general code.
# Both need nothing but Python.
RULES = "wikicontradict_rules"
LICENCE = "# SPDX-License-Identifier: GPL-3.0-or-later\n"
SHOWN = ("question", "passage_1", "passage_2", "answer_1", "answer_2", "same_passage")
RESOLVED = ("passage_1", "passage_2", "answer")


def write_task(release: Release, folder: Path) -> None:
    """Put the common files of tasks into an empty folder: release.json, templates.json, instances.jsonl, the code."""
    write_json(folder / "release.json", about(release))
    write_json(folder / "templates.json", [template_record(each) for each in PromptTemplate.objects.current()])
    write_code(folder / RULES)
    total = release.released_instances.count()
    with (folder / "instances.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json_lines(along("Instances", instance_records(release), of=total)))


def about(release: Release) -> dict[str, Any]:
    """The fields by which the log of a task is recognised."""
    return {"number": release.number, "name": release.name, "content_hash": release.content_hash}


def template_record(template: PromptTemplate) -> dict[str, object]:
    """The record that `read_template` reads."""
    return {
        "id": template.code,
        "version": template.version,
        "name": template.name,
        "source": template.source,
        "system": template.system,
        "user": template.text,
        "user_same_passage": template.other_text,
        "applies_to": template.applies_to,
        "verdicts": template.verdicts,
        "expects": template.expects,
        "correct_answers": template.correct_answers,
    }


def instance_records(release: Release) -> Iterator[dict[str, object]]:
    """The release's instances in their order, with their current resolved passages."""
    resolved = current_resolved(release)
    for released in released_instances(release):
        yield instance_record(released, resolved.get(released.instance_id))


def current_resolved(release: Release) -> dict[int, InstanceVariant]:
    """The release's current resolved passages, by instance."""
    current = InstanceVariant.objects.current().filter(instance__in=release.instances.all())
    return {each.instance_id: each for each in current.iterator()}


def instance_record(released: ReleasedInstance, resolved: InstanceVariant | None) -> dict[str, object]:
    instance: Instance = released.instance
    texts = {name: resolved.content[name] for name in RESOLVED} if resolved else None
    shown = {name: instance.content[name] for name in SHOWN}
    return {"question_ID": released.number, "instance": instance.key, **shown, "resolved": texts}


def write_code(folder: Path) -> None:
    """The code that fills prompts, judges and reads verdicts: each file follows the licence's line, unchanged except
    for its imports.
    """
    for path in sorted((HERE / "protocol").glob("*.*")):
        copy_code(path, folder / path.name)
    for path in sorted((JUDGING / "protocol").glob("*.*")):
        copy_code(path, folder / "protocol" / path.name)
    copy_code(WRITTEN / "asked.py", folder / "asked.py")


def copy_code(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        text = text.replace("\nfrom judging.", "\nfrom .")
        text = text if text.startswith(LICENCE) else LICENCE + text
    target.write_text(text, encoding="utf-8")


def write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def write_readme(folder: Path, release: Release, how: str) -> None:
    text = (WRITTEN / how).read_text("utf-8")
    licences = escaped(" ".join(licence_words(licences_of(release, tally_of(release).wikis))))
    values = {"{number}": str(release.number), "{name}": release.name, "{licences}": licences}
    for name, value in values.items():
        text = text.replace(name, value)
    (folder / "README.md").write_text(text, encoding="utf-8")
