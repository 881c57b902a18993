"""A release as tasks for lm-evaluation-harness (https://github.com/EleutherAI/lm-evaluation-harness)."""

import json
import re
from pathlib import Path
from typing import Any

from annotation.models import Release
from judging.catalogue.messages import content_of
from judging.models import InstanceVariant, PromptTemplate
from judging.protocol.prompts import MissingValue
from judging.protocol.verdicts import Verdict

from ..protocol.asking import check_can_be_asked, prompt_of
from ..protocol.prompts import DECODING, RESOLVED_PASSAGES
from .writing import WRITTEN, copy_code, current_resolved, write_readme, write_task

CHUNK = 50
NO_NAME = re.compile(r"[^A-Za-z0-9._-]")
# YAML, written as JSON except for names of functions.
FUNCTIONS = {
    "custom_dataset": "utils.load",
    "doc_to_text": "utils.doc_to_text",
    "doc_to_target": "utils.doc_to_target",
    "process_results": "utils.process_results",
}


def write_lm_eval(release: Release, folder: Path) -> None:
    """Put the tasks into an empty folder: `lm-eval run --include_path FOLDER --tasks wikicontradict_rN` runs them."""
    write_task(release, folder)
    copy_code(WRITTEN / "lm_eval" / "utils.py", folder / "utils.py")
    for template in PromptTemplate.objects.current():
        if is_asked(release, template):
            path = folder / f"{task_name(release, template)}.yaml"
            path.write_text(task_text(release, template), encoding="utf-8")
    write_readme(folder, release, "lm_eval/README.md")


def is_asked(release: Release, template: PromptTemplate) -> bool:
    """Return whether the template applies to any instance: the harness cannot run a task without questions."""
    resolved: dict[int, InstanceVariant] = {}
    if template.applies_to == RESOLVED_PASSAGES:
        resolved = current_resolved(release)
    instances = release.instances.filter(pk__in=resolved) if resolved else release.instances.all()
    for instance in instances.iterator(chunk_size=CHUNK):
        used = content_of(resolved.get(instance.pk))
        try:
            check_can_be_asked(instance.content, template.applies_to, used)
            prompt_of(instance.content, template.as_template(), used)
        except MissingValue:
            continue
        return True
    return False


def task_name(release: Release, template: PromptTemplate) -> str:
    """The name of a task, for instance wikicontradict_r1_t5.1."""
    return f"wikicontradict_r{release.number}_t{NO_NAME.sub('_', template.code)}"


def task_text(release: Release, template: PromptTemplate) -> str:
    values: dict[str, Any] = {
        "task": task_name(release, template),
        "tag": [f"wikicontradict_r{release.number}"],
        "dataset_kwargs": {"template": template.code},
        "test_split": "test",
        "output_type": "generate_until",
        # The harness fills descriptions as templates: the text of this one is left unchanged.
        "description": "{{system}}" if template.system else "",
        "target_delimiter": "",
        "num_fewshot": 0,
        "generation_kwargs": generation(),
        "metric_list": [
            {"metric": verdict.value, "aggregation": "mean", "higher_is_better": verdict != Verdict.INCORRECT}
            for verdict in Verdict
        ],
        "metadata": {"version": release.number},
    }
    lines = [f"{name}: {json.dumps(value)}\n" for name, value in values.items()]
    functions = [f"{name}: !function {function}\n" for name, function in FUNCTIONS.items()]
    return "".join(lines + functions)


def generation() -> dict[str, object]:
    """The paper's decoding, under the harness's names."""
    return {
        "until": [],
        "do_sample": False,
        "temperature": DECODING["temperature"],
        "max_gen_toks": DECODING["max_tokens"],
    }
