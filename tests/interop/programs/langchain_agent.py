"""A model of LangChain with functions, structured output and streams; prints what came as JSON. Usage: MODEL.

The messages tell the scripted model behind the agent what to call and to answer.
"""

import json
import sys

from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy
from langchain_openai import ChatOpenAI
from pydantic import BaseModel


class Report(BaseModel):
    """The weather of a city."""

    city: str
    degrees: int


def converse(model: ChatOpenAI) -> dict:
    asked = []

    def weather(city: str) -> str:
        """Tells the weather of a city."""
        asked.append(city)
        return f"rain in {city}"

    def ask(agent, text: str) -> dict:
        return agent.invoke({"messages": [{"role": "user", "content": text}]})

    report = json.dumps({"city": "Bern", "degrees": 7})
    answer = ask(create_agent(model, tools=[weather]), 'call=weather {"city": "Bern"}')
    planned = ask(create_agent(model, response_format=ProviderStrategy(Report)), f"json={report}")
    by_schema = model.with_structured_output(Report, method="json_schema")
    by_function = model.with_structured_output(Report, method="function_calling")
    return {
        "asked": asked,
        "text": answer["messages"][-1].text,
        "agent": planned["structured_response"].model_dump(),
        "json_schema": by_schema.invoke(f"json={report}").model_dump(),
        "function_calling": by_function.invoke(f"call=Report {report}").model_dump(),
        "pieces": sum(bool(piece.text) for piece in model.stream("tokens=12 rate=0")),
    }


name = sys.argv[1]
completions = ChatOpenAI(model=name, max_retries=0)
responses = ChatOpenAI(model=name, max_retries=0, use_responses_api=True)
print(json.dumps({"completions": converse(completions), "responses": converse(responses)}))
