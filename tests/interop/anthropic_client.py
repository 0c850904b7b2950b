"""Anthropic's SDK as a client: an agent is a model of its Messages API, and calls a function of the program."""

import json
import subprocess

import models
from clients import MODEL, QUESTION, hub_with_agent
from hub import PERSON, Hub, short
from install import python_packages
from outcome import Failed, expect
from scene import Scene

PEER = "Anthropic's SDK 2.14.0"
SPEAKS = "Anthropic's Messages API, as a client"
LONGEST = 300.0
CALLER = "caller"


def check(scene: Scene) -> list[str]:
    python = python_packages("anthropic", "3.11 3.12 3.13", ["anthropic==2.14.0"])

    def run(hub: Hub, *arguments: str) -> dict:
        env = {"ANTHROPIC_BASE_URL": hub.url, "ANTHROPIC_API_KEY": hub.token, "HOME": str(scene.folder)}
        command = [python, scene.programs / "anthropic_messages.py", *arguments]
        done = subprocess.run(command, cwd=scene.folder, env=env, capture_output=True, text=True, timeout=LONGEST)
        if done.returncode:
            raise Failed(f"the program ended with {done.returncode}: {done.stderr[-1500:]}")
        return json.loads(done.stdout)

    with hub_with_agent(scene.folder) as hub:
        said = run(hub, "stream", MODEL, QUESTION)
    expect(said["text"].strip() and said["pieces"] > 3, f"it did not stream: {said}")
    folder = scene.folder / "tools"
    folder.mkdir()
    with models.scripted(folder) as model:
        settings = {"PLEXUS_LLM_BASE_URL": model.says(models.LISTENS), "PLEXUS_LLM_MODEL": "scripted"}
        with Hub(folder, settings) as hub:
            hub.create(CALLER, "Calls functions.", "--instructions", "Answer.")
            called = run(hub, "tools", f"{PERSON}/{CALLER}")
    expect(called == {"city": "Bern", "text": "The tools said: rain"}, f"it answered {called}")
    return [
        f"{said['pieces']} pieces, stop reason {said['reason']}: “{short(said['text'])}”",
        "a function of the program was called, and its result answered",
    ]
