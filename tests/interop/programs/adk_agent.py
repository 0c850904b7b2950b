"""An agent of Google's ADK, served over A2A, on an OpenAI-compatible model. Usage: BASE_URL MODEL."""

import os
import socket
import sys

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import uvicorn
from google.adk.a2a.utils.agent_to_a2a import to_a2a
from google.adk.agents import LlmAgent
from google.adk.models.lite_llm import LiteLlm


def main(base_url: str, model: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    own = LiteLlm(model=f"openai/{model}", api_base=base_url, api_key="none", max_tokens=120)
    agent = LlmAgent(name="lighthouse", description="Talks about the sea.", instruction="Answer in short sentences.", model=own)
    print(f"listening on http://127.0.0.1:{port}", flush=True)
    uvicorn.run(to_a2a(agent, host="127.0.0.1", port=port), host="127.0.0.1", port=port, log_level="warning")


main(*sys.argv[1:])
