"""FastMCP's client with its own OAuth; prints what came as JSON. Usage: AGENT_URL HUB_URL ADDRESS ADDRESS.

It opens the browser that BROWSER names, which decides as DECISION says.
"""

import asyncio
import json
import os
import sys

from fastmcp import Client

MESSAGE = {"message": "tokens=3 rate=0"}


async def ask(url: str) -> dict:
    async with Client(url, auth="oauth") as client:
        tools = [tool.name for tool in await client.list_tools()]
        answer = await client.call_tool(next(tool for tool in tools if tool.startswith("ask_")), MESSAGE)
        return {"tools": tools, "text": answer.content[0].text}


async def send(url: str, addresses: list[str]) -> list[str]:
    async with Client(url, auth="oauth") as client:
        answers = [await client.call_tool("send_message", {"agent": address, **MESSAGE}) for address in addresses]
        return [answer.content[0].text for answer in answers]


async def main(agent: str, hub: str, *addresses: str) -> None:
    said = {"agent": await ask(agent), "hub": await send(hub, list(addresses))}
    os.environ["DECISION"] = "Deny"
    try:
        said["denied"] = f"an answer: {await ask(agent)}"
    except Exception as refused:
        said["denied"] = f"{type(refused).__name__}: {refused}"
    print(json.dumps(said))


asyncio.run(main(*sys.argv[1:]))
