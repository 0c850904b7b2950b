"""What the lighthouse agent does with a message: the first word picks one of a few behaviours."""

import asyncio
import re
from collections import Counter

from a2a.helpers.proto_helpers import new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskUpdater
from a2a.types.a2a_pb2 import TaskState

TABLE = """Here is the watch of tonight:

| hour | light | weather |
|---|---|---|
| 20 | lit | clear |
| 23 | lit | fog |

```python
def flash(seconds):
    return "on" if seconds % 12 < 3 else "off"
```

All is well."""


class Keeper(AgentExecutor):
    """Answers `hello` with one message, and every other first word with a task."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.turns: Counter[str] = Counter()

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        text = context.get_user_input()
        word = (re.findall(r"\w+", text.lower()) or [""])[0]
        self.turns[context.context_id] += 1
        if word == "hello":
            greeting = "Good evening from the lighthouse."
            await event_queue.enqueue_event(new_text_message(greeting, context_id=context.context_id))
            return
        waiting = context.current_task is not None
        if not waiting:
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
        task = TaskUpdater(event_queue, context.task_id, context.context_id)
        await task.start_work()
        await self.carry_out("answered" if waiting else word, text, task)

    async def carry_out(self, word: str, text: str, task: TaskUpdater) -> None:
        match word:
            case "count":
                await self.stream(task, numbers(text))
            case "ask":
                await task.requires_input(says(task, "Which harbour do you mean?"))
                return
            case "answered":
                await self.stream(task, words(f"Noted, I keep the light for {text}."))
            case "write":
                await self.stream(task, pages(text), name="logbook.md")
            case "table":
                await self.stream(task, words(TABLE))
            case "fail":
                await task.failed(says(task, "The lamp went out before the answer was ready."))
                return
            case _:
                turn = self.turns[task.context_id]
                await self.stream(task, words(f"You said: {text} (message {turn} of this conversation)"))
        await task.complete()

    async def stream(self, task: TaskUpdater, pieces: list[str], name: str = "answer") -> None:
        """One artifact, a piece at a time."""
        for index, piece in enumerate(pieces):
            await task.add_artifact(
                [new_text_part(piece)],
                artifact_id=name,
                name=name,
                append=index > 0,
                last_chunk=index == len(pieces) - 1,
            )
            await asyncio.sleep(self.delay)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        task = TaskUpdater(event_queue, context.task_id, context.context_id)
        await task.update_status(TaskState.TASK_STATE_CANCELED)


def says(task: TaskUpdater, text: str):
    return task.new_agent_message([new_text_part(text)])


def words(text: str) -> list[str]:
    """The text cut after each run of white space, so that joining the pieces gives it back."""
    return re.findall(r"\s*\S+\s*?(?=\s|$)|\s+$", text) or [text]


def numbers(text: str) -> list[str]:
    """1 to the number in the text (100 without one), with a new paragraph after every ten."""
    last = min(int((re.findall(r"\d+", text) or ["100"])[0]), 100_000)
    return [f"{n}\n\n" if n % 10 == 0 else f"{n} " for n in range(1, last + 1)]


def pages(text: str) -> list[str]:
    subject = text.split(maxsplit=1)[1] if len(text.split()) > 1 else "the night"
    return [f"# Logbook of {subject}\n\n", *(f"{hour}:00 the light is lit.\n\n" for hour in range(20, 24))]
