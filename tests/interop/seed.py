"""AutoGPT and Open Interpreter as a team: one call launches the goal, they reach it, also when one of them is killed.

A script plays the model of both and knows none of the figures: Open Interpreter runs the code that draws the plot, AutoGPT
writes a program, asks for leave, runs it, and reads the report that the program wrote.
"""

import shutil
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import autogpt
import interpreter
import models
import revenue
from hub import Hub, short
from outcome import Failed, Skipped, expect
from process import PAUSE, Program
from scene import Scene

PEER = "AutoGPT (agpt 0.2.2) and Open Interpreter 0.4.3"
SPEAKS = "a team, by /launch_goal"
WRITER, PLOTTER = "autogpt", "interpreter"
WRITES_IN = "auto_gpt_workspace"
REPORT, PLOT = f"{WRITES_IN}/report.md", "revenue.png"
DRAWN = "The plot of the annual figures is in revenue.png."
MISSING = "1 of 2 members who were given work came back without a result."
# File created by code that then runs for long.
BEGUN = "begun"
LONGEST_WAIT = 120.0


def check(scene: Scene) -> list[str]:
    if not shutil.which("bwrap"):
        raise Skipped("bubblewrap is missing, and code that runs without leave runs in a box alone")
    pythons = autogpt.environment(), interpreter.environment()
    return [line for dies in (None, PLOTTER, WRITER) for line in play(scene, pythons, dies)]


def play(scene: Scene, pythons: tuple[Path, Path], dies: str | None) -> list[str]:
    """One run, in which nobody or one member is killed in the middle."""
    scene = Scene(scene.folder / (dies or "nobody"))
    revenue.hand_out(scene.folder, scene.folder / WRITES_IN)
    with team(scene, pythons, dies) as (hub, members):
        run = lead(hub, members, dies)
    return [f"{dies or 'nobody'} killed: {line}" for line in seen(scene.folder, run, dies)]


@contextmanager
def team(scene: Scene, pythons: tuple[Path, Path], dies: str | None):
    """A hub with both members, each on a model of its own."""
    writes = scene.folder / "writes"
    writes.mkdir()
    with (
        models.scripted(writes, writers_script()) as writers_model,
        models.scripted(scene.folder, plotters_script(scene, dies)) as plotters_model,
        interpreter.serve(scene, pythons[1], plotters_model, "run", box=boxed(scene.folder)) as plotter,
        Hub(scene.folder) as hub,
    ):
        interpreter.register(hub, plotter, PLOTTER)
        writer = autogpt.attach(hub, pythons[0], writers_model, EXECUTE_LOCAL_COMMANDS="True")
        yield hub, {WRITER: writer, PLOTTER: plotter}


def boxed(folder: Path) -> tuple:
    """Code that runs without leave writes nowhere but in the folder of the check."""
    return (
        "bwrap", "--die-with-parent", "--unshare-pid", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
        "--bind", folder, folder, "--chdir", folder, "--setenv", "TMPDIR", folder,
    )


def plotters_script(scene: Scene, dies: str | None) -> list[str]:
    code = (scene.programs / "revenue_plot.py").read_text()
    if dies == PLOTTER:
        code = f"import time\nopen('{BEGUN}', 'w').close()\ntime.sleep({LONGEST_WAIT})\n{code}"
    return [f"I add up the figures and draw them.\n\n```python\n{code}```", DRAWN]


def writers_script() -> list[str]:
    """It plans before it reads the goal, which reaches it as feedback to its first plan."""
    code = (revenue.SOURCES / "report.py").read_text()
    return [
        autogpt.says("I wait for what the person wants.", "do_nothing", {}),
        autogpt.says("I write a program that reports.", "write_to_file", {"filename": "report.py", "text": code}),
        autogpt.says("I run it.", "execute_shell", {"command_line": "python3 report.py"}),
        autogpt.says("I read the report.", "read_file", {"filename": "report.md"}),
        autogpt.says("That is all.", "task_complete", {"reason": "The report is in report.md."}),
    ]


@dataclass
class Run:
    """What came of a team: what `/launch_goal` answered, the team as it is afterwards, and what its owner was asked."""

    team: str
    conclusion: str
    after: dict
    asked: list[str]
    took: float

    def work_of(self, member: str) -> dict:
        seat = next(one["seat"] for one in self.after["members"] if one["name"].endswith(f"/{member}"))
        return next(work for work in self.after["assignments"] if work["to"] == seat)


def lead(hub: Hub, members: dict[str, Program], dies: str | None) -> Run:
    """Launches the goal, and gives leave for each command until the team has ended."""
    begun, asked = time.monotonic(), {}
    # Each scripted agent has a single conversation, so none forms a subteam.
    for event, data in hub.launch_goal(revenue.GOAL, [WRITER, PLOTTER], team_up_depth=0):
        if event != "team":
            expect(event == "conclusion", f"the team has no conclusion: {data}")
            after = hub.api("GET", f"/teams/{data[0]}")
            return Run(*data, after, list(asked.values()), time.monotonic() - begun)
        for work in data["assignments"]:
            if work["state"] != "asking" or work["text"] in asked:
                continue
            command = work["text"].rpartition("COMMAND = ")[2].partition(" ")[0]
            asked[work["text"]] = command
            if len(asked) == 2 and dies:
                kill(hub, members, dies)
            # The last two commands need no separate approval.
            leave = "y -2" if command == "read_file" else "y"
            hub.api("POST", f"/teams/{data['id']}", {"action": "answer", "assignment": work["number"], "text": leave})
    raise Failed("the stream of the team ended before the team did")


def kill(hub: Hub, members: dict[str, Program], dies: str) -> None:
    """Open Interpreter while its code runs, AutoGPT while it waits for leave."""
    if dies == PLOTTER:
        deadline = time.monotonic() + LONGEST_WAIT
        while not (hub.folder / BEGUN).exists():
            expect(time.monotonic() < deadline, f"its code did not begin:\n{members[dies].end()}")
            time.sleep(PAUSE)
    members[dies].kill()


def seen(folder: Path, run: Run, dies: str | None) -> list[str]:
    states = {name: run.work_of(name)["state"] for name in (WRITER, PLOTTER)}
    expected = {name: "failed" if name == dies else "completed" for name in states}
    expect(states == expected, f"the assignments ended as {states}: {run.after['assignments']}")
    expect(run.after["state"] == "closed" and run.after["ended"], f"the team is {run.after['state']}")
    told = [f"{run.took:.0f} s, assignments {states}, asked for leave for {', '.join(run.asked)}"]
    if dies != WRITER:
        report = (folder / REPORT).read_text()
        revenue.reported(report)
        expect("task_complete" in run.conclusion and "Total:" in run.conclusion, f"it concluded {run.conclusion}")
        told.append(f"the report holds all {len(revenue.figures())} lines of figures")
    if dies != PLOTTER:
        size = revenue.plotted(folder / PLOT)
        expect(DRAWN in run.conclusion, f"it concluded {run.conclusion}")
        told.append(f"{PLOT} has {size} bytes")
    if dies:
        expect(MISSING in run.conclusion, f"the answer does not say that something is missing: {run.conclusion}")
        why = run.work_of(dies)["text"]
        told.append(f"the assignment of the one that was killed says: “{short(why)}”")
    return told
