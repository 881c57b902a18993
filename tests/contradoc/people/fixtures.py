"""Ten documents, and replies about three of them."""

import json
from io import BytesIO

import pytest

from annotation.kinds.registry import benchmark
from annotation.models import Release
from annotation.releases.items.releasing import release_contents
from judging.files.task_replies import import_task_replies
from judging.models import Run
from tests.factories.contradoc import content


@pytest.fixture
def ten_documents() -> Release:
    labels = ["pos"] * 6 + ["neg"] * 4
    contents = [content(number, label) for number, label in enumerate(labels, start=1)]
    return release_contents(benchmark=benchmark("contradoc"), name="Ten", contents=contents)


@pytest.fixture
def free_replies(ten_documents) -> Run:
    """Two replies to the free-format prompt, and one to another one."""
    file = [("neg", "free_format"), ("pos", "free_format"), ("pos", "binary")]
    named = {
        label: ten_documents.instances.filter(content__label=label).first().content["unique id"] for label, _ in file
    }
    lines = [
        {"document": named[label], "task": task, "model": "Mist", "text": "I see no problem."} for label, task in file
    ]
    import_task_replies(BytesIO("\n".join(map(json.dumps, lines)).encode()), release=ten_documents, name="free")
    return Run.objects.get(name="free")
