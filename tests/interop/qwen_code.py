"""Qwen Code as a client: the hub's `/v1` is its OpenAI-compatible API."""

import coding_clients
from clients import MODEL
from coding_clients import AFTER, BEFORE, Client, call, turns
from install import npm_packages
from scene import Scene

PEER = "Qwen Code 0.15.10"
SPEAKS = "OpenAI's chat completions, as a client"


def check(scene: Scene) -> list[str]:
    modules = npm_packages("qwen_code", "@qwen-code/qwen-code@0.15.10")

    def make(hub) -> Client:
        env = {"OPENAI_BASE_URL": f"{hub.url}/v1", "OPENAI_API_KEY": hub.token, "OPENAI_MODEL": MODEL}
        command = [modules / ".bin/qwen", "--auth-type", "openai", "--approval-mode", "yolo", "-p"]
        return Client(scene, command, env)

    def edit(file) -> str:
        change = call("edit", file_path=str(file), old_string=BEFORE, new_string=AFTER)
        return turns(call("read_file", file_path=str(file)), change)

    shell = call("run_shell_command", command="echo tide > seen.txt", is_background=False, description="Write a file")
    return coding_clients.check(scene, make, shell, edit)
