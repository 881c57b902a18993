"""llama.cpp's own server on a port of this machine, with a tiny model that is written first, into the current folder.

    python serve.py 8099

The model, `tiny.gguf`, is a Llama of one layer with random weights. Its vocabulary has the labels of options in
several forms, and bytes for all other text. `weights.npz` has the same weights, for whoever computes
its logits without llama.cpp.
"""

import sys
import threading

import gguf
import numpy as np
import xllamacpp

EMBEDDING, HEADS, FEED_FORWARD, CONTEXT = 32, 4, 64, 1024
SEED = 5
SIZE = 0.3
# "▁" is the blank before a word.
SPECIAL = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
LABELS = [form.format(letter) for letter in "ABCD" for form in ("▁{}", "{}", "({})", "▁({})")]
WORDS = ["▁", *LABELS, "(", "▁(", ":", "▁the", "▁of", "▁in", "Answer"]
TYPES = [2, 3, 3, *[6] * 256, *[1] * len(WORDS)]  # unknown, control, byte and normal tokens
AS_ONE_TEXT = "{% for message in messages %}{{ message.content }}{% endfor %}"


def weights() -> dict[str, np.ndarray]:
    """The weights by their names in the file."""
    chance, tokens = np.random.default_rng(SEED), len(SPECIAL) + len(WORDS)

    def drawn(*shape: int, size: float = SIZE) -> np.ndarray:
        return (chance.standard_normal(shape) * size).astype(np.float32)

    found = {"token_embd": drawn(tokens, EMBEDDING, size=1), "output": drawn(tokens, EMBEDDING)}
    found |= {name: np.ones(EMBEDDING, np.float32) for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm")}
    found |= {f"blk.0.attn_{name}": drawn(EMBEDDING, EMBEDDING) for name in ("q", "k", "v", "output")}
    found |= {f"blk.0.ffn_{name}": drawn(FEED_FORWARD, EMBEDDING) for name in ("gate", "up")}
    return found | {"blk.0.ffn_down": drawn(EMBEDDING, FEED_FORWARD)}


def write_model(path: str, tensors: dict[str, np.ndarray]) -> None:
    file = gguf.GGUFWriter(path, "llama")
    file.add_context_length(CONTEXT)
    file.add_embedding_length(EMBEDDING)
    file.add_block_count(1)
    file.add_feed_forward_length(FEED_FORWARD)
    file.add_head_count(HEADS)
    file.add_head_count_kv(HEADS)
    file.add_layer_norm_rms_eps(1e-5)
    file.add_rope_dimension_count(EMBEDDING // HEADS)
    file.add_tokenizer_model("llama")
    file.add_token_list([*SPECIAL, *WORDS])
    file.add_token_scores([0.0] * len(SPECIAL) + [-float(rank) for rank in range(len(WORDS))])
    file.add_token_types(TYPES)
    file.add_bos_token_id(1)
    file.add_eos_token_id(2)
    file.add_unk_token_id(0)
    file.add_chat_template(AS_ONE_TEXT)
    for name, values in tensors.items():
        file.add_tensor(f"{name}.weight", values)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


def serve(port: int) -> None:
    asked = xllamacpp.CommonParams()
    asked.model.path, asked.port, asked.n_ctx, asked.n_parallel = "tiny.gguf", port, CONTEXT, 1
    asked.cpuparams.n_threads = 1
    # As exact as its weights: by default, keys and values are halved.
    asked.cache_type_k = asked.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
    asked.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    server = xllamacpp.Server(asked)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    tensors = weights()
    np.savez("weights.npz", **tensors)
    write_model("tiny.gguf", tensors)
    serve(int(sys.argv[1]))
