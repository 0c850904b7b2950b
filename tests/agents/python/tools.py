"""An MCP server with a few tools, over streamable HTTP: `python tools.py` prints `listening on http://127.0.0.1:PORT/mcp`.

With `--guard HEADER FILE` it answers only requests that show in this header what the file holds at the time, and repeats to all
others what they have shown.
"""

import argparse
import asyncio
import socket
from pathlib import Path

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel, Field
from starlette.responses import PlainTextResponse

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
def page(number: int) -> str:
    """Reads a long page."""
    return f"Page {number}: " + "word " * 500 + "end"


@server.tool()
async def sleep() -> str:
    """Takes its time."""
    await asyncio.sleep(3600)
    return "awake"


class Berth(BaseModel):
    """What is asked about a berth."""

    boat: str = Field(title="Name of the boat", max_length=20)
    nights: int = Field(title="Nights", ge=1, le=30)
    power: bool = Field(default=False, title="Shore power")


@server.tool()
async def book(ctx: Context) -> str:
    """Books a berth, and asks for which boat."""
    answer = await ctx.elicit(message="Which boat needs a berth?", schema=Berth)
    if answer.action == "accept":
        return f"Booked {answer.data.nights} nights for {answer.data.boat}, power: {answer.data.power}."
    return f"Nothing is booked: {answer.action}."


def guarded(app, header: str, file: Path):
    async def check(scope, receive, send):
        shown = dict(scope.get("headers", [])).get(header.lower().encode(), b"")
        if scope["type"] != "http" or shown == file.read_bytes():
            await app(scope, receive, send)
        else:
            await PlainTextResponse(b"Not with this: " + shown, status_code=401)(scope, receive, send)

    return check


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--guard", nargs=2, metavar=("HEADER", "FILE"))
    guard = parser.parse_args().guard
    app = server.streamable_http_app()
    if guard:
        app = guarded(app, guard[0], Path(guard[1]))
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    config = uvicorn.Config(app, log_level="warning")
    await uvicorn.Server(config).serve(sockets=[listener])


asyncio.run(main())
