"""Requests to a hub one after another, while something happens to it: which failed, and how long the slowest took."""

import json
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from dataclasses import dataclass

from clients import MODEL
from edges import rpc
from hub import Hub, new_id

LONGEST = 60.0
PAUSE = 0.02
ANSWER = "tokens=40 rate=10"


@dataclass
class Outcome:
    kind: str
    told: str
    seconds: float


class RequestLoop:
    """Requests of four kinds, each again and again on a connection of its own, until it is left. An answer takes 4 s."""

    def __init__(self, hub: Hub):
        self.hub, self.outcomes, self.stopped = hub, [], threading.Event()
        requests = {
            "page": lambda: ("GET", "/agents", None),
            "call": lambda: ("POST", "/rpc", rpc("account.get", {})),
            "message": lambda: ("POST", "/api/v1/chats", {"id": new_id(), "to": "@plexus/calc", "text": "6 * 7"}),
            "answer": lambda: ("POST", "/v1/chat/completions", {"model": MODEL, "messages": [{"role": "user", "content": ANSWER}]}),
        }
        self.threads = [threading.Thread(target=self.repeat, args=one) for one in requests.items()]

    def __enter__(self) -> "RequestLoop":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.stopped.set()
        for thread in self.threads:
            thread.join()

    def repeat(self, kind: str, request) -> None:
        while not self.stopped.wait(PAUSE):
            begun = time.monotonic()
            told = self.send(*request())
            self.outcomes.append(Outcome(kind, told, time.monotonic() - begun))

    def send(self, method: str, path: str, body: object) -> str:
        headers = {"Authorization": f"Bearer {self.hub.token}"} if body else {}
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(
            self.hub.url + path, data, {"Content-Type": "application/json", **headers}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=LONGEST) as answer:
                answer.read()
                return str(answer.status)
        except urllib.error.HTTPError as refusal:
            return str(refusal.code)
        except OSError as broken:
            return str(broken)

    def failures(self) -> Counter:
        return Counter(f"{one.kind}: {one.told}" for one in self.outcomes if not one.told.startswith("2"))

    def summary(self) -> str:
        slowest: dict[str, float] = {}
        for one in self.outcomes:
            slowest[one.kind] = max(slowest.get(one.kind, 0), one.seconds)
        failures = ", ".join(f"{told} {count} times" for told, count in self.failures().items())
        times = ", ".join(f"{kind} {seconds:.1f} s" for kind, seconds in slowest.items())
        return f"{len(self.outcomes)} requests, failed: {failures or 'none'}; the slowest: {times}"
