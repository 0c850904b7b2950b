"""An agent of Google's ADK, which speaks A2A 1.0, on the real small model. It answers in one piece."""

import a2a
import adk
from scene import Scene

PEER = adk.PEER
SPEAKS = "A2A 1.0"


def check(scene: Scene) -> list[str]:
    return a2a.converse(scene.folder, "adk", [adk.environment(), scene.programs / "adk_agent.py"], streams=False)
