"""Google's Agent Development Kit in both directions: what its checks have in common."""

from pathlib import Path

from install import python_packages

PEER = "Google ADK 2.13.0"


def environment() -> Path:
    return python_packages("adk", "3.12 3.11 3.13", ["google-adk[a2a]==2.13.0", "litellm==1.106.2"])
