"""Measures with models in folders, as a worker does, in a process with the libraries for that: `measure.py PACKAGES
FOLDER`. Reads a question in JSON from each line and prints the answer; `by hand` is computed here from the model's
probabilities, one token at a time."""

import json
import math
import os
import site
import sys
from functools import cache
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
# Behind our own packages, which come first.
site.addsitedir(sys.argv[1])
FOLDER = Path(sys.argv[2])

import django  # noqa: E402

django.setup()

from benchmarks.contradoc.content.tokens import tokens_in  # noqa: E402
from benchmarks.contradoc.making.local_models import load_bert_score, load_local  # noqa: E402
from judging.making.local_models import load_encoder, load_nli, token_pairs  # noqa: E402

loaded = {}


def measured(measure: str, first: str, second: str) -> float:
    if measure not in loaded:
        loaded[measure] = load_local(measure, FOLDER / measure)
    return loaded[measure](first, second)


def probability(label: str, premise: str, hypothesis: str) -> tuple[float, int]:
    if label not in loaded:
        loaded[label] = load_nli(FOLDER / "nli")
    return loaded[label](label, premise, hypothesis)


def windows(premise: str, hypothesis: str) -> list[tuple[str, str]]:
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(FOLDER / "nli")
    tokenizer.model_max_length = 62
    return token_pairs(tokenizer, premise, hypothesis)


def embedded(text: str) -> list[float]:
    if "encoder" not in loaded:
        loaded["encoder"] = load_encoder(FOLDER / "sentence_encoder")
    return loaded["encoder"](text)


def embedded_by_hand(text: str) -> list[float]:
    """The numbers of the model at the first token, which counts by the encoder's folder."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(FOLDER / "bertscore")
    model = transformers.AutoModel.from_pretrained(FOLDER / "bertscore").eval()
    with torch.no_grad():
        return model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0, 0].tolist()


@cache
def nli() -> tuple:
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(FOLDER / "nli")
    return tokenizer, transformers.AutoModelForSequenceClassification.from_pretrained(FOLDER / "nli").eval()


def label_by_hand(first: str, second: str) -> dict[str, float]:
    """The probability of each label, under the names that the model's folder has."""
    import torch

    tokenizer, model = nli()
    with torch.no_grad():
        scores = model(**tokenizer(first, second, return_tensors="pt")).logits[0].tolist()
    labels = json.loads((FOLDER / "nli" / "config.json").read_text())["id2label"]
    total = sum(map(math.exp, scores))
    return {labels[str(number)]: math.exp(score) / total for number, score in enumerate(scores)}


def perplexity_by_hand(text: str, window: int, step: int) -> float:
    """exp of the mean of -log p(token | what stands before it in its window), over all tokens but the first. Windows
    end after `window` tokens, then after every `step` more, and at the end."""
    import torch
    import transformers

    model = transformers.GPT2LMHeadModel.from_pretrained(FOLDER / "perplexity").eval()
    tokens = transformers.AutoTokenizer.from_pretrained(FOLDER / "perplexity")(text).input_ids
    told = []
    for at in range(1, len(tokens)):
        end = window if at < window else min(len(tokens), window + step * math.ceil((at + 1 - window) / step))
        before = tokens[max(0, end - window) : at]
        with torch.no_grad():
            scores = model(torch.tensor([before])).logits[0, -1].double().tolist()
        told.append(scores[tokens[at]] - math.log(sum(map(math.exp, scores))))
    return math.exp(-sum(told) / len(told))


ANSWERS = {
    "measured": measured,
    "probability": probability,
    "windows": windows,
    "embedded": embedded,
    "embedded by hand": embedded_by_hand,
    "label by hand": label_by_hand,
    "perplexity by hand": perplexity_by_hand,
    "bertscore": lambda pairs: load_bert_score(FOLDER / "bertscore")[1](pairs),
    "tokens": lambda text: tokens_in(FOLDER / "nli").count(text),
}

for line in sys.stdin:
    question, *values = json.loads(line)
    print(json.dumps(ANSWERS[question](*values)), flush=True)
