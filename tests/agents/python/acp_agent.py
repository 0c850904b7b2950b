"""An agent on agent-client-protocol (PyPI), over its standard streams. It does what the message tells it to:

    count               counts until it is cancelled
    die                 ends in the middle of its answer
    junk, flood         writes what is no message: a little, or without an end
    eat, fork           takes memory, starts processes
    ask                 asks for leave, and says what came of it
    look                thinks, plans and uses a tool
    read PATH …         says of each whether it can be read
    write TEXT          keeps a text in its folder
    anything else       says it again, word by word, with what it is and was told
"""

import asyncio
import os
import subprocess
import sys
import uuid
from pathlib import Path

from acp import (
    PROTOCOL_VERSION,
    Agent,
    InitializeResponse,
    NewSessionResponse,
    PromptResponse,
    plan_entry,
    run_agent,
    start_tool_call,
    update_agent_message_text,
    update_agent_thought_text,
    update_plan,
    update_tool_call,
)
from acp.schema import PermissionOption, ToolCallUpdate


class Scripted(Agent):
    def on_connect(self, conn):
        self.client = conn
        self.turns = 0
        self.cancelled = asyncio.Event()

    async def initialize(self, protocol_version, client_capabilities=None, client_info=None, **kwargs):
        return InitializeResponse(protocol_version=PROTOCOL_VERSION)

    async def new_session(self, cwd, additional_directories=None, mcp_servers=None, **kwargs):
        self.session, self.folder = uuid.uuid4().hex, Path(cwd)
        return NewSessionResponse(session_id=self.session)

    async def cancel(self, session_id, **kwargs):
        self.cancelled.set()

    async def prompt(self, prompt, session_id, message_id=None, **kwargs):
        self.turns += 1
        self.cancelled.clear()
        told = [block.text for block in prompt]
        verb, *rest = told[-1].split()
        act = getattr(self, f"do_{verb}", None)
        await (act(*rest) if act else self.repeat(told))
        return PromptResponse(stop_reason="cancelled" if self.cancelled.is_set() else "end_turn")

    async def say(self, text):
        await self.update(update_agent_message_text(text))

    async def update(self, update):
        await self.client.session_update(session_id=self.session, update=update)

    async def repeat(self, told):
        for word in told[-1].split():
            await self.say(f"{word} ")
        await self.say(f"(turn {self.turns}, {len(told)} told, process {self.session})")

    async def do_count(self):
        number = 0
        while not self.cancelled.is_set():
            number += 1
            await self.say(f"{number} ")
            await asyncio.sleep(0.01)

    async def do_die(self):
        await self.say("Half a")
        print("a secret of the operator", file=sys.stderr)
        sys.stdout.flush()
        os._exit(3)

    async def do_junk(self):
        write("Loading the model …\n{}\n[1, 2]\n\n")
        await self.say("Here I am.")

    async def do_flood(self):
        while True:
            write("na " * 20_000 + "\n")

    async def do_eat(self):
        await self.say("Hungry")
        eaters = [sys.executable, "-c", "x = bytearray(60_000_000); import time; time.sleep(1000)"]
        for _ in range(20):
            subprocess.Popen(eaters, stdin=subprocess.DEVNULL)
        await asyncio.sleep(1000)

    async def do_fork(self):
        started = []
        try:
            for _ in range(500):
                started.append(subprocess.Popen(["sleep", "100"]))
        except OSError as error:
            await self.say(f"{type(error).__name__} after {len(started)}")
        for process in started:
            process.kill()

    async def do_ask(self):
        call = ToolCallUpdate(tool_call_id="d", title="Delete everything", raw_input={"path": "/"})
        options = [
            PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
            PermissionOption(option_id="no", name="No", kind="reject_once"),
        ]
        answer = await self.client.request_permission(session_id=self.session, tool_call=call, options=options)
        await self.say(f"{answer.outcome.outcome} {getattr(answer.outcome, 'option_id', '')}".strip())

    async def do_look(self):
        await self.update(update_agent_thought_text("Where is it?"))
        await self.update(update_plan([plan_entry("Look", status="in_progress"), plan_entry("Tell")]))
        await self.update(start_tool_call("t1", "Look around", status="in_progress", raw_input={"where": "here"}))
        await self.update(update_tool_call("t1", status="completed", raw_output={"found": 3}))
        await self.say("Three.")

    async def do_read(self, *paths):
        for path in paths:
            try:
                found = Path(path).read_bytes()[:40]
                await self.say(f"{path}: READ {found!r}\n")
            except OSError as error:
                await self.say(f"{path}: {type(error).__name__}\n")

    async def do_write(self, text):
        (self.folder / "kept").write_text(text)
        await self.say("kept")


def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()


asyncio.run(run_agent(Scripted()))
