"""What clients have in common: a hub with an agent for them to talk to, and a program that uses their library."""

import json
import subprocess
from contextlib import contextmanager
from pathlib import Path

import models
from hub import PERSON, Hub
from outcome import Failed
from scene import Scene

AGENT = "tides"
ADDRESS = f"@{PERSON}/{AGENT}"
MODEL = f"{PERSON}/{AGENT}"
QUESTION = "What is a spring tide?"
LONGEST = 300.0


@contextmanager
def hub_with_agent(folder: Path):
    """A hub whose agent is on the small real model."""
    with models.real(folder) as model:
        settings = {"PLEXUS_LLM_BASE_URL": model.says(models.LISTENS), "PLEXUS_LLM_MODEL": models.NAME}
        with Hub(folder, settings) as hub:
            told = "You are a friendly tide clerk in a harbour. Answer in one or two short sentences."
            hub.create(AGENT, "Answers questions about the sea.", "--instructions", told)
            yield hub


@contextmanager
def hub_with_script(folder: Path, visibility: str = "public"):
    """A hub whose agent is on the scripted model, which calls tools as the message says."""
    with models.scripted(folder) as model:
        settings = {"PLEXUS_LLM_BASE_URL": model.says(models.LISTENS), "PLEXUS_LLM_MODEL": "scripted"}
        with Hub(folder, settings) as hub:
            told = {"name": AGENT, "summary": "Answers questions about the sea.", "instructions": "Answer."}
            hub.api("POST", "/agents", {**told, "visibility": visibility})
            yield hub


def answer_of(scene: Scene, python: Path, program: str, *arguments: str, env: dict[str, str]) -> dict:
    """What a program of the check prints: JSON, from the environment of a client."""
    command = [python, scene.programs / program, *arguments]
    env = {"HOME": str(scene.folder), "PATH": "/usr/bin:/bin", **env}
    try:
        done = subprocess.run(command, cwd=scene.folder, env=env, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired as late:
        raise Failed(f"{program} did not end within {LONGEST:.0f} s: {(late.stderr or b'')[-1500:]!r}") from None
    if done.returncode:
        raise Failed(f"{program} ended with {done.returncode}: {done.stderr[-2500:]}")
    return json.loads(done.stdout.splitlines()[-1])
