"""llama.cpp's server with a tiny random model in an environment of its own, and the same model computed by numpy."""

import json
import os
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np

from tests.servers.services import free_port

SERVE = Path(__file__).parents[2] / "environments" / "llama_cpp" / "serve.py"
SECONDS_TO_START = 120.0
HEADS, EPSILON, ROTATION = 4, 1e-5, 10_000.0


class LlamaServer:
    """The server as a process of its own: `with LlamaServer(for_tests("llama_cpp"), folder) as server: ...`."""

    def __init__(self, environment: Path, folder: Path):
        self.python, self.folder = environment / "bin" / "python", folder
        self.log, self.port = folder / "llama.log", free_port()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> "LlamaServer":
        env = {"PATH": os.environ.get("PATH", ""), "HOME": str(self.folder)}
        command = [str(self.python), str(SERVE), str(self.port)]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, env=env, cwd=self.folder, stdout=log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + SECONDS_TO_START
        while f"http://127.0.0.1:{self.port}\n" not in self.log.read_text(errors="replace"):
            if time.monotonic() > deadline or self.process.poll() is not None:
                self.__exit__()
                raise RuntimeError(f"llama.cpp did not start: {self.log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.1)
        self.model = TinyLlama(self.folder / "weights.npz")
        return self

    def __exit__(self, *exc: object) -> None:
        self.process.kill()
        self.process.wait()

    def tokens_of(self, text: str) -> list[int]:
        """The tokens of a prompt, by its tokenizer."""
        return self.ask("/tokenize", {"content": text, "add_special": True})["tokens"]

    def words(self, tokens: list[int]) -> list[str]:
        """The text of each token by itself."""
        return [self.ask("/detokenize", {"tokens": [token]})["content"] for token in tokens]

    def ask(self, path: str, body: dict[str, Any]) -> Any:
        address = f"http://127.0.0.1:{self.port}{path}"
        request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)


class TinyLlama:
    """A Llama of one layer: tokens in, the log-probabilities of the next token out."""

    def __init__(self, file: Path):
        self.weights = {name: values.astype(float) for name, values in np.load(file).items()}

    def logprobs(self, tokens: list[int]) -> np.ndarray:
        states = self.weights["token_embd"][tokens]
        states = states + self.times(self.attended(normed(states)), "blk.0.attn_output")
        states = states + self.fed_forward(normed(states))
        logits = self.times(normed(states[-1]), "output")
        return logits - logits.max() - np.log(np.exp(logits - logits.max()).sum())

    def times(self, states: np.ndarray, name: str) -> np.ndarray:
        return states @ self.weights[name].T

    def attended(self, states: np.ndarray) -> np.ndarray:
        """Attention to the tokens so far, by head, with rotated positions."""
        query, key, value = (in_heads(self.times(states, f"blk.0.attn_{name}")) for name in "qkv")
        count, _, size = query.shape
        scores = np.einsum("qhd,khd->hqk", rotated(query), rotated(key)) / np.sqrt(size)
        scores = np.where(np.tril(np.ones((count, count), dtype=bool)), scores, -np.inf)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        return np.einsum("hqk,khd->qhd", shares, value).reshape(count, -1)

    def fed_forward(self, states: np.ndarray) -> np.ndarray:
        gate = self.times(states, "blk.0.ffn_gate")
        opened = gate / (1 + np.exp(-gate)) * self.times(states, "blk.0.ffn_up")
        return self.times(opened, "blk.0.ffn_down")


def normed(states: np.ndarray) -> np.ndarray:
    return states / np.sqrt((states**2).mean(-1, keepdims=True) + EPSILON)


def in_heads(states: np.ndarray) -> np.ndarray:
    return states.reshape(len(states), HEADS, -1)


def rotated(heads: np.ndarray) -> np.ndarray:
    """Each pair of neighbours turned by an angle that grows with the position (RoFormer, Su et al. 2021)."""
    count, _, size = heads.shape
    angles = np.arange(count)[:, None] * ROTATION ** (-np.arange(0, size, 2) / size)
    cosine, sine = np.cos(angles)[:, None], np.sin(angles)[:, None]
    even, odd = heads[..., 0::2], heads[..., 1::2]
    return np.stack([even * cosine - odd * sine, even * sine + odd * cosine], axis=-1).reshape(heads.shape)
