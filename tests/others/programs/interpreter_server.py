"""Open Interpreter's own HTTP server, on an OpenAI-compatible model. Usage: BASE_URL MODEL PORT."""

import sys

from interpreter import AsyncInterpreter


def main(base_url: str, model: str, port: str) -> None:
    interpreter = AsyncInterpreter()
    interpreter.offline = True
    # What it wants to run, it asks about.
    interpreter.auto_run = False
    interpreter.llm.model = f"openai/{model}"
    interpreter.llm.api_base = base_url
    interpreter.llm.api_key = "none"
    interpreter.llm.context_window, interpreter.llm.max_tokens = 8192, 120
    interpreter.llm.supports_functions = interpreter.llm.supports_vision = False
    interpreter.server.run(host="127.0.0.1", port=int(port))


main(*sys.argv[1:])
