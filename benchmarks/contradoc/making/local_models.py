"""Models in folders of the worker's machine: GPT-2 or another causal model for perplexity, BERT for the next
sentence, a cross-encoder for contradiction, an encoder for BERTScore. They need the extra `local-models`, are loaded
from their folders only, and fetch nothing."""

import math
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from judging.making.local_folders import CONTRADICTION, NLI, check_folder
from judging.making.local_models import (
    FIRST_POSITION,
    MOST_WINDOW,
    installed,
    load_nli,
    parts_of,
)

from ..content.matching import Matcher
from .components import NEXT_SENTENCE, PERPLEXITY

Measure = Callable[[str, str], float]
# How much of the text before counts as context where a text is longer than the model's window.
OVERLAP = 0.5
# Of precision and recall, as the released scorer asks (`yes_verify` in eval_metric.py).
BERTSCORE_OVER = 0.98


def load_local(measure: str, folder: Path) -> Measure:
    """The function that measures with the model in a folder. Raises Refusal if the libraries or the folder are
    missing.
    """
    return {NLI: contradiction, NEXT_SENTENCE: next_sentence, PERPLEXITY: whole_perplexity}[measure](folder)


def contradiction(folder: Path) -> Measure:
    """The probability that two texts contradict each other."""
    probability = load_nli(folder)
    return lambda first, second: probability(CONTRADICTION, first, second)[0]


def next_sentence(folder: Path) -> Measure:
    """The probability that the second text follows the first."""
    tokenizer, model = parts_of("BertForNextSentencePrediction", folder)
    import torch

    def measure(first: str, second: str) -> float:
        with torch.no_grad():
            scores = model(**tokenizer(first, second, return_tensors="pt", truncation=True)).logits[0]
        return float(torch.softmax(scores, dim=-1)[0])

    return measure


def whole_perplexity(folder: Path) -> Measure:
    """The perplexity of a whole text, in overlapping windows if it is longer than the model's."""
    tokenizer, model = parts_of("AutoModelForCausalLM", folder)
    import torch

    window = min(MOST_WINDOW, int(getattr(model.config, "max_position_embeddings", 1_024)))

    def measure(first: str, second: str) -> float:
        tokens = tokenizer(first, return_tensors="pt").input_ids
        with torch.no_grad():
            return perplexity_in_windows(tokens, window, lambda part, counted: _loss(model, torch, part, counted))

    return measure


def _loss(model: Any, torch: Any, part: Any, counted: int) -> float:
    """The sum of -log p over the last `counted` tokens of a part."""
    scores = torch.log_softmax(model(part).logits[0, :-1], dim=-1)
    told = scores.gather(1, part[0, 1:].unsqueeze(1)).squeeze(1)
    return float(-told[-counted:].sum())


def perplexity_in_windows(tokens: Any, window: int, loss: Callable[[Any, int], float]) -> float:
    """exp of the mean loss over all tokens but the first. `loss` gets a part of the tokens and the number of its last
    ones that count; each counts once. Raises ValueError if there are fewer than two.
    """
    length = tokens.shape[1]
    if length < 2:
        raise ValueError("the text is too short to have a perplexity")
    total, done, step = 0.0, 1, max(1, int(window * (1 - OVERLAP)))
    while done < length:
        end = min(length, window) if done == 1 else min(length, done + step)
        total += loss(tokens[:, max(0, end - window) : end], end - done)
        done = end
    return math.exp(total / (length - 1))


# --- BERTScore ------------------------------------------------------------------------------------------------------


@cache
def load_bert_score(folder: Path) -> tuple[str, Matcher]:
    """BERTScore (Zhang et al., ICLR 2020) with the model in a folder, not rescaled: its name, and the function that
    says which quotes hit. The layer is the one that its authors chose for a model of the folder's name, otherwise the
    last. Raises Refusal if the libraries or the folder are missing.
    """
    check_folder(folder)
    with installed():
        from bert_score import BERTScorer
        from bert_score.utils import model2layers
        from transformers import AutoConfig
    config = AutoConfig.from_pretrained(str(folder), local_files_only=True)
    layer = min(model2layers.get(folder.name, config.num_hidden_layers), config.num_hidden_layers)
    scorer = BERTScorer(model_type=str(folder), num_layers=layer, device="cpu", use_fast_tokenizer=True)
    tokenizer = scorer._tokenizer
    tokenizer.model_max_length = min(tokenizer.model_max_length, config.max_position_embeddings - FIRST_POSITION)
    return f"BERTScore ({folder.name})"[:40], bert_score_over(scorer, BERTSCORE_OVER)


def bert_score_over(scorer: Any, least: float) -> Matcher:
    """The function that says which quotes have a precision or a recall over `least`. Blank ones have none."""

    def matcher(pairs: Sequence[tuple[str, str]]) -> list[bool]:
        asked = [number for number, pair in enumerate(pairs) if all(text.strip() for text in pair)]
        if not asked:
            return [False] * len(pairs)
        quotes, evidence = zip(*(pairs[number] for number in asked), strict=True)
        precision, recall, _ = scorer.score(list(quotes), list(evidence))
        over = {n for n, p, r in zip(asked, precision, recall, strict=True) if max(float(p), float(r)) > least}
        return [number in over for number in range(len(pairs))]

    return matcher
