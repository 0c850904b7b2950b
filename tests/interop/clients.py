"""What clients have in common: a hub with an agent on the small real model, for them to talk to."""

from contextlib import contextmanager
from pathlib import Path

import models
from hub import PERSON, Hub

AGENT = "tides"
ADDRESS = f"@{PERSON}/{AGENT}"
MODEL = f"{PERSON}/{AGENT}"
QUESTION = "What is a spring tide?"


@contextmanager
def hub_with_agent(folder: Path):
    with models.real(folder) as model:
        settings = {"PLEXUS_LLM_BASE_URL": model.says(models.LISTENS), "PLEXUS_LLM_MODEL": models.NAME}
        with Hub(folder, settings) as hub:
            told = "You are a friendly tide clerk in a harbour. Answer in one or two short sentences."
            hub.create(AGENT, "Answers questions about the sea.", "--instructions", told)
            yield hub
