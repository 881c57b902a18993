"""Releases as tasks for lm-evaluation-harness and Inspect: multiple choice by log-probability. The folders run
without this program.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.models import Release
from core.files.writing import json_lines
from core.writing.progress import along

from .. import items as item
from ..files import contents_of
from ..items import CAUSES, Content
from ..prompts import Asked, order_of, values_of
from ..readers import OPTION
from ..tasks import ASKED, OPTION_TASK

WRITTEN = Path(__file__).parent / "written"
FUNCTIONS = {
    "custom_dataset": "utils.load",
    "doc_to_text": "utils.doc_to_text",
    "doc_to_choice": "utils.doc_to_choice",
    "doc_to_target": "utils.doc_to_target",
    "process_results": "utils.process_results",
}
METRICS = {"OAR": "original", "CAR": "counter", "M_R": "memorisation", "unreadable": "unreadable"}
# The paper's wording.
VERSION = 1
KNOWN = (
    "The harness counts all items. ConflictBank counts those that the model knows: import the log to have these "
    "numbers."
)
MISLEADING = "The conflict evidence in this folder is made to mislead: it is not true."


def write_lm_eval(release: Release, folder: Path) -> None:
    """Put the tasks into an empty folder: one for each template of the protocol “option”."""
    write_questions(release, folder)
    for name in ("asked.py", "utils.py"):
        shutil.copyfile(WRITTEN / name, folder / name)
    for code in OPTION_TASK.wordings:
        (folder / f"{task_name(release, code)}.yaml").write_text(task_text(release, code), encoding="utf-8")
    said = (
        f"# ConflictBank for lm-evaluation-harness\n\nRelease {release.number}. {MISLEADING}\n\n"
        f"```\nlm-eval run --include_path . --tasks {tag_of(release)} --model hf --model_args pretrained=MODEL \\\n"
        "    --log_samples --output_path results\nfor log in results/MODEL/samples_*.jsonl; do\n"
        "    manage.py import_responses $log --model MODEL\ndone\n```\n\n"
        f"{KNOWN} Version {VERSION} of each prompt, the paper's wording, is asked.\n"
    )
    (folder / "README.md").write_text(said, encoding="utf-8")


def write_inspect(release: Release, folder: Path) -> None:
    """Put the task into an empty folder: `inspect eval conflictbank.py -T template=CODE` runs it."""
    write_questions(release, folder)
    for name in ("asked.py", "conflictbank.py"):
        shutil.copyfile(WRITTEN / name, folder / name)
    said = (
        f"# ConflictBank for Inspect\n\nRelease {release.number}. {MISLEADING}\n\n```\ninspect eval "
        "conflictbank.py -T template=conflictbank-option-correct-temporal --model openai/MODEL\n"
        "manage.py import_responses logs/LOG.eval\n```\n\nThe codes of the templates are in templates.json. The "
        f"model's endpoint must return log-probabilities. {KNOWN}\n"
    )
    (folder / "README.md").write_text(said, encoding="utf-8")


def write_questions(release: Release, folder: Path) -> None:
    """Put release.json, items.jsonl and templates.json into the folder."""
    total = release.released_instances.count()
    about = {"number": release.number, "name": release.name, "content_hash": release.content_hash}
    (folder / "release.json").write_text(f"{json.dumps(about, indent=1)}\n", encoding="utf-8")
    with (folder / "items.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json_lines(along("Items", item_records(release), of=total)))
    templates = [template_record(asked) for asked in ASKED.values() if asked.protocol == OPTION]
    (folder / "templates.json").write_text(f"{json.dumps(templates, indent=1)}\n", encoding="utf-8")


def item_records(release: Release) -> Iterator[dict[str, object]]:
    """The items with the values of their placeholders and the drawn orders; they are numbered from 0."""
    return (item_record(number, content) for number, content in enumerate(contents_of(release)))


def item_record(number: int, content: Content) -> dict[str, object]:
    letters = {name: content[name] for name in (item.CORRECT_OPTION, item.REPLACE_OPTION, item.UNCERTAIN_OPTION)}
    orders = {cause: order_of(content, cause) for cause in CAUSES}
    return {"item": number, **letters, "orders": orders, "values": dict(values_of(content))}


def template_record(asked: Asked) -> dict[str, object]:
    about = {"condition": asked.condition.code, "cause": asked.condition.cause, "order": asked.order}
    wording = OPTION_TASK.wordings[asked.code][VERSION - 1]
    return {"code": asked.code, "version": VERSION, **about, "text": wording.text}


def tag_of(release: Release) -> str:
    return f"conflictbank_r{release.number}"


def task_name(release: Release, code: str) -> str:
    return f"{tag_of(release)}_{code.removeprefix('conflictbank-option-').replace('-', '_')}"


def task_text(release: Release, code: str) -> str:
    """The task as YAML, of which JSON is a part; only the functions are not JSON."""
    values: dict[str, Any] = {
        "task": task_name(release, code),
        "tag": [tag_of(release)],
        "dataset_kwargs": {"template": code},
        "test_split": "test",
        "output_type": "multiple_choice",
        "target_delimiter": "",
        "num_fewshot": 0,
        "metadata": {"version": release.number},
    }
    lines = [f"{name}: {json.dumps(value)}\n" for name, value in values.items()]
    lines += [f"{name}: !function {function}\n" for name, function in FUNCTIONS.items()]
    lines.append("metric_list:\n")
    for metric, function in METRICS.items():
        lines.append(
            f"  - metric: {metric}\n    aggregation: !function utils.{function}\n    higher_is_better: false\n"
        )
    return "".join(lines)
