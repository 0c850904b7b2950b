"""FastMCP's client: it registers itself, signs in by a browser, and calls agents that need an account."""

from browser import Browser
from clients import ADDRESS, AGENT, answer_of, hub_with_script
from hub import PERSON
from install import python_packages
from outcome import expect
from scene import Scene

PEER = "FastMCP 4.2.3"
SPEAKS = "MCP with OAuth, as a client"
OTHER = "ferry"
SAID = "t1 t2 t3"


def check(scene: Scene) -> list[str]:
    python = python_packages("fastmcp", "3.12 3.11 3.13", ["fastmcp==4.2.3"])
    browser = Browser(scene)
    with hub_with_script(scene.folder, visibility="private") as hub:
        hub.create(OTHER, "Knows the ferries.", "--instructions", "Answer.")
        named = [f"{hub.url}/mcp/{PERSON}/{AGENT}", f"{hub.url}/mcp", f"@{PERSON}/{OTHER}", ADDRESS]
        seen = answer_of(scene, python, "fastmcp_client.py", *named, env=browser.env)
    pages = browser.saw(9)
    told = f"{seen}; the pages were {pages}; the browser said {browser.said()}"
    expect(f"ask_{PERSON}_{AGENT}" in seen["agent"]["tools"] and SAID in seen["agent"]["text"], f"at the agent: {told}")
    expect([SAID in text for text in seen["hub"]] == [True, True], f"at /mcp: {told}")
    expect(pages.count("returned to /callback") == 3, f"it did not return three times: {told}")
    expect(sum(page.startswith("Authorize ") for page in pages) == 3, f"there were not three consent pages: {told}")
    expect("denied" in seen["denied"], f"after *Deny*: {told}")
    consent = next(page for page in pages if page.startswith("Authorize "))
    return [
        f"registered itself, was signed in and asked “{consent}”; then the private agent answered",
        f"at /mcp it signed in at the first call that needs an account, of @{PERSON}/{OTHER}, and {ADDRESS} answered too",
        f"after *Deny*: {seen['denied']}",
    ]
