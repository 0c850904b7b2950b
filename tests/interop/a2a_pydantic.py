"""An agent of Pydantic AI served by FastA2A, which speaks A2A 1.0, on the real small model."""

import a2a
from install import python_packages
from scene import Scene

PEER = "Pydantic AI 2.68.0 with FastA2A 2.1.1"
SPEAKS = "A2A 1.0"
PACKAGES = ["pydantic-ai-slim[openai]==2.68.0", "fasta2a==2.1.1", "uvicorn==0.54.0"]


def check(scene: Scene) -> list[str]:
    python = python_packages("pydantic-ai", "3.12 3.11 3.13", PACKAGES)
    return a2a.converse(scene.folder, "pydantic", [python, scene.programs / "pydantic_agent.py"])
