"""Classic AutoGPT over its terminal by `plexus agent run`: what it asks on the terminal is asked in the chat.

The small model cannot write its commands, so a script plays the model; AutoGPT itself, its commands and its files are real.
"""

import json
from pathlib import Path

import litellm_client
import models
from hub import Answer, Hub
from install import python_packages
from outcome import Skipped, expect
from process import Program
from scene import Scene

PEER = "AutoGPT (agpt 0.2.2)"
SPEAKS = "its terminal"
# The package declares no dependencies. These versions are of its time, or newer where compatible.
PACKAGES = """
    agpt==0.2.2 openai==0.27.8 tiktoken==0.5.2 duckduckgo-search==2.8.6 numpy==1.26.4 playsound==1.2.2 GitPython==3.2.1
    openapi-python-client==0.28.4 auto_gpt_plugin_template==0.0.3 click==8.5.1 colorama==0.4.6 python-dotenv==1.2.4
    PyYAML==6.0.3 requests==2.34.2 beautifulsoup4==4.15.0 selenium==4.51.0 webdriver-manager==4.1.2 docker==7.2.0
    tweepy==4.17.0 spacy==3.8.18 gTTS==2.2.4 orjson==3.13.0 Pillow==12.3.0 regex==2026.9.29 jsonschema==4.26.0
""".split()
# Its token vocabulary is normally downloaded. LiteLLM ships it under the same name.
VOCABULARY = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
FILE, TEXT = "tides.txt", "A spring tide comes at full and at new moon."


def check(scene: Scene) -> list[str]:
    python = environment()
    with models.scripted(scene.folder, script()) as model, Hub(scene.folder) as hub:
        attach(hub, python, model)
        turns = [hub.ask("autogpt", f"Write what a spring tide is into {FILE}, and check it.")]
        for _ in range(3):
            expect(turns[-1].run == "input_required", f"it did not ask for leave: {turns[-1].run}: {turns[-1].text}")
            turns.append(hub.say(turns[-1], "y"))
    return seen(scene.folder, turns)


def environment() -> Path:
    return python_packages("agpt", "3.10", PACKAGES)


def attach(hub: Hub, python: Path, model: Program, **settings: str) -> Program:
    """AutoGPT at the hub, on this model; it works in the folder `auto_gpt_workspace` of the hub's folder."""
    furnish(hub.folder)
    env = {
        "OPENAI_API_BASE": model.says(models.LISTENS), "OPENAI_API_KEY": "none", "MEMORY_BACKEND": "no_memory",
        "TIKTOKEN_CACHE_DIR": str(vocabulary()), "HOME": str(hub.folder), "PYTHONUNBUFFERED": "1", **settings,
    }
    program = [python, "-m", "autogpt", "--skip-news", "--ai-settings", "ai_settings.yaml"]
    summary = "Works towards a goal, step by step."
    return hub.attach("autogpt", summary, "--question-suffix", "Input:", "--", *program, env=env)


def seen(folder: Path, turns: list[Answer]) -> list[str]:
    for turn, command in zip(turns, ["write_to_file", "read_file", "task_complete"]):
        expect(f"COMMAND = {command}" in turn.text, f"it did not propose {command}: {turn.text}")
    expect("Thinking" not in turns[0].text, f"its spinner is no part of what it says: {turns[0].text}")
    expect(TEXT in turns[2].text, f"it did not show what it read: {turns[2].text}")
    expect(turns[3].run == "completed", f"it did not end: {turns[3].run}: {turns[3].text}")
    written = (folder / "auto_gpt_workspace" / FILE).read_text()
    expect(written == TEXT, f"the file holds {written}")
    return [
        f"asked for leave three times, wrote {FILE}, read it and ended by task_complete",
        f"its first turn: {turns[0].told()}",
    ]


def script() -> list[str]:
    """It plans before it reads what the person wants, which reaches it as feedback to its first plan."""
    return [
        says("I wait for what the person wants.", "do_nothing", {}),
        says("I write it down.", "write_to_file", {"filename": FILE, "text": TEXT}),
        says("I check the file.", "read_file", {"filename": FILE}),
        says("That is all.", "task_complete", {"reason": "The file is written and checked."}),
    ]


def says(thought: str, command: str, arguments: dict) -> str:
    thoughts = {"text": thought, "reasoning": "It was asked for.", "plan": "- one step", "criticism": "None.", "speak": ""}
    return json.dumps({"thoughts": thoughts, "command": {"name": command, "args": arguments}})


def furnish(folder: Path) -> None:
    """Who it is, and a schema of its answers that its package lacks and that it looks for where it is started."""
    goal = "Do what the person asks"
    settings = {"ai_name": "Clerk", "ai_role": "somebody who helps", "ai_goals": [goal]}
    (folder / "ai_settings.yaml").write_text(json.dumps(settings))
    (folder / "autogpt/json_utils").mkdir(parents=True)
    schema = {"type": "object", "required": ["thoughts", "command"]}
    (folder / "autogpt/json_utils/llm_response_format_1.json").write_text(json.dumps(schema))


def vocabulary() -> Path:
    environment = litellm_client.environment().parents[1]
    found = list(environment.glob(f"lib/python3*/site-packages/litellm/**/tokenizers/{VOCABULARY}"))
    if not found:
        raise Skipped("LiteLLM does not bring the vocabulary along that it counts tokens with")
    return found[0].parent
