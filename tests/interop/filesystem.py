"""An agent that a model plays with the filesystem server of MCP as its tools, a program that the hub starts behind walls.

A script plays the model, since the small one calls no tools; server, files and refusal are real.
"""

import json
import shutil
from pathlib import Path

import models
from hub import Answer, Hub, short
from install import npm_packages
from outcome import Skipped, expect
from scene import Scene

PEER = "MCP's filesystem server 2026.8.31"
SPEAKS = "MCP over its standard streams"
NOTES = "milk, bread"


def check(scene: Scene) -> list[str]:
    if not shutil.which("bwrap"):
        raise Skipped("bubblewrap is missing, so the hub starts no programs")
    modules = npm_packages("filesystem", "@modelcontextprotocol/server-filesystem@2026.8.31")
    shared = scene.folder / "shared"
    shared.mkdir()
    (shared / "notes.txt").write_text(NOTES)
    with models.scripted(scene.folder) as model:
        settings = {
            "PLEXUS_LLM_BASE_URL": model.says(models.LISTENS), "PLEXUS_LLM_MODEL": "scripted",
            "PLEXUS_PROGRAMS": listed(modules, shared),
        }
        with Hub(scene.folder, settings) as hub:
            tools = [{"program": "files"}]
            told = {"name": "clerk", "summary": "Keeps lists.", "instructions": "Use tools.", "visibility": "public"}
            hub.api("POST", "/agents", {**told, "tools": tools})
            answer = hub.ask("clerk", task())
    return seen(answer, shared)


def seen(answer: Answer, shared: Path) -> list[str]:
    expect(answer.run == "completed", f"{answer.run}: {answer.parts}")
    calls = [part for part in answer.parts if part["kind"] == "tool"]
    expect(len(calls) == 3, f"it made {len(calls)} calls: {answer.parts}")
    expect(NOTES in json.dumps(calls[0]["result"]), f"the file was not read: {calls[0]}")
    expect("Access denied" in json.dumps(calls[2]["result"]), f"what is outside was not refused: {calls[2]}")
    expect(NOTES in answer.text, f"the model did not see the file: {answer.text}")
    written = (shared / "list.md").read_text()
    expect(written == "- milk\n- bread\n", f"it wrote {written}")
    return ["read notes.txt, wrote list.md, was refused /etc/passwd, and ended", f"the answer: “{short(answer.text)}”"]


def task() -> str:
    """What the scripted model is to call, turn by turn."""
    calls = [
        ("read_text_file", {"path": "/work/notes.txt"}), None,
        ("write_file", {"path": "/work/list.md", "content": "- milk\n- bread\n"}),
        ("read_text_file", {"path": "/etc/passwd"}),
    ]
    return "\n".join("then" if call is None else f"call={call[0]} {json.dumps(call[1])}" for call in calls)


def listed(modules: Path, shared: Path) -> str:
    server = modules / "@modelcontextprotocol/server-filesystem/dist/index.js"
    return (
        f'{{ files = {{ protocol = "mcp", command = "node", args = [{json.dumps(str(server))}, "/work"], '
        f'working_dir = {json.dumps(str(shared))}, read_only = [{json.dumps(str(modules))}], '
        f'allowed_accounts = ["everyone"] }} }}'
    )
