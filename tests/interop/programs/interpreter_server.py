"""Open Interpreter's own HTTP server, on an OpenAI-compatible model. Usage: BASE_URL MODEL [run].

What it wants to run, it asks about; with `run` it does so at once.
"""

import socket
import sys

from interpreter import AsyncInterpreter


def main(base_url: str, model: str, *more: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    interpreter = AsyncInterpreter()
    interpreter.offline = True
    interpreter.auto_run = "run" in more
    interpreter.llm.model = f"openai/{model}"
    interpreter.llm.api_base = base_url
    interpreter.llm.api_key = "none"
    interpreter.llm.context_window, interpreter.llm.max_tokens = 8192, 120
    interpreter.llm.supports_functions = interpreter.llm.supports_vision = False
    print(f"listening on http://127.0.0.1:{port}", flush=True)
    interpreter.server.run(host="127.0.0.1", port=port)


main(*sys.argv[1:])
