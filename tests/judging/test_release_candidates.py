"""A release of verified candidates, in the shape of ContraDoc's own."""

import pytest

from annotation.models import Instance
from core.refusals import Refusal
from judging.kinds.contradoc.releasing import Verified, release_candidates
from judging.models import Candidate, Operation
from tests.judging.documents import (
    CONTRADICTION,
    ORIGINAL,
    REPLACED,
    TEXT,
    make_documents,
    started_generation,
    writes,
)
from tests.judging.making import make_model, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


@pytest.fixture
def candidates(server):
    model = make_model(server.base_url, decoding={"max_tokens": 2_000})
    make_documents(TEXT, "Nothing is wrong here. Nor there.")
    server.answer = writes()
    work(started_generation(model))
    server.answer = writes([REPLACED])
    work(started_generation(model, method="content_replace"))
    return {operation: list(Candidate.objects.filter(operation=operation)) for operation in Operation}


def test_candidates_are_released_in_the_published_shape(candidates):
    inserted, replaced = candidates[Operation.INSERT][0], candidates[Operation.REPLACE][0]
    document = inserted.document
    released = release_candidates(
        verified=[Verified(replaced, "intra", ["Negation"]), Verified(inserted, "local", ["Content", "Causal"])],
        negatives=[candidates[Operation.REPLACE][1]],
        untouched=[document],
        name="First",
    )
    contents = [each.content for each in Instance.objects.order_by("released_instances__number")]
    source = str(document.pk)
    assert contents[0] == {
        "text": inserted.text,
        "evidence": CONTRADICTION,
        "unique id": f"{source}_1",
        "doc_type": "news",
        "contra_plug": "Insert",
        "contra_type": ["Content", "Causal"],
        "scope": "local",
        "ref sentences": [ORIGINAL],
        "label": "pos",
    }
    assert contents[1]["unique id"] == f"{source}_2"
    assert contents[1]["text"] == TEXT.replace(ORIGINAL, contents[1]["evidence"])
    assert "ref sentences" not in contents[1]
    assert set(contents[2]) == {"text", "unique id", "doc_type", "label"}
    assert contents[3]["text"] == TEXT
    assert set(Instance.objects.values_list("group", flat=True)) == {source}
    assert Instance.objects.get(key=released.keys[inserted.pk]).content == contents[0]
    assert released.release.benchmark == "contradoc"


def test_the_same_is_not_released_twice(candidates):
    verified = [Verified(candidates[Operation.INSERT][0], "local", ["Content"])]
    release_candidates(verified=verified, name="First")
    with pytest.raises(Refusal, match="exactly this"):
        release_candidates(verified=verified, name="Second")


def test_what_people_did_not_agree_on_is_refused_with_its_item(candidates):
    with pytest.raises(Refusal, match="Item 1"):
        release_candidates(verified=[Verified(candidates[Operation.INSERT][0], "near", ["Content"])], name="First")
