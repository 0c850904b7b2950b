"""LiteLLM's proxy as a client: the hub is one of its OpenAI-compatible upstreams, an agent one of its models."""

import json
from pathlib import Path

import completions
from clients import MODEL, QUESTION, hub_with_agent
from hub import short
from install import python_packages
from outcome import expect
from process import Program, free_port
from scene import Scene

PEER = "LiteLLM's proxy 1.106.2"
SPEAKS = "OpenAI's API, as a client"
KEY = "sk-check"


def environment() -> Path:
    return python_packages("litellm", "3.11 3.12 3.13", ["litellm[proxy]==1.106.2"])


def check(scene: Scene) -> list[str]:
    python = environment()
    port = free_port()
    with hub_with_agent(scene.folder) as hub:
        config = scene.folder / "litellm.yaml"
        upstream = {"model": f"openai/{MODEL}", "api_base": f"{hub.url}/v1", "api_key": hub.token}
        # JSON is valid YAML.
        config.write_text(json.dumps({"model_list": [{"model_name": "tide-clerk", "litellm_params": upstream}]}))
        command = [python.parent / "litellm", "--config", config, "--host", "127.0.0.1", "--port", port]
        env = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": KEY, "LITELLM_MODE": "PRODUCTION"}
        with Program(scene.folder, "litellm", command, env=env) as proxy:
            base_url = f"http://127.0.0.1:{port}"
            proxy.answers(f"{base_url}/health/liveliness")
            names = completions.models(f"{base_url}/v1", KEY)
            expect(names == ["tide-clerk"], f"its models are {names}")
            text, pieces = completions.stream(f"{base_url}/v1", KEY, "tide-clerk", QUESTION)
    expect(text.strip(), "the answer is empty")
    expect(pieces > 3, f"it did not stream: {pieces} pieces")
    return [f"{len(text)} characters in {pieces} pieces through the proxy: “{short(text)}”"]
