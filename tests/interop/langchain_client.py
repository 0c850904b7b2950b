"""LangChain as a client: its agent calls functions and returns structured output, with a Plexus agent as its model."""

from clients import MODEL, answer_of, hub_with_script
from install import python_packages
from outcome import expect
from scene import Scene

PEER = "LangChain 1.5.0 with langchain-openai 1.7.4"
SPEAKS = "OpenAI's API, as a client"
PACKAGES = ["langchain==1.5.0", "langchain-openai==1.7.4"]
REPORT = {"city": "Bern", "degrees": 7}


def check(scene: Scene) -> list[str]:
    python = python_packages("langchain", "3.12 3.11 3.13", PACKAGES)
    with hub_with_script(scene.folder) as hub:
        env = {"OPENAI_BASE_URL": f"{hub.url}/v1", "OPENAI_API_KEY": hub.token}
        seen = answer_of(scene, python, "langchain_agent.py", MODEL, env=env)
    for api in ("completions", "responses"):
        said = seen[api]
        expect(said["asked"] == ["Bern"], f"{api}: the function was called with {said['asked']}")
        expect(said["text"] == "The tools said: rain in Bern", f"{api}: it answered {said['text']}")
        expect(said["pieces"] > 3, f"{api}: it did not stream: {said['pieces']} pieces")
        for method in ("json_schema", "function_calling", "agent"):
            expect(said[method] == REPORT, f"{api}, {method}: the structured output is {said[method]}")
    return [
        "an agent called a function, and answered with its result; over chat completions and responses",
        f"structured output by JSON schema, by function and of the agent: {REPORT}",
        f"streamed in {seen['completions']['pieces']} and {seen['responses']['pieces']} pieces",
    ]
