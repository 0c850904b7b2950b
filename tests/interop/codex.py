"""Codex as a client: the hub's `/v1/responses` is its model provider."""

import coding_clients
from clients import MODEL
from coding_clients import AFTER, BEFORE, Client, call, settings
from install import npm_packages
from scene import Scene

PEER = "Codex CLI 0.171.0"
SPEAKS = "OpenAI's Responses API, as a client"


def check(scene: Scene) -> list[str]:
    modules = npm_packages("codex", "@openai/codex@0.171.0")

    def make(hub) -> Client:
        provider = f'[model_providers.hub]\nname = "hub"\nbase_url = "{hub.url}/v1"\nenv_key = "HUB_TOKEN"\nwire_api = "responses"\n'
        settings(scene.folder / "home/.codex/config.toml", f'model = "{MODEL}"\nmodel_provider = "hub"\n\n{provider}')
        # Its sandbox needs rights of the machine that a check does not have.
        flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        return Client(scene, [modules / ".bin/codex", "exec", *flags], {"HUB_TOKEN": hub.token})

    def edit(file) -> str:
        patch = f"*** Begin Patch\n*** Update File: {file.name}\n@@\n-{BEFORE}\n+{AFTER}\n*** End Patch"
        return call("exec_command", cmd=f"apply_patch <<'EOF'\n{patch}\nEOF")

    return coding_clients.check(scene, make, call("exec_command", cmd="echo tide > seen.txt"), edit)
