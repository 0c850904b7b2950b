"""The OpenAI Agents SDK as a client: two Plexus agents are MCP servers of its agent, whose model is a third."""

from clients import AGENT, MODEL, answer_of, hub_with_script
from hub import PERSON
from install import python_packages
from outcome import expect
from scene import Scene

PEER = "OpenAI Agents SDK 0.24.0"
SPEAKS = "MCP and OpenAI's API, as a client"
OTHER = "ferry"


def check(scene: Scene) -> list[str]:
    python = python_packages("openai-agents", "3.12 3.11 3.13", ["openai-agents==0.24.0"])
    servers = [f"{PERSON}/{OTHER}", "plexus/calc"]
    with hub_with_script(scene.folder) as hub:
        hub.create(OTHER, "Knows the ferries.", "--instructions", "Answer.")
        env = {"OPENAI_BASE_URL": f"{hub.url}/v1", "OPENAI_API_KEY": hub.token, "OPENAI_AGENTS_DISABLE_TRACING": "1"}
        urls = [f"{hub.url}/mcp/{name}" for name in servers]
        seen = answer_of(scene, python, "openai_agents.py", MODEL, *urls, env=env)
    tools = [f"ask_{PERSON}_{OTHER}", "ask_plexus_calc"]
    for api in ("completions", "responses"):
        said = seen[api]
        expect(sorted(said["tools"]) == sorted(tools), f"{api}: the tools are {said['tools']}")
        expect(said["called"] == tools, f"{api}: the calls are {said['called']}")
        ferry, calc = said["results"]
        expect("t1 t2 t3" in ferry and "42" not in ferry, f"{api}: {OTHER} answered {ferry}")
        expect("42" in calc, f"{api}: calc answered {calc}")
        expect("t1 t2 t3" in said["text"] and "42" in said["text"], f"{api}: the answer is {said['text']}")
    return [
        f"tools of both servers, without a collision: {', '.join(tools)}",
        f"one turn of @{PERSON}/{AGENT} called both, and the answer has both results; over chat completions and responses",
    ]
