"""A remote agent of Google's ADK, asked by its runner; prints the events of each turn as JSON. Usage: CARD_URL QUESTION …"""

import asyncio
import json
import os
import sys
import warnings

warnings.simplefilter("ignore")

import httpx
from google.adk.agents.remote_a2a_agent import RemoteA2aAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.runners import InMemoryRunner
from google.genai import types


async def converse(card: str, questions: list[str], **options: bool) -> list[dict]:
    """One session in which each question is a turn."""
    client = httpx.AsyncClient(headers={"Authorization": f"Bearer {os.environ['TOKEN']}"}, timeout=90)
    runner = InMemoryRunner(agent=RemoteA2aAgent("tides", card, httpx_client=client, **options), app_name="check")
    session = await runner.session_service.create_session(app_name="check", user_id="ada")
    return [await ask(runner, session.id, question) for question in questions]


async def ask(runner: InMemoryRunner, session: str, question: str) -> dict:
    message = types.Content(role="user", parts=[types.Part(text=question)])
    config = RunConfig(streaming_mode=StreamingMode.SSE)
    said = {"partial": [], "final": [], "contexts": [], "errors": []}
    async for event in runner.run_async(user_id="ada", session_id=session, new_message=message, run_config=config):
        text = "".join(part.text or "" for part in event.content.parts or []) if event.content else ""
        said["final" if event.is_final_response() else "partial"].append(text)
        said["contexts"].append((event.custom_metadata or {}).get("a2a:context_id"))
        said["errors"].append(event.error_message)
    return said


async def main(card: str, *questions: str) -> None:
    told = {"as it is": await converse(card, list(questions))}
    told["with its extension of A2A"] = await converse(card, list(questions), use_legacy=False)
    print(json.dumps(told))


asyncio.run(main(*sys.argv[1:]))
