"""An agent of Pydantic AI served by FastA2A, on an OpenAI-compatible model. Usage: BASE_URL MODEL."""

import socket
import sys

import uvicorn
from fasta2a.pydantic_ai import agent_to_a2a
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


def main(base_url: str, model: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    own = OpenAIChatModel(model, provider=OpenAIProvider(base_url=base_url, api_key="none"))
    agent = Agent(own, instructions="Answer in one or two short sentences.", model_settings={"max_tokens": 120})
    url = f"http://127.0.0.1:{port}"
    app = agent_to_a2a(agent, name="Chart maker", description="Talks about maps.", url=url)
    print(f"listening on {url}", flush=True)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


main(*sys.argv[1:])
