"""Models in folders of the worker's machine: an NLI cross-encoder, and a sentence encoder. They need the extra
`local-models`, are loaded from their folders only, and fetch nothing.

A text longer than a model's window is read in several windows, and nothing is cut.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.refusals import Refusal

from .local_folders import check_folder, go_offline, nli_labels
from .windows import pairs_of_windows, windows_of

NOT_INSTALLED = "The libraries for local models are not installed. An operator adds them with the extra local-models."
# A longer window takes memory that grows with its square, or with a large vocabulary.
MOST_WINDOW = 2_048
# Of two texts, each window is read with each: with BERT's 512 tokens, two texts of 2,500 tokens or one of 50,000.
MOST_PAIRS = 400
# RoBERTa counts positions from 2, so that its window is so much shorter than its table.
FIRST_POSITION = 2
# The probability of a label for a premise and a hypothesis, in the best window, and the number of windows.
Probability = Callable[[str, str, str], tuple[float, int]]
Embed = Callable[[str], Sequence[float]]


def parts_of(kind: str, folder: Path) -> tuple[Any, Any]:
    """The tokenizer and the model of this kind in a folder. Raises Refusal if the libraries or the folder are
    missing.
    """
    check_folder(folder)
    with installed():
        import torch  # noqa: F401
        import transformers
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    model = getattr(transformers, kind).from_pretrained(str(folder), local_files_only=True)
    model.eval()
    positions = int(getattr(model.config, "max_position_embeddings", 512))
    # A folder need not state the longest text that its tokenizer may pass to the model.
    tokenizer.model_max_length = min(tokenizer.model_max_length, positions - FIRST_POSITION)
    return tokenizer, model


@contextmanager
def installed() -> Iterator[None]:
    """Import the libraries of the extra inside, offline. Raises Refusal if one is not installed."""
    go_offline()
    try:
        yield
    except ImportError:
        raise Refusal(NOT_INSTALLED) from None


def load_nli(folder: Path) -> Probability:
    """The cross-encoder in a folder. Raises Refusal if the libraries or the folder are missing, or its labels are
    unknown.
    """
    labels = nli_labels(folder)
    tokenizer, model = parts_of("AutoModelForSequenceClassification", folder)
    import torch

    def probability(label: str, premise: str, hypothesis: str) -> tuple[float, int]:
        pairs = token_pairs(tokenizer, premise, hypothesis)
        with torch.no_grad():
            scores = [model(**tokenizer(*pair, return_tensors="pt")).logits[0] for pair in pairs]
        return max(float(torch.softmax(each, dim=-1)[labels[label]]) for each in scores), len(pairs)

    return probability


def token_pairs(tokenizer: Any, premise: str, hypothesis: str) -> list[tuple[str, str]]:
    """A premise and a hypothesis in pairs of windows that the model of this tokenizer reads as a whole. Raises
    ValueError if there would be too many.
    """
    most = min(MOST_WINDOW, tokenizer.model_max_length) - tokenizer.num_special_tokens_to_add(pair=True)
    pairs = pairs_of_windows(premise, hypothesis, most, length_in_tokens(tokenizer))
    if len(pairs) > MOST_PAIRS:
        raise ValueError(f"the texts are too long: they would be read in {len(pairs):,} pairs of windows")
    return pairs


def length_in_tokens(tokenizer: Any) -> Callable[[str], int]:
    return lambda text: len(tokenizer(text, add_special_tokens=False, verbose=False).input_ids)


def load_encoder(folder: Path) -> Embed:
    """The sentence encoder in a folder, which says itself how its tokens become one vector. The vector of a longer
    text is the mean of those of its windows. Raises Refusal if the libraries or the folder are missing.
    """
    check_folder(folder)
    with installed():
        from sentence_transformers import SentenceTransformer
    encoder = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    tokenizer = encoder.tokenizer
    most = min(MOST_WINDOW, encoder.max_seq_length or MOST_WINDOW) - tokenizer.num_special_tokens_to_add()

    def embed(text: str) -> Sequence[float]:
        windows = windows_of(text, most, length_in_tokens(tokenizer))
        return encoder.encode(windows, show_progress_bar=False).mean(axis=0).tolist()

    return embed
