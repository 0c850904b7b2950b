"""An agent of the Strands SDK, which speaks A2A 0.3, on the real small model."""

import a2a
from install import python_packages
from scene import Scene

PEER = "Strands Agents 1.62.0"
SPEAKS = "A2A 0.3"
PACKAGES = ["strands-agents[a2a,openai]==1.62.0", "a2a-sdk==0.3.26"]


def check(scene: Scene) -> list[str]:
    python = python_packages("strands", "3.12 3.11 3.13", PACKAGES)
    return a2a.converse(scene.folder, "strands", [python, scene.programs / "strands_agent.py"])
