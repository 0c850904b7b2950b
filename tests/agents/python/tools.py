"""An MCP server with a few tools, over streamable HTTP: `python tools.py` prints `listening on http://127.0.0.1:PORT/mcp`."""

import asyncio
import socket

import uvicorn
from mcp.server.mcpserver import MCPServer

server = MCPServer("Tools of the tests", log_level="WARNING")
notes: list[str] = []


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
def note(text: str) -> str:
    """Keeps a note."""
    notes.append(text)
    return f"Kept note {len(notes)}."


@server.tool()
def fail() -> str:
    """Never works."""
    raise ValueError("the pencil is broken")


@server.tool()
async def sleep() -> str:
    """Takes its time."""
    await asyncio.sleep(3600)
    return "awake"


async def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    config = uvicorn.Config(server.streamable_http_app(), log_level="warning")
    await uvicorn.Server(config).serve(sockets=[listener])


asyncio.run(main())
