"""opencode as a client: the hub's `/v1` is its provider."""

import coding_clients
from clients import MODEL
from coding_clients import AFTER, BEFORE, Client, call, settings, turns
from install import npm_packages
from scene import Scene

PEER = "opencode 1.18.33"
SPEAKS = "OpenAI's chat completions, as a client"


def check(scene: Scene) -> list[str]:
    modules = npm_packages("opencode", "opencode-ai@1.18.33")

    def make(hub) -> Client:
        provider = {
            "npm": "@ai-sdk/openai-compatible", "name": "Hub", "models": {MODEL: {"name": "Tides"}},
            "options": {"baseURL": f"{hub.url}/v1", "apiKey": hub.token},
        }
        chosen = f"hub/{MODEL}"
        values = {"model": chosen, "small_model": chosen, "permission": {"*": "allow"}, "share": "disabled", "provider": {"hub": provider}}
        config = scene.folder / "opencode.json"
        settings(config, values)
        env = {"OPENCODE_CONFIG": str(config), "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"}
        # It would put quotation marks around an argument with spaces.
        return Client(scene, [modules / "opencode-ai/bin/opencode.exe", "run"], env, reads_prompt=True)

    def edit(file) -> str:
        return turns(call("read", filePath=str(file)), call("edit", filePath=str(file), oldString=BEFORE, newString=AFTER))

    shell = call("bash", command="echo tide > seen.txt", description="Write a file")
    return coding_clients.check(scene, make, shell, edit)
