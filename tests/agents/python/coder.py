"""An agent that needs nothing but Python: its model writes code, it asks for leave, runs the code and sends the files.

    plexus agent run NAME --protocol jsonl -- python3 coder.py BASE_URL

BASE_URL is that of an OpenAI-compatible server. The code runs in the folder that this is started in. Each process has
one conversation.
"""

import base64
import json
import mimetypes
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)


class Coder:
    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.messages: list[dict] = []
        # Code that awaits approval.
        self.code: str | None = None
        self.known = set(Path().iterdir())

    def answer(self, text: str, tell) -> None:
        """Goes on with what the person says, until there is something to ask or nothing more to run."""
        if self.code is not None:
            text = self.ran(text)
            tell("text", text=f"{text}\n\n")
        reply = self.reply(text)
        tell("text", text=reply)
        found = CODE.search(reply)
        self.code = found and found[1]
        if self.code is not None:
            tell("text", text="\n\nMay I run this?")
            tell("input_required")
            return
        for made in sorted(set(Path().iterdir()) - self.known):
            kind, _ = mimetypes.guess_type(made.name)
            tell("file", name=made.name, media_type=kind, bytes=base64.b64encode(made.read_bytes()).decode())
        tell("completed")

    def ran(self, leave: str) -> str:
        """What came of the code that the person gave leave for, or that there was none."""
        if leave.strip() != "y":
            return f"I did not run it: {leave}"
        done = subprocess.run([sys.executable, "-c", self.code], capture_output=True, text=True)
        return done.stdout + done.stderr if done.returncode == 0 else f"It failed: {done.stderr}"

    def reply(self, text: str) -> str:
        self.messages.append({"role": "user", "content": text})
        body = json.dumps({"model": "any", "messages": self.messages}).encode()
        request = urllib.request.Request(f"{self.base_url}/chat/completions", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            self.messages.append(json.load(answer)["choices"][0]["message"])
        return self.messages[-1]["content"]


def main(base_url: str) -> None:
    coder = Coder(base_url)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] != "message":
            continue

        def tell(kind: str, run: str = message["run"], **more: str | None) -> None:
            print(json.dumps({"run": run, "type": kind, **more}), flush=True)

        try:
            coder.answer(message["text"], tell)
        except Exception as error:
            tell("failed", **{"class": "internal", "message": str(error)})


if __name__ == "__main__":
    main(*sys.argv[1:])
