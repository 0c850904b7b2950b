"""The browser that MCP clients open for sign-in: `BROWSER` names a program that agrees, or not, without a window."""

import shlex
import stat
import sys
import time
from pathlib import Path

from hub import PASSWORD, PERSON
from process import PAUSE
from scene import Scene

LONGEST = 10.0


class Browser:
    """Its environment for a client, and the headings of the pages that it saw."""

    def __init__(self, scene: Scene):
        self.pages = scene.folder / "pages"
        self.pages.touch()
        self.log = scene.folder / "browser.log"
        program = scene.folder / "browser"
        command = shlex.join([sys.executable, "-B", str(scene.programs / "browser.py")])
        # In the background, as the launchers of real browsers: the client begins to listen after it has opened the page.
        program.write_text(f'#!/bin/sh\n{command} "$1" >>{shlex.quote(str(self.log))} 2>&1 &\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        self.env = {
            "BROWSER": str(program), "PERSON": PERSON, "PASSWORD": PASSWORD, "PAGES": str(self.pages), "DECISION": "Allow",
        }

    def saw(self, expected: int) -> list[str]:
        """The headings, of at least so many pages if they come in time: it may end after the client."""
        deadline = time.monotonic() + LONGEST
        while len(seen := self.pages.read_text().splitlines()) < expected and time.monotonic() < deadline:
            time.sleep(PAUSE)
        return seen

    def said(self) -> str:
        return self.log.read_text() if self.log.exists() else ""
