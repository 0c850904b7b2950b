"""A hub of its own for a check: started with an administrator, given agents, and spoken to as a program would."""

import http.cookiejar
import json
import os
import re
import secrets
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from install import ROOT
from outcome import Failed
from process import NEUTRAL, Program

PERSON = "demo"
PASSWORD = "a check needs no secret"
LONGEST_ANSWER = 600.0


@dataclass
class Answer:
    """What an agent said, and how it came."""

    chat: str
    state: str
    run: str
    text: str
    parts: list
    pieces: int
    first: float
    whole: float

    def told(self) -> str:
        when = f"the first after {self.first:.1f} s of {self.whole:.1f}"
        return f"{len(self.text)} characters in {self.pieces} pieces, {when}: “{short(self.text)}”"


def short(text: str) -> str:
    said = " ".join(text.split())
    return said if len(said) <= 90 else said[:89] + "…"


def binary() -> Path:
    target = os.environ.get("CARGO_TARGET_DIR", ROOT / "target")
    return Path(os.environ.get("PLEXUS_BINARY", Path(target) / "release/plexus")).absolute()


class Hub:
    """Serves from a folder of its own until it is left. A proxy in front may require `headers`."""

    def __init__(self, folder: Path, settings: dict[str, str] | None = None, headers: dict[str, str] | None = None):
        self.folder, self.headers = folder, headers or {}
        self.env = {
            **NEUTRAL, "PLEXUS_DATA_DIR": str(folder / "data"), "PLEXUS_LISTEN": "127.0.0.1:0", "PLEXUS_LOG": "warn",
            **(settings or {}),
        }
        self.stack = ExitStack()

    def __enter__(self) -> "Hub":
        try:
            self.start("hub")
            self.command("user", "create", PERSON, "--role", "admin", told=PASSWORD)
            self.token = self.make_token()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.stack.close()

    def start(self, name: str) -> None:
        """Starts the program, whose log has a name, and waits until it serves."""
        self.program = self.stack.enter_context(Program(self.folder, name, [binary(), "serve"], env=self.env))
        self.url = self.program.says(r"serves on (https?://\S*)").rstrip("/")

    # --- agents --------------------------------------------------------------------------------

    def register(self, url: str, *more: str) -> None:
        """An agent that runs somewhere. Its administrator answers for it, as for what stands on this machine."""
        self.command("agent", "register", url, "--as", PERSON, "--trust-origins", "--visibility", "public", *more)

    def create(self, name: str, summary: str, *more: str) -> None:
        self.command("agent", "create", name, "--as", PERSON, "--summary", summary, "--visibility", "public", *more)

    def attach(self, name: str, summary: str, *more: str | Path, env: dict[str, str]) -> Program:
        """`plexus agent run`, from the folder of the check, until the hub is left."""
        command = [binary(), "agent", "run", f"@{PERSON}/{name}", "--summary", summary, *more]
        program = self.stack.enter_context(Program(self.folder, name, command, env={**self.env, **env}))
        program.says("(Attached)")
        return program

    def command(self, *arguments: str, told: str = "") -> str:
        command = [binary(), *arguments]
        done = subprocess.run(command, env=self.env, cwd=self.folder, input=told, capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"plexus {' '.join(arguments[:3])}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    # --- as a program --------------------------------------------------------------------------

    def ask(self, agent: str, text: str) -> Answer:
        """Begins a chat and reads the answer as it comes."""
        begun = time.monotonic()
        said = self.api("POST", "/chats", {"id": new_id(), "to": f"@{PERSON}/{agent}", "text": text})
        return self.follow(said["chat"], begun, 0)

    def say(self, before: Answer, text: str) -> Answer:
        """Goes on in a chat."""
        begun = time.monotonic()
        after = self.api("GET", f"/chats/{before.chat}")["seq"]
        self.api("POST", f"/chats/{before.chat}/messages", {"id": new_id(), "text": text})
        return self.follow(before.chat, begun, after)

    def follow(self, chat: str, begun: float, after: int) -> Answer:
        """Until the next answer of an agent is complete."""
        pieces, first = 0, 0.0
        for event, data in self.events(chat, after):
            if event in ("part_snapshot", "text_delta") and (data.get("t") or data.get("h")):
                pieces += 1
                first = first or time.monotonic() - begun
            if event == "message_completed":
                message = self.api("GET", f"/messages/{data['id']}")
                if message["author"]["kind"] == "agent":
                    break
        else:
            raise Failed("the events of the chat ended before the answer did")
        parts = message["parts"]
        text = "".join(part["text"] for part in parts if part["kind"] == "text")
        run = message["run"]["state"]
        if message["run"].get("failure"):
            run += f" ({message['run']['failure'].get('message')})"
        return Answer(chat, message["state"], run, text, parts, pieces, first, time.monotonic() - begun)

    def events(self, chat: str, after: int):
        """Server-sent events of a chat; a stream that says good-bye is opened again where it was."""
        deadline = time.monotonic() + LONGEST_ANSWER
        while time.monotonic() < deadline:
            with self.open("GET", f"/api/v1/events?chat={chat}&after={after}") as stream:
                for event, data in sent(stream):
                    after = data.get("seq", after) if isinstance(data, dict) else after
                    yield event, data
                    if time.monotonic() > deadline:
                        return

    def launch_goal(self, goal: str, members: list[str], **more: object):
        """The events of a team that is launched in one call: `team` as it is then, at last `conclusion` or `failed`."""
        asked = {"goal": goal, "team_member_names": members, **more}
        with self.open("POST", "/launch_goal", asked, accept="text/event-stream") as stream:
            yield from sent(stream)

    def api(self, method: str, path: str, body: object = None) -> dict:
        with self.open(method, f"/api/v1{path}", body) as answer:
            return json.loads(answer.read() or "null")

    def open(self, method: str, path: str, body: object = None, accept: str = "*/*"):
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Accept", accept)
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode()
        try:
            return urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as refusal:
            raise Failed(f"{method} {path}: {refusal.code} {refusal.read().decode(errors='replace')}") from None

    def make_token(self) -> str:
        """Signs in as a browser does, and makes a token for programs."""
        browser = self.browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        browser.addheaders = [("Origin", self.url), ("Sec-Fetch-Site", "same-origin"), *self.headers.items()]

        def post(path: str, fields: list[tuple[str, str]]) -> str:
            form = urllib.parse.urlencode(fields).encode()
            return browser.open(self.url + path, form, timeout=60).read().decode()

        post("/login", [("name", PERSON), ("password", PASSWORD)])
        scopes = [("scope", scope) for scope in ("read", "chat", "agents", "team")]
        page = post("/settings/tokens", [("name", "check"), ("days", "30"), *scopes])
        return re.search(r"plx_[\w-]+", page).group()


def sent(stream):
    """The events of a stream (WHATWG HTML, section 9.2), each with its data, which is JSON."""
    event, data = "", ""
    for line in stream:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name == "event":
            event = value
        elif name == "data":
            data = value
        elif not name and event:
            yield event, json.loads(data or "null")
            event = data = ""


def new_id() -> str:
    """A UUID of version 7, as the hub wants ids of messages."""
    number = int(time.time() * 1000).to_bytes(6, "big") + secrets.token_bytes(10)
    bits = bytearray(number)
    bits[6], bits[8] = bits[6] & 0x0F | 0x70, bits[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(bits)))
