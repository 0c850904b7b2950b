"""What the agents that speak A2A have in common: their card is fetched, and they answer in a chat as they write."""

from pathlib import Path

import models
from hub import Hub
from outcome import expect
from process import Program

QUESTION = "Write two short sentences about the sea."
CARD = "/.well-known/agent-card.json"


def converse(folder: Path, name: str, program: list, *, streams: bool = True) -> list[str]:
    """Asks the agent that this program serves, on the real small model, through a hub."""
    with models.real(folder) as model, Hub(folder) as hub:
        command = [*program, model.says(models.LISTENS), models.NAME]
        with Program(folder, name, command) as agent:
            url = agent.says(models.LISTENS)
            agent.answers(url + CARD)
            hub.register(url, "--name", name)
            answer = hub.ask(name, QUESTION)
            expect(answer.run == "completed" and answer.text.strip(), f"{answer.run}: {answer.text}\n{agent.end()}")
            expect(not streams or answer.pieces > 3, f"it did not stream: {answer.told()}")
            again = hub.say(answer, "And one about ships.")
            expect(again.run == "completed" and again.text.strip(), f"the second turn: {again.run}: {again.text}")
    return [answer.told(), f"a second turn: {again.told()}"]
