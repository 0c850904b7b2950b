"""Starts an MCP server on its standard streams and calls a tool; prints what came as JSON. Usage: TOOL NAME=VALUE … -- COMMAND."""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters


async def main(call: list[str], command: list[str]) -> None:
    name, *given = call
    arguments = dict(argument.split("=", 1) for argument in given)
    server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with Client(server, read_timeout_seconds=90) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        answer = await client.call_tool(name, arguments)
    print(json.dumps({"tools": tools, "text": answer.content[0].text, "failed": answer.is_error}))


split = sys.argv.index("--")
asyncio.run(main(sys.argv[1:split], sys.argv[split + 1 :]))
