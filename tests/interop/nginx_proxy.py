"""nginx in front of the hub, as an operator sets it up: a password of its own, and its usual buffers and time limits.

The agent is silent for longer than nginx waits, on every edge that streams, at the same time.
"""

import base64
import getpass
import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import models
from clients import AGENT, MODEL
from hub import PERSON, Hub, new_id
from install import debian_program
from outcome import Failed, expect
from process import Program, free_port
from scene import Scene

PEER = "nginx"
SPEAKS = "HTTP, as a proxy with a password"
PATIENCE = 20
SILENCE = 45
# 40 pieces in 4 seconds after the silence.
MESSAGE = f"pause={SILENCE} tokens=40 rate=10"
LONGEST = 120.0
BASIC = "Basic " + base64.b64encode(b"harbour:four quiet lanterns").decode()

CONFIG = """
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    gzip on;
    gzip_types *;
    server {{
        listen 127.0.0.1:{port};
        auth_basic "Harbour";
        auth_basic_user_file {folder}/users;
        location / {{
            proxy_pass http://127.0.0.1:{hub};
            proxy_http_version 1.1;
            proxy_read_timeout {patience}s;
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto $scheme;
        }}
    }}
}}
"""


def check(scene: Scene) -> list[str]:
    program = debian_program("nginx", "nginx", "usr/sbin/nginx")
    version = subprocess.run([program, "-v"], capture_output=True, text=True).stderr.strip().rpartition("/")[2]
    port, behind = free_port(), free_port()
    command = [program, "-e", "stderr", "-c", configure(scene.folder / "nginx", port, behind)]
    settings = {
        "PLEXUS_LISTEN": f"127.0.0.1:{behind}", "PLEXUS_PUBLIC_URL": f"http://127.0.0.1:{port}",
        "PLEXUS_TRUSTED_PROXIES": "127.0.0.1", "PLEXUS_LLM_MODEL": "scripted",
    }
    with models.scripted(scene.folder) as model, Program(scene.folder, "nginx", command) as nginx:
        settings["PLEXUS_LLM_BASE_URL"] = model.says(models.LISTENS)
        nginx.until(lambda: status(f"http://127.0.0.1:{port}/") == 401, "it does not ask for a password")
        with Hub(scene.folder, settings, {"Authorization": BASIC}) as hub:
            hub.create(AGENT, "Answers questions about the sea.", "--instructions", "Answer.", "--access", "open")
            expect(status(f"{hub.url}/") == 401, "the hub is reached without the password")
            told = follow(hub)
        log = nginx.said()
    expect("upstream timed out" not in log, f"nginx gave up: {log}")
    return [f"nginx {version}: without the password 401; with it, signed in as by a browser, whose requests carry both"] + told


def configure(folder: Path, port: int, hub: int) -> Path:
    folder.mkdir()
    (folder / "users").write_text("harbour:{PLAIN}four quiet lanterns\n")
    # Started by root, nginx would give up its rights to read the folder of the check.
    user = f"user {getpass.getuser()};" if os.geteuid() == 0 else ""
    config = folder / "nginx.conf"
    config.write_text(CONFIG.format(folder=folder, port=port, hub=hub, user=user, patience=PATIENCE))
    return config


def follow(hub: Hub) -> list[str]:
    """What came over each edge, all at the same time."""
    asked = [{"role": "user", "content": MESSAGE}]
    said = {"messageId": new_id(), "role": "ROLE_USER", "parts": [{"text": MESSAGE}]}
    call = {"name": f"ask_{PERSON}_{AGENT}", "arguments": {"message": MESSAGE}}
    edges = {
        "/v1/chat/completions": ({"model": MODEL, "messages": asked, "stream": True}, {}, True),
        "/v1/messages": ({"model": MODEL, "messages": asked, "max_tokens": 500, "stream": True}, {"x-api-key": hub.token}, True),
        f"/a2a/{PERSON}/{AGENT}/": (rpc("SendStreamingMessage", {"message": said}), {"A2A-Version": "1.0"}, True),
        f"/mcp/{PERSON}/{AGENT}": (rpc("tools/call", call), {"MCP-Protocol-Version": "2025-11-25"}, False),
    }
    with ThreadPoolExecutor(len(edges) + 1) as threads:
        page = threads.submit(read_chat, hub)
        streams = {path: threads.submit(read, hub, path, *edge[:2]) for path, edge in edges.items()}
        told = [judge("a chat of the page", page.result(), True)]
        return told + [judge(path, stream.result(), edges[path][2]) for path, stream in streams.items()]


def rpc(method: str, params: dict) -> dict:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def read(hub: Hub, path: str, body: dict, headers: dict[str, str]) -> list[tuple[float, str]]:
    """The lines of a stream, each with its time."""
    given = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    request = urllib.request.Request(hub.url + path, json.dumps(body).encode(), {**hub.headers, **given})
    return lines_of(path, lambda: urllib.request.urlopen(request, timeout=LONGEST))


def read_chat(hub: Hub) -> list[tuple[float, str]]:
    """As the page of a chat does: with a session, and the events of the chat."""
    body = json.dumps({"id": new_id(), "to": f"@{MODEL}", "text": MESSAGE}).encode()
    request = urllib.request.Request(f"{hub.url}/api/v1/chats", body, {"Content-Type": "application/json"})
    with hub.browser.open(request, timeout=LONGEST) as answer:
        chat = json.load(answer)["chat"]
    url = f"{hub.url}/api/v1/events?chat={chat}&after=0"
    return lines_of("the chat", lambda: hub.browser.open(url, timeout=LONGEST), last="t40")


def lines_of(name: str, opened, last: str | None = None) -> list[tuple[float, str]]:
    begun, lines = time.monotonic(), []
    try:
        with opened() as stream:
            lines.append((time.monotonic() - begun, ""))
            for line in stream:
                lines.append((time.monotonic() - begun, line.decode()))
                if (last and last in lines[-1][1]) or time.monotonic() - begun > LONGEST:
                    return lines
    except urllib.error.HTTPError as refusal:
        raise Failed(f"{name}: {refusal.code} {refusal.read().decode(errors='replace')[:500]}") from None
    except OSError as broken:
        raise Failed(f"{name}: {broken} after {time.monotonic() - begun:.0f} s and {lines[-3:]}") from None
    return lines


def judge(name: str, lines: list[tuple[float, str]], streams: bool) -> str:
    """It was never silent for as long as nginx waits, brought the whole answer, and brought it as it came."""
    times = [moment for moment, _ in lines]
    quiet = max(after - before for before, after in zip([0.0, *times], times))
    words = [moment for moment, line in lines if any(f"t{number} " in line or f"t{number}\\n" in line for number in range(1, 41))]
    expect("t39" in "".join(line for _, line in lines), f"{name}: the answer is not whole: {lines[-5:]}")
    expect(times[-1] >= SILENCE, f"{name}: the agent was not silent: {times[-1]:.0f} s")
    expect(quiet < PATIENCE, f"{name}: nothing came for {quiet:.0f} s")
    if not streams:
        return f"{name}: the answer after {times[-1]:.0f} s, kept alive: never silent for more than {quiet:.0f} s"
    spread = words[-1] - words[0]
    expect(len(words) > 10 and spread > 2, f"{name}: it was buffered: {len(words)} pieces in {spread:.1f} s")
    return f"{name}: silent for {SILENCE} s, kept alive each {quiet:.0f} s, then {len(words)} pieces in {spread:.1f} s"


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as refusal:
        return refusal.code
    except OSError:
        return 0
