"""A real small model behind an OpenAI-compatible server: SmolLM2 135M on xllamacpp.

`serve.py --port 8089` prints `listening on http://127.0.0.1:PORT/v1` when the model is loaded.
"""

import argparse
import json
import signal
import socket
import time
import urllib.error
import urllib.request
from pathlib import Path

import xllamacpp

WEIGHTS = Path(__file__).parents[3] / ".cache/models/SmolLM2-135M-Instruct.Q4_1.gguf"
LONGEST_LOAD = 60.0


def main() -> None:
    options = read_options()
    signal.signal(signal.SIGTERM, lambda *_: exit(0))
    port = options.port or free_port()
    server = xllamacpp.Server(parameters(options, port))
    wait_until_loaded(port)
    print(f"listening on http://127.0.0.1:{port}/v1", flush=True)
    signal.pause()
    del server


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--name", default="smollm2", help="the name that /v1/models tells")
    parser.add_argument("--threads", type=int, default=2, help="1 where other programs need the cores as well")
    parser.add_argument("--longest-answer", type=int, default=-1, help="tokens, where nobody names a number; -1: any")
    return parser.parse_args()


def parameters(options: argparse.Namespace, port: int) -> xllamacpp.CommonParams:
    chosen = xllamacpp.CommonParams()
    chosen.model.path = str(options.weights)
    chosen.model_alias = {options.name}
    chosen.hostnames = ["127.0.0.1"]
    chosen.port = port
    chosen.n_ctx = 8192
    chosen.n_parallel = 1
    chosen.n_predict = options.longest_answer
    chosen.cpuparams.n_threads = options.threads
    chosen.use_jinja = True
    # Only warnings and errors: the log lines of each request would flood the output of the tests.
    chosen.verbosity = 2
    return chosen


def wait_until_loaded(port: int) -> None:
    """`/health` answers 503 while the weights load."""
    deadline = time.monotonic() + LONGEST_LOAD
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1) as answer:
                if json.load(answer).get("status") == "ok":
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise SystemExit(f"the model did not load within {LONGEST_LOAD:.0f} s")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


if __name__ == "__main__":
    main()
