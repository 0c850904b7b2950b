"""Programs that a check starts: each says where it listens, or answers at its address, and ends with all that it started."""

import os
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from outcome import Failed

LONGEST_START = 180.0
LONGEST_END = 15.0
PAUSE = 0.05
# Environment without the caller's settings, on which a check must not depend.
NEUTRAL = {name: value for name, value in os.environ.items() if not name.startswith(("PLEXUS_", "DATABASE_URL"))}


class Program:
    """A program in a process group of its own; what it says goes to a file."""

    def __init__(self, folder: Path, name: str, command: list, env: dict[str, str] | None = None):
        self.name = name
        self.log = folder / f"{name}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [str(part) for part in command], cwd=folder, env={**NEUTRAL, **(env or {})},
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
            )

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_) -> None:
        """Also what it left behind when it ended by itself."""
        for how in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, how)
                self.process.wait(LONGEST_END)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass

    def terminate(self) -> None:
        """As a supervisor does: asks it to end, and waits for that."""
        self.process.terminate()
        self.process.wait(LONGEST_END)

    def kill(self) -> None:
        """At once, as a crash would."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(LONGEST_END)

    def says(self, pattern: str) -> str:
        """The first group of a pattern, as soon as it is found in what the program says."""
        return self.until(lambda: re.search(pattern, self.said()), f"it did not say {pattern}").group(1)

    def answers(self, url: str) -> None:
        """Waits until there is a good answer at an address."""
        self.until(lambda: is_there(url), f"nothing answers at {url}")

    def until(self, found, otherwise: str):
        deadline = time.monotonic() + LONGEST_START
        while time.monotonic() < deadline:
            if result := found():
                return result
            if self.process.poll() is not None:
                raise Failed(f"{self.name} ended with {self.process.returncode}:\n{self.end()}")
            time.sleep(PAUSE)
        raise Failed(f"{self.name}: {otherwise} within {LONGEST_START:.0f} s. It said:\n{self.end()}")

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def end(self) -> str:
        return "\n".join(self.said().splitlines()[-25:])


def is_there(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.status < 300
    except (urllib.error.URLError, OSError):
        return False


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
