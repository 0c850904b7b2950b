"""Asks software of other makers, unmodified: `run.py [NAME …]`, all of it unless named.

Each check says PASS, FAIL or SKIPPED and what was seen; a table ends the output. The exit code is 1 when a peer that is
installed does not work with the hub.
"""

import importlib
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

from hub import binary
from outcome import Failed, Skipped
from scene import Scene

CHECKS = [
    "relay", "a2a_strands", "a2a_pydantic", "a2a_adk", "opencode", "interpreter", "autogpt", "seed", "a2a_team", "filesystem",
    "litellm_client", "langchain_client", "pydantic_client", "openai_agents", "anthropic_client", "adk_client", "inspector",
    "claude_code", "codex", "opencode_client", "qwen_code",
    "fastmcp_client", "mcp_remote", "webui", "nginx_proxy", "nginx_site", "caddy_site", "rolling_restart", "systemd_unit",
]


def main(names: list[str]) -> int:
    unknown = set(names) - set(CHECKS)
    if unknown:
        print(f"no such check: {', '.join(sorted(unknown))}. There are: {', '.join(CHECKS)}", file=sys.stderr)
        return 2
    if not binary().exists():
        print(f"{binary()} is missing; build it, or name one by PLEXUS_BINARY", file=sys.stderr)
        return 2
    # Run the cleanup handlers on SIGTERM, so that all child processes end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    rows = [row(name) for name in names or CHECKS]
    print("\n" + "\n".join(table(rows)), flush=True)
    return int(any(outcome == "FAIL" for outcome, *_ in rows))


def row(name: str) -> tuple[str, str, str, str]:
    peer = importlib.import_module(name)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f"plexus-{name}-") as folder:
        outcome, seen = outcome_of(peer, Scene(Path(folder)))
    print(f"{outcome} {name}: {peer.PEER}, {peer.SPEAKS} ({time.monotonic() - begun:.0f} s)", flush=True)
    for line in seen:
        print("    " + line.replace("\n", "\n    "), flush=True)
    return outcome, name, peer.PEER, peer.SPEAKS


def outcome_of(peer, scene: Scene) -> tuple[str, list[str]]:
    try:
        return "PASS", peer.check(scene)
    except Skipped as reason:
        return "SKIPPED", [str(reason)]
    except Failed as reason:
        return "FAIL", [str(reason), *hub_log(scene)]
    except Exception:
        return "FAIL", [traceback.format_exc(), *hub_log(scene)]


def hub_log(scene: Scene) -> list[str]:
    log = scene.folder / "hub.log"
    return ["the hub said:", *log.read_text(errors="replace").splitlines()[-25:]] if log.exists() else []


def table(rows: list[tuple[str, str, str, str]]) -> list[str]:
    widths = [max(len(one[column]) for one in rows) for column in range(4)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(one, widths)).rstrip() for one in rows]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
