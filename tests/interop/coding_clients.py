"""What coding agents on the command line have in common as clients: the hub's agent is their model, on the scripted model,
and they run the tools that it calls, in a folder of their own."""

import json
import os
import subprocess
from pathlib import Path

from clients import hub_with_script
from outcome import Failed, expect
from scene import Scene

LONGEST = 240.0
HELLO = "tokens=5"
WORDS = "t1 t2 t3 t4 t5"
BEFORE, AFTER = "The tide rises at six.", "The tide rises at seven."


def call(tool: str, **arguments: object) -> str:
    """A line with which the scripted model calls a tool."""
    return f"call={tool} {json.dumps(arguments)}"


def turns(*calls: str) -> str:
    return "\nthen\n".join(calls)


class Client:
    """A program that is called with a prompt, or reads it, in a working folder and with a home of its own."""

    def __init__(self, scene: Scene, command: list, env: dict[str, str], *, reads_prompt: bool = False):
        self.home, self.work = scene.folder / "home", scene.folder / "work"
        self.command, self.reads_prompt = [str(part) for part in command], reads_prompt
        path = os.environ["PATH"]
        self.env = {"HOME": str(self.home), "PATH": path, "TERM": "dumb", "NO_COLOR": "1", **env}
        for folder in (self.home, self.work):
            folder.mkdir(exist_ok=True)

    def says(self, prompt: str) -> str:
        command = self.command if self.reads_prompt else [*self.command, prompt]
        try:
            done = subprocess.run(
                command, cwd=self.work, env=self.env, input=prompt if self.reads_prompt else "", capture_output=True, text=True,
                timeout=LONGEST,
            )
        except subprocess.TimeoutExpired as late:
            raise Failed(f"it did not end within {LONGEST:.0f} s: {(late.stdout or b'')[-1500:]!r} {(late.stderr or b'')[-1500:]!r}") from None
        if done.returncode:
            raise Failed(f"it ended with {done.returncode}: {done.stdout[-1500:]} {done.stderr[-1500:]}")
        return done.stdout


def check(scene: Scene, make, shell: str, edit) -> list[str]:
    """Says hello, runs a command, and edits a file. `make(hub)` makes the client, `shell` is the call that writes
    `seen.txt`, and `edit(file)` the calls that change BEFORE to AFTER."""
    with hub_with_script(scene.folder) as hub:
        client = make(hub)
        said = client.says(HELLO)
        expect(WORDS in " ".join(said.split()), f"it said {said[-500:]}")
        client.says(shell)
        seen = client.work / "seen.txt"
        expect(seen.exists() and "tide" in seen.read_text(), "its tool did not run")
        file = client.work / "notes.txt"
        file.write_text(BEFORE + "\n")
        said = client.says(edit(file))
        expect(AFTER in file.read_text(), f"the file is {file.read_text()!r}; it said {said[-500:]}")
    return ["hello, a tool call and a file edit"]


def settings(file: Path, values: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(values if isinstance(values, str) else json.dumps(values))
