"""Model servers that stand behind peers and agents: a real small one, and one that says what a script has it say."""

import json
from pathlib import Path

from install import ROOT
from outcome import Skipped
from process import Program

NAME = "smollm2"
LISTENS = r"listening on (\S+)"


def real(folder: Path, *more: str) -> Program:
    python = ROOT / ".cache/venv/bin/python"
    if not python.exists():
        raise Skipped("the small model is missing; `scripts/setup demo` installs it")
    return Program(folder, "model", [python, ROOT / "tests/agents/model/serve.py", "--name", NAME, *more])


def scripted(folder: Path, answers: list[str] | None = None) -> Program:
    """Says these answers, one for each request; without any, what the person's message asks for."""
    command = ["node", ROOT / "tests/agents/model/scripted.mjs"]
    if answers:
        file = folder / "answers.json"
        file.write_text(json.dumps(answers))
        command += ["--answers", file]
    return Program(folder, "scripted", command)
