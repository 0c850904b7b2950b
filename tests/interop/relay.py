"""LiteLLM's proxy under the load of the relay bench, beside the hub and the model server itself: numbers, no verdict."""

import shutil
import subprocess

import litellm_client
from install import ROOT
from outcome import Failed, Skipped
from scene import Scene

PEER = "LiteLLM's proxy 1.106.2"
SPEAKS = "the same relay, measured"


def check(_scene: Scene) -> list[str]:
    python = litellm_client.environment()
    if not shutil.which("cargo"):
        raise Skipped("cargo is missing")
    bench = ["cargo", "run", "--release", "--quiet", "-p", "plexus-benches", "--bin", "bench", "interop"]
    done = subprocess.run([*bench, python.parent / "litellm"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise Failed(f"the bench ended with {done.returncode}; the lines above say why")
    return done.stdout.splitlines()
