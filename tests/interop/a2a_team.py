"""Agents of other makers as teams, with a real small model that decides: twenty everyday goals.

The model is too small to decide well, and mostly gives nothing that can be used. So what is checked is the protocol
alone: every team ends, and nothing in its log is against the rules. How good the answers are is told, not checked.
"""

import json
import re
import statistics
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import a2a
import a2a_pydantic
import a2a_strands
import models
import team_log
from hub import PERSON, Hub, short
from install import python_packages
from outcome import Failed, expect
from process import Program
from scene import Scene

PEER = f"{a2a_strands.PEER} and {a2a_pydantic.PEER}"
SPEAKS = "A2A 0.3 and 1.0, as teams"
GOALS = Path(__file__).parent / "goals.json"
MEMBERS = ["strands", "pydantic"]
# The model has one slot for members and decisions, so each answer must be short.
MODEL_FLAGS = ["--threads", "1", "--longest-answer", "160"]
LIMITS = {"seconds": 120, "turn_seconds": 50, "assignment_seconds": 60, "turns": 12, "max_subteam_depth": 0}
GRACE = 60.0
PAUSE = 0.5
# Log lines of the hub for each decision, in the order of the report.
DECISIONS = {
    "taken at once": "team model: decision accepted attempt=First",
    "taken when repaired": "team model: decision accepted attempt=Repaired",
    "of no use twice, so the rules decided": "team model: both answers invalid",
    "too late or broken off, so the rules decided": "team model failed",
}


def check(scene: Scene) -> list[str]:
    pythons = [
        python_packages("strands", "3.12 3.11 3.13", a2a_strands.PACKAGES),
        python_packages("pydantic-ai", "3.12 3.11 3.13", a2a_pydantic.PACKAGES),
    ]
    goals = json.loads(GOALS.read_text())
    with hub_with_members(scene, pythons) as hub:
        runs = [play(hub, number, goal) for number, goal in enumerate(goals)]
        decisions = {what: (scene.folder / "hub.log").read_text().count(line) for what, line in DECISIONS.items()}
    return [*summary(runs), f"work without a result: {counts(reasons(runs))}", f"decisions: {counts(decisions)}"]


@contextmanager
def hub_with_members(scene: Scene, pythons: list[Path]):
    """Both agents and the hub's own decisions are on the same small model."""
    with models.real(scene.folder, *MODEL_FLAGS) as model:
        base_url = model.says(models.LISTENS)
        settings = {
            "PLEXUS_LLM_BASE_URL": base_url, "PLEXUS_LLM_MODEL": models.NAME, "PLEXUS_LLM_CONTEXT_TOKENS": "8192",
            "PLEXUS_TEAM_MODEL": models.NAME, "PLEXUS_LOG": "warn,plexus_hub::teams=debug",
        }
        commands = [[python, scene.programs / f"{name}_agent.py"] for name, python in zip(MEMBERS, pythons)]
        with (
            Program(scene.folder, MEMBERS[0], [*commands[0], base_url, models.NAME]) as strands,
            Program(scene.folder, MEMBERS[1], [*commands[1], base_url, models.NAME]) as pydantic,
            Hub(scene.folder, settings) as hub,
        ):
            for name, agent in zip(MEMBERS, (strands, pydantic)):
                url = agent.says(models.LISTENS)
                agent.answers(url + a2a.CARD)
                hub.register(url, "--name", name)
            yield hub


@dataclass
class Run:
    """What came of a goal."""

    goal: dict
    pattern: str
    team: dict
    entries: int
    asked: int
    took: float

    def mentioned(self) -> int:
        answer = (self.team["answer"] or "").lower()
        return sum(word.lower() in answer for word in self.goal["keywords"])

    def concluded(self) -> bool:
        return self.team["state"] == "closed"

    def tokens(self) -> int:
        return self.team["usage"]["tokens_in"] + self.team["usage"]["tokens_out"]

    def told(self) -> str:
        work = counts({state: sum(one["state"] == state for one in self.team["assignments"]) for state in team_log.TERMINAL})
        return (
            f"{self.pattern}, {self.took:.0f} s, {self.tokens()} tokens, {self.entries} entries, work: {work}, "
            f"{self.asked} decisions paid for, {self.mentioned()} of {len(self.goal['keywords'])} keywords: "
            f"“{short(self.team['answer'] or self.team['failure'])}”"
        )


def play(hub: Hub, number: int, goal: dict) -> Run:
    """One team, from its launch to its end; who leads alternates."""
    pattern, members = goal.get("pattern", "plan_and_delegate"), MEMBERS if number % 2 else MEMBERS[::-1]
    names = [f"@{PERSON}/{name}" for name in members]
    begun = time.monotonic()
    asked = {"goal": goal["goal"], "members": names, "pattern": pattern, "limits": LIMITS}
    team = ended(hub, hub.api("POST", "/teams", asked))
    took = time.monotonic() - begun
    try:
        log = team_log.check(hub, team)
    except Failed as reason:
        raise Failed(f"{pattern}, “{goal['goal']}”, team {team['id']}: {reason}") from None
    decided = sum(entry["event"]["kind"] == "decided" for entry in log)
    run = Run(goal, pattern, team, len(log), decided, took)
    print(f"  {number + 1}: {run.told()}", flush=True)
    return run


def ended(hub: Hub, team: dict) -> dict:
    """The team once it has ended, which is a minute after its deadline at the latest."""
    while team["ended"] is None:
        late = time.time() - team["deadline"] / 1000
        expect(late < GRACE, f"the team has not ended {late:.0f} s after its deadline: {team}")
        time.sleep(PAUSE)
        team = hub.api("GET", f"/teams/{team['id']}")
    return team


def summary(runs: list[Run]) -> list[str]:
    lines = []
    for pattern in dict.fromkeys(run.pattern for run in runs):
        lines.append(f"{pattern}: {together([run for run in runs if run.pattern == pattern])}")
    return [*lines, f"all: {together(runs)}"]


def together(runs: list[Run]) -> str:
    seconds = sorted(run.took for run in runs)
    keywords = sum(len(run.goal["keywords"]) for run in runs)
    work = [one for run in runs for one in run.team["assignments"]]
    done = sum(one["state"] == "completed" for one in work)
    return (
        f"{len(runs)} teams, {sum(run.concluded() for run in runs)} concluded, {done} of {len(work)} pieces of work "
        f"done, {sum(run.mentioned() for run in runs)} of {keywords} keywords, "
        f"{sum(run.tokens() for run in runs) // len(runs)} tokens each, "
        f"{statistics.median(run.took for run in runs):.0f} s ({seconds[0]:.0f} to {seconds[-1]:.0f})"
    )


def reasons(runs: list[Run]) -> dict[str, int]:
    """Why work came to nothing, and how often; ports differ each time."""
    texts = [one["text"] for run in runs for one in run.team["assignments"] if one["state"] != "completed"]
    return Counter(re.sub(r":\d+", "", short(text or "no reason")) for text in texts)


def counts(of: dict[str, int]) -> str:
    return ", ".join(f"{number} {what}" for what, number in of.items() if number) or "none"
