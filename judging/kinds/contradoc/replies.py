"""Replies to ContraDoc's tasks from a file, under the names that the paper gives the tasks."""

from typing import Any, BinaryIO

from annotation.kinds.contradoc.item import CODE, ID
from annotation.models import Release
from annotation.releases.formats import refuse_others

from ...files.task_replies import TaskReplies, import_task_replies

# The task as files name it: its template. In the paper's wording, as a file does not say which one it was.
TEMPLATES = {
    "binary": ("contradoc-binary", 1),
    "topk": ("contradoc-topk", 1),
    "judge_then_find": ("contradoc-find", 1),
    "given_sentence": ("contradoc-given", 1),
    "free_format": ("contradoc-free", 1),
}


def import_contradoc_replies(
    stream: BinaryIO, *, release: Release, code_wording: bool = False, **values: Any
) -> TaskReplies:
    """Store a file of replies as responses to the documents of a release of ContraDoc. With `code_wording` they
    answer the wording of the released code. Raises Refusal as `import_task_replies` does."""
    refuse_others(release, CODE, "import of replies to tasks")
    templates = TEMPLATES
    if code_wording:
        templates = TEMPLATES | {task: (TEMPLATES[task][0], 2) for task in ("binary", "topk", "judge_then_find")}
    return import_task_replies(stream, release=release, templates=templates, identifier=ID, **values)
