"""The edges of a hub that stream, as read through a proxy: what came, when, and whether the proxy held it back."""

import json
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from clients import AGENT, MODEL
from hub import PERSON, Hub, new_id
from outcome import Failed, expect

PIECES = 40
LONGEST = 150.0


def follow(hub: Hub, silence: int, patience: float) -> list[str]:
    """What came over each edge, all at the same time. The agent is silent for so many seconds, then answers in four.

    No edge may be silent for longer than `patience`, except the answer that is not streamed.
    """
    message = f"pause={silence} tokens={PIECES} rate=10"
    asked = [{"role": "user", "content": message}]
    said = {"messageId": new_id(), "role": "ROLE_USER", "parts": [{"text": message}]}
    call = {"name": f"ask_{PERSON}_{AGENT}", "arguments": {"message": message}}
    edges = {
        "/v1/chat/completions": ({"model": MODEL, "messages": asked, "stream": True}, {}, True),
        "/v1/messages": ({"model": MODEL, "messages": asked, "max_tokens": 500, "stream": True}, {"x-api-key": hub.token}, True),
        f"/a2a/{PERSON}/{AGENT}/": (rpc("SendStreamingMessage", {"message": said}), {"A2A-Version": "1.0"}, True),
        f"/mcp/{PERSON}/{AGENT}": (rpc("tools/call", call), {"MCP-Protocol-Version": "2025-11-25"}, False),
    }
    with ThreadPoolExecutor(len(edges) + 1) as threads:
        page = threads.submit(read_chat, hub, message)
        streams = {path: threads.submit(read, hub, path, *edge[:2]) for path, edge in edges.items()}
        told = [judge("a chat of the page", page.result(), silence, patience, True)]
        return told + [judge(path, stream.result(), silence, patience, edges[path][2]) for path, stream in streams.items()]


def rpc(method: str, params: dict) -> dict:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def read(hub: Hub, path: str, body: dict, headers: dict[str, str]) -> list[tuple[float, str]]:
    """The lines of a stream, each with its time."""
    given = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    request = urllib.request.Request(hub.url + path, json.dumps(body).encode(), {**hub.headers, **given})
    return lines_of(path, lambda: urllib.request.urlopen(request, timeout=LONGEST))


def read_chat(hub: Hub, message: str) -> list[tuple[float, str]]:
    """As the page of a chat does: with a session, and the events of the chat."""
    url = f"{hub.url}/api/v1/events?chat={begin_chat(hub, message)}&after=0"
    return lines_of("the chat", lambda: hub.browser.open(url, timeout=LONGEST), last=f"t{PIECES}")


def begin_chat(hub: Hub, message: str) -> str:
    body = json.dumps({"id": new_id(), "to": f"@{MODEL}", "text": message}).encode()
    request = urllib.request.Request(f"{hub.url}/api/v1/chats", body, {"Content-Type": "application/json"})
    with hub.browser.open(request, timeout=LONGEST) as answer:
        return json.load(answer)["chat"]


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


def judge(name: str, lines: list[tuple[float, str]], silence: int, patience: float, streams: bool) -> str:
    """It was never silent for too long, brought the whole answer, and brought it as it came."""
    times = [moment for moment, _ in lines]
    quiet = max(after - before for before, after in zip([0.0, *times], times))
    words = [moment for moment, line in lines if any(f"t{number} " in line or f"t{number}\\n" in line for number in range(1, PIECES + 1))]
    expect(f"t{PIECES - 1}" in "".join(line for _, line in lines), f"{name}: the answer is not whole: {lines[-5:]}")
    expect(times[-1] >= silence, f"{name}: the agent was not silent: {times[-1]:.0f} s")
    expect(quiet < patience, f"{name}: nothing came for {quiet:.0f} s")
    if not streams:
        return f"{name}: the answer after {times[-1]:.0f} s, kept alive: never silent for more than {quiet:.0f} s"
    spread = words[-1] - words[0]
    expect(len(words) > 10 and spread > 2, f"{name}: it was buffered: {len(words)} pieces in {spread:.1f} s")
    return f"{name}: silent for {silence} s, kept alive each {quiet:.0f} s, then {len(words)} pieces in {spread:.1f} s"


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as refusal:
        return refusal.code
    except OSError:
        return 0
