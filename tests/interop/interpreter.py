"""Open Interpreter by its own HTTP server, called by the hub's ready request for it.

It chats on the real small model. That one writes no code worth running, so for a task a script plays the model: Open
Interpreter asks in the chat whether to run the code, and runs it.
"""

from contextlib import contextmanager
from pathlib import Path

import models
from hub import Hub
from install import python_packages
from outcome import expect
from process import Program
from scene import Scene

PEER = "Open Interpreter 0.4.3"
SPEAKS = "its own HTTP"
PACKAGES = ["open-interpreter==0.4.3", "setuptools==65.5.0", "janus==2.0.0", "fastapi==0.115.2", "uvicorn==0.54.0"]
FROM_SOURCE = ("html2text", "wget", "pyperclip")
FILE = "product.txt"
SCRIPT = [
    f"I compute it.\n\n```python\nopen({FILE!r}, 'w').write(str(17 * 23))\n```",
    "The product is in the file.",
]


def check(scene: Scene) -> list[str]:
    python = environment()
    return [*chat(scene, python), *task(scene, python)]


def chat(scene: Scene, python: Path) -> list[str]:
    with models.real(scene.folder) as model, serving(scene, python, "chatting", model) as hub:
        answer = hub.ask("chatting", "Tell me one thing about the sea. Write no code.")
    expect(answer.run == "completed" and answer.text.strip(), f"{answer.run}: {answer.text}")
    expect(answer.pieces > 3, f"it did not stream: {answer.told()}")
    return [f"on the small model: {answer.told()}"]


def task(scene: Scene, python: Path) -> list[str]:
    (scene.folder / "task").mkdir()
    scene = Scene(scene.folder / "task")
    with models.scripted(scene.folder, SCRIPT) as model, serving(scene, python, "working", model) as hub:
        asked = hub.ask("working", f"Write 17 * 23 into {FILE}.")
        question = "Do you want to run this code?" in asked.text
        expect(question and asked.run == "input_required", f"it did not ask: {asked.run}: {asked.text}")
        expect(not (scene.folder / FILE).exists(), "it ran the code before it was let")
        done = hub.say(asked, "Yes.")
    expect(done.run == "completed" and SCRIPT[1] in done.text, f"{done.run}: {done.text}")
    written = (scene.folder / FILE).read_text()
    expect(written == str(17 * 23), f"the file holds {written}")
    return [f"on a scripted model: asked whether to run its code, ran it after “Yes.”, and {FILE} holds {written}"]


@contextmanager
def serving(scene: Scene, python: Path, name: str, model: Program):
    """A hub with this agent, which is Open Interpreter on this model."""
    with Hub(scene.folder) as hub, serve(scene, python, model) as program:
        register(hub, program, name)
        yield hub


def environment() -> Path:
    return python_packages("open-interpreter", "3.11", PACKAGES, from_source=FROM_SOURCE)


def serve(scene: Scene, python: Path, model: Program, *more: str, box: tuple = ()) -> Program:
    """Its server on this model; it works in the folder of the scene."""
    command = [*box, python, scene.programs / "interpreter_server.py", model.says(models.LISTENS), models.NAME, *more]
    env = {"HOME": str(scene.folder), "LITELLM_LOCAL_MODEL_COST_MAP": "True", "DISABLE_TELEMETRY": "true"}
    return Program(scene.folder, "interpreter", command, env=env)


def register(hub: Hub, program: Program, name: str) -> None:
    url = program.says(models.LISTENS)
    program.answers(f"{url}/heartbeat")
    hub.register(url, "--preset", "open-interpreter", "--name", name)
