"""An agent as the documentation of Strands shows one, on an OpenAI-compatible model. Usage: BASE_URL MODEL."""

import socket
import sys

from strands import Agent
from strands.models.openai import OpenAIModel
from strands.multiagent.a2a import A2AServer


def main(base_url: str, model: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    def make(_context: str) -> Agent:
        own = OpenAIModel(client_args={"api_key": "none", "base_url": base_url}, model_id=model, params={"max_tokens": 120})
        return Agent(name="Harbour pilot", description="Talks about the sea.", model=own, callback_handler=None)

    server = A2AServer(agent_factory=make, host="127.0.0.1", port=port, enable_a2a_compliant_streaming=True)
    print(f"listening on http://127.0.0.1:{port}", flush=True)
    server.serve()


main(*sys.argv[1:])
