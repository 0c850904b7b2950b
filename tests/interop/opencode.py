"""opencode, which speaks the Agent Client Protocol, as a program of the hub behind walls, on the real small model."""

import json
import shutil
from pathlib import Path

import models
from hub import Hub
from install import npm_packages
from outcome import Skipped, expect
from scene import Scene

PEER = "opencode 1.18.33"
SPEAKS = "the Agent Client Protocol 1"


def check(scene: Scene) -> list[str]:
    if not shutil.which("bwrap"):
        raise Skipped("bubblewrap is missing, so the hub starts no programs")
    modules = npm_packages("opencode", "opencode-ai@1.18.33")
    with models.real(scene.folder) as model:
        configure(scene.folder / "data/programs/opencode", model.says(models.LISTENS))
        with Hub(scene.folder, {"PLEXUS_PROGRAMS": listed(modules)}) as hub:
            hub.create("opencode", "A coding agent of another maker.", "--program", "opencode")
            answer = hub.ask("opencode", "Say hello in one short sentence.")
    expect(answer.run == "completed" and answer.text.strip(), f"{answer.run}: {answer.text}")
    return [answer.told()]


def listed(modules: Path) -> str:
    """It reaches the model on loopback, so it has the network."""
    off = {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"}
    env = {"OPENCODE_CONFIG": "/work/opencode.json", **off}
    words = ", ".join(f"{name} = {json.dumps(value)}" for name, value in env.items())
    program, seen = json.dumps(str(modules / "opencode-ai/bin/opencode.exe")), json.dumps(str(modules))
    return (
        f'{{ opencode = {{ command = {program}, args = ["acp"], env = {{ {words} }}, read_only = [{seen}], '
        'network = true, max_memory_mib = 4096, allowed_accounts = ["everyone"] } }'
    )


def configure(folder: Path, base_url: str) -> None:
    """Whatever would need leave is denied in its own settings."""
    model = {"name": "SmolLM2", "limit": {"context": 8192, "output": 256}}
    local = {
        "npm": "@ai-sdk/openai-compatible", "name": "Local", "options": {"baseURL": base_url},
        "models": {models.NAME: model},
    }
    chosen = f"local/{models.NAME}"
    settings = {
        "model": chosen, "small_model": chosen, "permission": {"*": "deny"}, "share": "disabled",
        "provider": {"local": local},
    }
    folder.mkdir(parents=True)
    (folder / "opencode.json").write_text(json.dumps(settings))
