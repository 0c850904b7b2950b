"""Open WebUI as a client: somebody signs up there, connects it to the hub, and chats with an agent as with a model."""

import json

import completions
from clients import MODEL, QUESTION, hub_with_agent
from hub import short
from install import python_packages
from outcome import expect
from process import Program, free_port
from scene import Scene

PEER = "Open WebUI 0.12.4"
SPEAKS = "OpenAI's API, as a client"
PACKAGES = ["open-webui==0.12.4"]
# Only used for its own embeddings; these packages pull in gigabytes of GPU libraries.
WITHOUT = ("accelerate", "sentence-transformers")


def check(scene: Scene) -> list[str]:
    python = python_packages("open-webui", "3.12 3.11", PACKAGES, without=WITHOUT)
    port = free_port()
    command = [python.parent / "open-webui", "serve", "--host", "127.0.0.1", "--port", port]
    with hub_with_agent(scene.folder) as hub, Program(scene.folder, "webui", command, env=env(scene)) as webui:
        url = f"http://127.0.0.1:{port}"
        webui.answers(f"{url}/health")
        person = {"name": "Grace", "email": "grace@example.org", "password": "four quiet lanterns glow"}
        key = call(f"{url}/api/v1/auths/signup", "", person)["token"]
        connection = {
            "ENABLE_OPENAI_API": True, "OPENAI_API_BASE_URLS": [f"{hub.url}/v1"], "OPENAI_API_KEYS": [hub.token],
            "OPENAI_API_CONFIGS": {"0": {"enable": True}},
        }
        call(f"{url}/openai/config/update", key, connection)
        names = completions.models(f"{url}/api", key)
        expect(MODEL in names, f"its models are {names}")
        text, pieces = completions.stream(f"{url}/api", key, MODEL, QUESTION)
    expect(text.strip(), "the answer is empty")
    expect(pieces > 3, f"it did not stream: {pieces} pieces")
    listed = f"signed up, connected, and lists {len(names)} agents as models"
    return [listed, f"{len(text)} characters in {pieces} pieces: “{short(text)}”"]


def env(scene: Scene) -> dict[str, str]:
    """Everything that would reach for the network, or for models of its own, is off."""
    return {
        "DATA_DIR": str(scene.folder / "webui-data"), "HOME": str(scene.folder), "WEBUI_SECRET_KEY": "check",
        "ENABLE_OLLAMA_API": "false", "OFFLINE_MODE": "true", "HF_HUB_OFFLINE": "1", "ENABLE_VERSION_UPDATE_CHECK": "false",
        "RAG_EMBEDDING_ENGINE": "openai", "ANONYMIZED_TELEMETRY": "false", "SCARF_NO_ANALYTICS": "true",
        "DO_NOT_TRACK": "true",
    }


def call(url: str, key: str, body: object) -> dict:
    with completions.post(url, key, body) as answer:
        return json.load(answer)
