"""Agents of Pydantic AI with functions, structured output and streams; prints what came as JSON. Usage: MODEL.

The messages tell the scripted model behind the Plexus agent what to call and to answer.
"""

import asyncio
import json
import sys

from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, ToolOutput
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel


class Report(BaseModel):
    """The weather of a city."""

    city: str
    degrees: int


async def converse(model: OpenAIChatModel | OpenAIResponsesModel) -> dict:
    asked = []
    talker = Agent(model)

    @talker.tool_plain
    def weather(city: str) -> str:
        """Tells the weather of a city."""
        asked.append(city)
        return f"rain in {city}"

    report = json.dumps({"city": "Bern", "degrees": 7})
    answer = await talker.run('call=weather {"city": "Bern"}')
    by_schema = await Agent(model, output_type=NativeOutput(Report)).run(f"json={report}")
    by_function = await Agent(model, output_type=ToolOutput(Report, name="report")).run(f"call=report {report}")
    async with Agent(model).run_stream("tokens=12 rate=0") as stream:
        pieces = [piece async for piece in stream.stream_text(delta=True, debounce_by=None)]
    return {
        "asked": asked, "text": answer.output, "schema": by_schema.output.model_dump(),
        "function": by_function.output.model_dump(), "pieces": len(pieces),
    }


async def main(name: str) -> None:
    completions = await converse(OpenAIChatModel(name))
    responses = await converse(OpenAIResponsesModel(name))
    print(json.dumps({"completions": completions, "responses": responses}))


asyncio.run(main(sys.argv[1]))
