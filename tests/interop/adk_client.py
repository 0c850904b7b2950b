"""Google's ADK as a client: a Plexus agent is the remote agent of its runner, over A2A."""

import adk
from clients import AGENT, QUESTION, answer_of, hub_with_agent
from hub import PERSON, short
from outcome import expect
from scene import Scene

PEER = adk.PEER
SPEAKS = "A2A, as a client"


def check(scene: Scene) -> list[str]:
    python = adk.environment()
    with hub_with_agent(scene.folder) as hub:
        card = f"{hub.url}/a2a/{PERSON}/{AGENT}/.well-known/agent-card.json"
        told = answer_of(scene, python, "adk_client.py", card, QUESTION, "And a neap tide?", env={"TOKEN": hub.token})
    return [seen(way, turns) for way, turns in told.items()]


def seen(way: str, turns: list[dict]) -> str:
    """Each turn has one answer, which is all that came before it in pieces; both turns are of one context."""
    for turn in turns:
        answers = [text for text in turn["final"] if text.strip()]
        expect(not any(turn["errors"]), f"{way}: the errors are {turn['errors']}")
        expect(len(answers) == 1, f"{way}: the final answers are {turn['final']}")
        expect(answers[0] == "".join(turn["partial"]), f"{way}: the answer {answers[0]} is not its pieces {turn['partial']}")
        expect(len(turn["partial"]) > 3, f"{way}: it did not stream: {turn['partial']}")
    contexts = {context for turn in turns for context in turn["contexts"]}
    expect(len(contexts) == 1 and None not in contexts, f"{way}: the contexts are {contexts}")
    pieces = " and ".join(str(len(turn["partial"])) for turn in turns)
    return f"{way}: two turns of one context in {pieces} pieces, and the final answer is whole: “{short(''.join(turns[0]['partial']))}”"
