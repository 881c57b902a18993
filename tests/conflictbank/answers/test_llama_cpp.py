"""The protocol “option” against a server that others wrote: llama.cpp's, with a tiny random model whose logits are
computed again without it.
"""

import io
import json
from collections import Counter

import numpy as np
import pytest
from django.urls import reverse

from annotation.models import Release
from benchmarks.conflictbank.files import import_items
from benchmarks.conflictbank.readers.options import NO_PROBABILITIES, NONE_THERE
from judging.models import PromptTemplate
from judging.runs.runs import create_run, start_run
from tests.conflictbank.answers.tiny_llama import LlamaServer
from tests.conflictbank.items.test_item_files import printed
from tests.conflictbank.items.test_items import numbered
from tests.environments import for_tests
from tests.factories.judging import make_model, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine"), pytest.mark.third_party]

ITEMS, CONDITIONS = 12, ("default", "correct", "misinformation", "correct-temporal")
TOP, ABSENT = 20, -100.0
FORMS = (" {}", "{}", "({})", " ({})")


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    with LlamaServer(for_tests("llama_cpp"), tmp_path_factory.mktemp("llama")) as server:
        yield server


def expected(llama, prompt):
    """The letter, the four log-probabilities and the bits of a prompt, from the model's own logits. None if no label
    is among the most probable tokens, or if the first token is a part of a character: the server leaves it out.
    """
    logprobs = llama.model.logprobs(llama.tokens_of(prompt))
    best = np.argsort(-logprobs)[:TOP].tolist()
    words = llama.words(best)
    if words[0] == "\ufffd":
        return None
    top = {}
    for word, token in zip(words, best, strict=True):
        top.setdefault(word, logprobs[token])
    labels = {form.format(letter): (letter, form) for letter in "ABCD" for form in FORMS}
    first = next((word for word in top if word in labels), None)
    if first is None:
        return None
    letter, form = labels[first]
    four = {each: top.get(form.format(each), ABSENT) for each in "ABCD"}
    shares = np.exp(list(four.values())) / np.exp(list(four.values())).sum()
    return letter, four, -sum(share * np.log2(share) for share in shares if share > 0)


# One test, as the server takes a while to start and tests may be spread over processes.
def test_what_is_stored_are_the_numbers_of_the_models_own_logits(llama, subtests, client, admin):
    import_items(io.BytesIO("\n".join(json.dumps(numbered(number)) for number in range(ITEMS)).encode()))
    codes = [f"conflictbank-option-{condition}" for condition in CONDITIONS]
    models = [
        make_model(llama.base_url, name=way, token_probabilities=way, timeout_seconds=60)
        for way in ("chat", "completions")
    ]
    templates = PromptTemplate.objects.filter(code__in=codes, version=1)
    run = start_run(run=create_run(release=Release.objects.get(), language_models=models, templates=templates))
    work(run)
    responses = list(run.responses.select_related("model", "attempt").order_by("model", "template", "instance"))
    assert len(responses) == ITEMS * len(CONDITIONS) * 2
    problems = Counter[str]()
    for response in responses:
        asked = response.attempt.request
        prompt = asked["prompt"] if response.model.name == "completions" else asked["messages"][-1]["content"]
        wanted, reading = expected(llama, prompt), response.readings.get()
        if wanted is None:
            assert reading.problem
            problems[reading.problem] += 1
            continue
        letter, four, bits = wanted
        assert reading.value["letter"] == letter
        assert reading.value["logprobs"] == pytest.approx(four, abs=1e-3)
        assert reading.value["bits"] == pytest.approx(bits, abs=1e-3)

    with subtests.test("some have no label among the most probable tokens, some begin with a part of a character"):
        assert problems.keys() == {NONE_THERE, NO_PROBABILITIES}
        assert problems.total() < len(responses)

    with subtests.test("both ways of asking give the same"):
        values = [each.readings.get().value for each in responses]
        chosen = [value and value["letter"] for value in values]
        assert chosen[: len(chosen) // 2] == chosen[len(chosen) // 2 :]

    with subtests.test("the page of a response shows its four log-probabilities"):
        client.force_login(admin)
        shown = next(each for each in responses if not each.readings.get().problem)
        page = client.get(reverse("response", args=[shown.key])).text
        value = shown.readings.get().value["logprobs"]
        assert all(f"{each:.4f}" in page for each in value.values() if each > ABSENT)

    with subtests.test("the ratios are those of the readings"):
        report = json.loads(printed("report", "conflictbank-ratios", "--format", "json", "--run", str(run.pk)))
        assert report["chat"]["of"] == ITEMS
