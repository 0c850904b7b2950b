"""Anthropic's SDK as a client: an agent is a model of its Messages API, and calls a function of the program."""

from clients import MODEL, QUESTION, answer_of, hub_with_agent, hub_with_script
from hub import Hub, short
from install import python_packages
from outcome import expect
from scene import Scene

PEER = "Anthropic's SDK 2.14.0"
SPEAKS = "Anthropic's Messages API, as a client"


def check(scene: Scene) -> list[str]:
    python = python_packages("anthropic", "3.11 3.12 3.13", ["anthropic==2.14.0"])

    def run(hub: Hub, *arguments: str) -> dict:
        env = {"ANTHROPIC_BASE_URL": hub.url, "ANTHROPIC_API_KEY": hub.token}
        return answer_of(scene, python, "anthropic_messages.py", *arguments, env=env)

    with hub_with_agent(scene.folder) as hub:
        said = run(hub, "stream", MODEL, QUESTION)
    expect(said["text"].strip() and said["pieces"] > 3, f"it did not stream: {said}")
    folder = scene.folder / "tools"
    folder.mkdir()
    with hub_with_script(folder) as hub:
        called = run(hub, "tools", MODEL)
    expect(called == {"city": "Bern", "text": "The tools said: rain"}, f"it answered {called}")
    return [
        f"{said['pieces']} pieces, stop reason {said['reason']}: “{short(said['text'])}”",
        "a function of the program was called, and its result answered",
    ]
