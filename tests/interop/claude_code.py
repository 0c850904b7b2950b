"""Claude Code as a client: the hub is its API, without settings beside address, token and model."""

import subprocess

import coding_clients
from clients import MODEL
from coding_clients import AFTER, BEFORE, Client, call, turns
from install import npm_packages
from outcome import Skipped
from scene import Scene

PEER = "Claude Code 2.1.197"
SPEAKS = "Anthropic's Messages API, as a client"


def check(scene: Scene) -> list[str]:
    modules = npm_packages("claude_code", "@anthropic-ai/claude-code@2.1.197")
    package = modules / "@anthropic-ai/claude-code"
    # Newer npm runs no scripts of packages, and this one chooses the program for the machine.
    done = subprocess.run(["node", "install.cjs"], cwd=package, capture_output=True, text=True)
    if done.returncode:
        raise Skipped(f"its program could not be installed: {done.stderr.strip()[-300:]}")

    def make(hub) -> Client:
        env = {
            "ANTHROPIC_BASE_URL": hub.url, "ANTHROPIC_AUTH_TOKEN": hub.token, "ANTHROPIC_MODEL": MODEL,
            "ANTHROPIC_DEFAULT_HAIKU_MODEL": MODEL, "DISABLE_AUTOUPDATER": "1",
        }
        command = [modules / ".bin/claude", "--allowedTools", "Bash,Read,Edit,Write", "-p"]
        return Client(scene, command, env)

    def edit(file) -> str:
        return turns(call("Read", file_path=str(file)), call("Edit", file_path=str(file), old_string=BEFORE, new_string=AFTER))

    shell = call("Bash", command="echo tide > seen.txt", description="Write a file")
    return coding_clients.check(scene, make, shell, edit)
