"""mcp-remote, by which clients without OAuth reach a server: it registers itself, signs in by a browser, and passes on."""

import shutil

from browser import Browser
from clients import ADDRESS, AGENT, answer_of, hub_with_script
from hub import PERSON
from install import ROOT, npm_packages
from outcome import Skipped, expect
from scene import Scene

PEER = "mcp-remote 0.15.1"
SPEAKS = "MCP with OAuth, as a client"
SAID = "t1 t2 t3"


def check(scene: Scene) -> list[str]:
    node, python = shutil.which("node"), ROOT / ".cache/venv/bin/python"
    if not node or not python.exists():
        raise Skipped("Node or the MCP SDK is missing; `scripts/setup demo` installs the SDK")
    proxy = npm_packages("mcp-remote", "mcp-remote@0.15.1") / "mcp-remote/dist/proxy.js"
    browser = Browser(scene)
    with hub_with_script(scene.folder, visibility="private") as hub:
        agent, whole = f"{hub.url}/mcp/{PERSON}/{AGENT}", f"{hub.url}/mcp"

        def ask(url: str, tool: str, arguments: dict[str, str], *more: str) -> dict:
            call = [tool, *(f"{name}={value}" for name, value in arguments.items())]
            command = [node, str(proxy), url, *more]
            return answer_of(scene, python, "mcp_stdio.py", *call, "--", *command, env=browser.env)

        message = {"message": "tokens=3 rate=0"}
        signed_in = ask(agent, f"ask_{PERSON}_{AGENT}", message)
        pages = browser.saw(3)
        told = f"the pages were {pages}; the browser said {browser.said()}"
        expect(SAID in signed_in["text"], f"at the agent: {signed_in}; {told}")
        expect(len(pages) == 3 and pages[2].startswith("returned to /oauth/callback"), told)
        again = ask(agent, f"ask_{PERSON}_{AGENT}", message)
        expect(SAID in again["text"], f"with the token that it kept: {again}")
        expect(browser.saw(3) == pages, f"it asked again, though it had a token: {browser.saw(3)}")
        header = ["--header", f"Authorization: Bearer {hub.token}"]
        with_token = ask(whole, "send_message", {"agent": ADDRESS, **message}, *header)
        expect(SAID in with_token["text"], f"with a token in a header: {with_token}")
        expect(browser.saw(3) == pages, f"it asked, though it was given a token: {browser.saw(3)}")
    return [
        f"registered itself, was signed in and asked “{pages[1]}”; then the private agent answered: “{signed_in['text']}”",
        "a second start used the token that it kept, and one with a token in `--header` asked nothing",
    ]
