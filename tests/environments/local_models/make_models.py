"""Makes small models with random weights and saves them in folders, as `make_models.py FOLDER`: a GPT-2, a BERT for
the next sentence, a BERT that says in three labels how two texts relate, one for BERTScore, and a sentence encoder of
that; with tokenizers made here. Their windows are short, and none says how long a text may be."""

import sys
from pathlib import Path

import torch
import transformers
from sentence_transformers import SentenceTransformer
from sentence_transformers import models as modules
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

TEXT = "Tom lives in Rome. He has a dog. The dog likes bread. Bread is cheap in Rome. Nobody knows why. It rains."
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
# Not in the usual order.
LABELS = {0: "neutral", 1: "Contradiction", 2: "entailment"}
BERTS = {
    "next_sentence": (transformers.BertForNextSentencePrediction, {}),
    "nli": (
        transformers.BertForSequenceClassification,
        {"num_labels": 3, "id2label": LABELS, "label2id": {label: number for number, label in LABELS.items()}},
    ),
    "bertscore": (transformers.BertModel, {}),
}


def byte_pairs() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator([TEXT], trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet))
    return tokenizer


def word_pieces() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator([TEXT], trainers.WordPieceTrainer(vocab_size=300, special_tokens=SPECIAL))
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", tokenizer.token_to_id("[SEP]")), ("[CLS]", tokenizer.token_to_id("[CLS]"))
    )
    return tokenizer


def make(folder: Path) -> None:
    torch.manual_seed(3)
    pairs, pieces = byte_pairs(), word_pieces()
    sizes = {"n_positions": 32, "n_embd": 16, "n_layer": 2, "n_head": 2}
    gpt2 = transformers.GPT2Config(vocab_size=pairs.get_vocab_size(), **sizes)
    transformers.GPT2LMHeadModel(gpt2).save_pretrained(folder / "perplexity")
    transformers.PreTrainedTokenizerFast(tokenizer_object=pairs).save_pretrained(folder / "perplexity")
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    sizes |= {"vocab_size": pieces.get_vocab_size(), "max_position_embeddings": 64}
    for name, (kind, more) in BERTS.items():
        kind(transformers.BertConfig(**sizes, **more)).save_pretrained(folder / name)
        transformers.BertTokenizerFast(tokenizer_object=pieces).save_pretrained(folder / name)
    words = modules.Transformer(str(folder / "bertscore"))
    pooling = modules.Pooling(words.get_word_embedding_dimension(), pooling_mode="cls")
    SentenceTransformer(modules=[words, pooling]).save(str(folder / "sentence_encoder"))


make(Path(sys.argv[1]))
