"""An agent of the OpenAI Agents SDK with MCP servers; prints its tools, calls and answer as JSON. Usage: MODEL URL URL.

The message tells the scripted model behind the Plexus agent what to call.
"""

import asyncio
import json
import os
import sys
from contextlib import AsyncExitStack

from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, RunContextWrapper, Runner
from agents.mcp import MCPServerStreamableHttp
from openai import AsyncOpenAI


async def main(name: str, *urls: str) -> None:
    client = AsyncOpenAI(max_retries=0)
    params = {"headers": {"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}}
    async with AsyncExitStack() as stack:
        servers = [MCPServerStreamableHttp({"url": url, **params}, client_session_timeout_seconds=60) for url in urls]
        for server in servers:
            await stack.enter_async_context(server)
        models = {"completions": OpenAIChatCompletionsModel(name, client), "responses": OpenAIResponsesModel(name, client)}
        print(json.dumps({api: await converse(model, servers) for api, model in models.items()}))


async def converse(model: OpenAIChatCompletionsModel | OpenAIResponsesModel, servers: list) -> dict:
    agent = Agent("Harbour master", instructions="Use the tools.", model=model, mcp_servers=servers)
    tools = [tool.name for tool in await agent.get_all_tools(RunContextWrapper(None))]
    asked = {tool: "6 * 7" if tool.endswith("calc") else "tokens=3 rate=0" for tool in tools}
    lines = [f"call={tool} {json.dumps({'message': message})}" for tool, message in asked.items()]
    result = await Runner.run(agent, "\n".join(lines))
    called = [item.raw_item.name for item in result.new_items if item.type == "tool_call_item"]
    results = [json.dumps(item.output) for item in result.new_items if item.type == "tool_call_output_item"]
    return {"tools": tools, "called": called, "results": results, "text": str(result.final_output)}


asyncio.run(main(*sys.argv[1:]))
