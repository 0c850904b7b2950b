"""What a user and a program do at a hub's public name, through a proxy that is configured by a file of `deploy`."""

import hashlib
import json
import re
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import websocket_client
from clients import AGENT, MODEL
from edges import LONGEST, PIECES, begin_chat, follow, judge, lines_of, read, rpc
from hub import PERSON, Hub, new_id
from install import ROOT
from outcome import Failed, expect
from process import PAUSE
from public_name import CLIENT, NAME
from request_loop import RequestLoop

KIT = ROOT / "deploy"
# Longer than proxies wait for an answer by default.
SILENCE = 70
PATIENCE = 20
UPLOAD_BYTES = 10_000_000
# How long requests are sent before and after a restart.
MOMENT = 2.0


def fill_in(file: str, values: dict[str, str]) -> str:
    """The text of a file of the kit, with its places of an operator's machine replaced; each must be there."""
    text = (KIT / file).read_text()
    for place, value in values.items():
        expect(place in text, f"deploy/{file} does not contain {place}")
        text = text.replace(place, value)
    return text


def settings(behind: int, url: str, model: str) -> dict[str, str]:
    """Those of deploy/plexus.toml, at other ports, with room for a message of 10 MB."""
    return {
        "PLEXUS_LISTEN": f"127.0.0.1:{behind}", "PLEXUS_PUBLIC_URL": url, "PLEXUS_TRUSTED_PROXIES": "127.0.0.1",
        "PLEXUS_REGISTRATION": "invite", "PLEXUS_MAX_MESSAGE_BYTES": str(16 << 20), "PLEXUS_RATE_LIMIT_SCALE": "100",
        "PLEXUS_LLM_BASE_URL": model, "PLEXUS_LLM_MODEL": "scripted",
        # The scripted model is silent for longer than a model may be, and it is on this machine.
        "PLEXUS_RUN_IDLE_TIMEOUT_SECONDS": "600",
    }


def use(hub: Hub, authority: Path) -> list[str]:
    """Everything at once where it takes long. The hub has just been started, so its user signed in at the public name."""
    hub.create(AGENT, "Answers questions about the sea.", "--instructions", "Answer.", "--access", "open")
    told = [pages(hub), client_address(hub), names(hub), web_socket(hub), upload(hub), disconnect(hub)]
    with ThreadPoolExecutor(4) as threads:
        whole = threads.submit(not_streamed, hub)
        html = threads.submit(without_script, hub)
        http2 = threads.submit(over_http2, hub, authority)
        told += follow(hub, SILENCE, PATIENCE)
        return told + [whole.result(), html.result(), http2.result()]


def pages(hub: Hub) -> str:
    """The session is a cookie of https only, and pages are compressed."""
    with open_page(hub, "/settings/account", {"Accept-Encoding": "gzip"}) as page:
        coding, hsts = page.headers["Content-Encoding"], page.headers["Strict-Transport-Security"]
    expect(coding == "gzip" and hsts, f"a page: Content-Encoding {coding}, Strict-Transport-Security {hsts}")
    cookies = [cookie for handler in hub.browser.handlers for cookie in getattr(handler, "cookiejar", [])]
    expect(any(cookie.name == "__Host-plexus" and cookie.secure for cookie in cookies), f"the session's cookie: {cookies}")
    return "signed in by a form, with a cookie of https only; a page, compressed by the hub, with HSTS"


def client_address(hub: Hub) -> str:
    """The hub counts a client by its own address, which it cannot forge."""
    form = f"name={PERSON}&password=not+the+password".encode()
    headers = {"Origin": hub.url, "X-Forwarded-For": "203.0.113.9"}
    try:
        urllib.request.urlopen(urllib.request.Request(f"{hub.url}/login", form, headers), timeout=LONGEST)
    except urllib.error.HTTPError as refusal:
        expect(refusal.code == 422, f"a wrong password: {refusal.code}")
    found = re.findall(r"sign-in: failed address=(\S+)", plain(hub.program.said()))
    expect(found == [CLIENT], f"a failed sign-in came from {found}")
    return f"a failed sign-in is logged with the client's address {found[0]}, and not with the one that it claimed"


def plain(log: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", log)


def names(hub: Hub) -> str:
    """Metadata and cards name the public URL, with which their clients compare it."""
    resource = fetch(hub, "/.well-known/oauth-protected-resource/mcp")
    expect(resource["resource"] == f"{hub.url}/mcp" and resource["authorization_servers"] == [hub.url], f"{resource}")
    server = fetch(hub, "/.well-known/oauth-authorization-server")
    expect(server["issuer"] == hub.url, f"{server}")
    endpoints = [value for key, value in server.items() if key.endswith("_endpoint")]
    card = fetch(hub, f"/a2a/{PERSON}/{AGENT}/.well-known/agent-card.json")
    interfaces = [interface["url"] for interface in card["supportedInterfaces"]]
    expect(endpoints and interfaces, f"{server} {card}")
    for url in endpoints + interfaces:
        expect(url.startswith(f"{hub.url}/"), f"{url} is not at {hub.url}")
    request = urllib.request.Request(f"{hub.url}/mcp", json.dumps(rpc("tools/list", {})).encode(), {
        "Authorization": "Bearer plx_made-up", "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
    })
    try:
        urllib.request.urlopen(request, timeout=LONGEST)
        raise Failed("MCP accepts a made-up token")
    except urllib.error.HTTPError as refusal:
        challenge = refusal.headers["WWW-Authenticate"]
    expect(f'resource_metadata="{hub.url}/.well-known/oauth-protected-resource/mcp"' in challenge, challenge)
    return f"MCP's challenge, {len(endpoints)} OAuth endpoints and {len(interfaces)} interfaces of an A2A card name the public URL"


def web_socket(hub: Hub) -> str:
    found = websocket_client.call(f"{hub.url}/rpc", hub.token, "account.get", {})
    expect(found.get("result", {}).get("name") == PERSON, f"over a WebSocket: {found}")
    return "a call over a WebSocket"


def upload(hub: Hub) -> str:
    """A file goes to the hub in a message, and comes back from the link in its task."""
    file = hashlib.shake_256(b"a file").digest(UPLOAD_BYTES)
    part = {"raw": b64encode(file).decode(), "mediaType": "text/plain", "filename": "file.txt"}
    said = {"messageId": new_id(), "role": "ROLE_USER", "parts": [{"text": "1 + 1"}, part]}
    lines = read(hub, "/a2a/plexus/calc/", rpc("SendMessage", {"message": said}), {
        "A2A-Version": "1.0", "Authorization": f"Bearer {hub.token}",
    })
    answer = json.loads("".join(line for _, line in lines))
    expect("result" in answer, f"an upload: {str(answer)[:500]}")
    link = answer["result"]["task"]["history"][0]["parts"][1]["url"]
    expect(link.startswith(f"{hub.url}/"), f"the file is at {link}")
    with hub.open("GET", link.removeprefix(hub.url)) as back:
        expect(back.read() == file, "the file came back changed")
    return f"a file of {UPLOAD_BYTES:,} bytes in a message, and back"


def disconnect(hub: Hub) -> str:
    """A client of the OpenAI API cancels by disconnecting; the hub must learn of it."""
    asked = {"model": MODEL, "stream": True, "messages": [{"role": "user", "content": "tokens=3000 rate=20"}]}
    with hub.open("POST", "/v1/chat/completions", asked) as stream:
        for line in stream:
            if b"t3 " in line:
                break
    begun = time.monotonic()
    while not (stopped := stopped_runs(hub)) and time.monotonic() - begun < PATIENCE:
        time.sleep(PAUSE)
    expect(stopped, f"the answer goes on {PATIENCE} s after its client disconnected")
    return f"an answer is cancelled {time.monotonic() - begun:.1f} s after its client disconnected"


def stopped_runs(hub: Hub) -> int:
    with closing(sqlite3.connect(f"file:{hub.folder}/data/plexus.sqlite3?mode=ro", uri=True)) as database:
        return database.execute("select count(*) from runs where state = 'stopped'").fetchone()[0]


def not_streamed(hub: Hub) -> str:
    """An answer that is sent when it is complete: nothing comes for longer than proxies usually wait."""
    body = {"model": MODEL, "messages": [{"role": "user", "content": f"pause={SILENCE} tokens={PIECES} rate=10"}]}
    lines = read(hub, "/v1/chat/completions", body, {})
    expect(f"t{PIECES - 1}" in "".join(line for _, line in lines), f"not streamed: {lines[-3:]}")
    return f"/v1/chat/completions without streaming: the answer after {lines[-1][0]:.0f} s of silence"


def without_script(hub: Hub) -> str:
    """The page of a chat in a browser without JavaScript, which stays open until the answer is complete."""
    chat = begin_chat(hub, f"pause=1 tokens={PIECES} rate=10")
    lines = lines_of("the page", lambda: open_page(hub, f"/chat/{chat}?follow=1", {}))
    words = [moment for moment, line in lines if re.search(r"\bt\d+\b", line)]
    expect(words and f"t{PIECES}" in "".join(line for _, line in lines), f"the page is not whole: {lines[-3:]}")
    expect(words[-1] - lines[0][0] > 2, f"the page was buffered: {words}")
    return f"a page without JavaScript: begun after {lines[0][0]:.1f} s, complete after {lines[-1][0]:.1f} s"


def over_http2(hub: Hub, authority: Path) -> str:
    """A stream in one of the streams of an HTTP/2 connection, as browsers read it."""
    body = {"model": MODEL, "stream": True, "messages": [{"role": "user", "content": f"pause={SILENCE} tokens={PIECES} rate=10"}]}
    port = hub.url.rpartition(":")[2]
    command = [
        "curl", "--silent", "--show-error", "--no-buffer", "--http2", "--compressed", "--cacert", authority,
        "--resolve", f"{NAME}:{port}:127.0.0.1", "--write-out", "\nHTTP/%{http_version}\n", "--json", json.dumps(body),
        "--header", f"Authorization: Bearer {hub.token}", f"{hub.url}/v1/chat/completions",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as curl:
        lines = lines_of("HTTP/2", lambda: curl.stdout)
    expect(lines[-1][1].strip() == "HTTP/2", f"not HTTP/2: {lines[-3:]}")
    return judge("/v1/chat/completions over HTTP/2", lines, SILENCE, PATIENCE, True)


def fetch(hub: Hub, path: str) -> dict:
    with urllib.request.urlopen(hub.url + path, timeout=LONGEST) as answer:
        return json.load(answer)


def open_page(hub: Hub, path: str, headers: dict[str, str]):
    return hub.browser.open(urllib.request.Request(hub.url + path, headers=headers), timeout=LONGEST)


def restart(hub: Hub, fails: set[str]) -> str:
    """The hub is restarted as by a supervisor; requests wait, except those in `fails`."""
    with RequestLoop(hub) as loop:
        time.sleep(MOMENT)
        begun = time.monotonic()
        hub.program.terminate()
        hub.start("hub-restarted")
        away = time.monotonic() - begun
        time.sleep(MOMENT)
    failures = loop.failures()
    # An answer that is being written is interrupted.
    expect(not set(failures) - fails - {"answer: 503"}, f"during a restart: {failures}")
    return f"a restart of {away:.1f} s: {loop.summary()}"
