"""Two instances of a hub on one Postgres behind a proxy, restarted one after the other while requests come."""

import time
from contextlib import contextmanager
from pathlib import Path

import caddy_site
import models
import nginx_site
from clients import AGENT
from edges import status
from hub import Hub
from install import ROOT
from outcome import expect
from process import PAUSE, Program, free_port
from public_site import MOMENT
from request_loop import RequestLoop
from scene import Scene

PEER = "nginx, Caddy and Postgres"
SPEAKS = "HTTP/2 with TLS, before two instances"
LONGEST_START = 60.0
# Longer than an answer of the loop and a health check of Caddy together.
DRAIN_SECONDS = 8


def check(scene: Scene) -> list[str]:
    nginx, caddy = scene.folder / "behind-nginx", scene.folder / "behind-caddy"
    behind = [free_port(), free_port()]
    nginx.mkdir()
    with nginx_site.serve(nginx, behind, free_port()) as (_, url, _):
        # nginx checks no health, so the instance that stops gets new requests until its end, and interrupts them.
        told = [nginx_site.version(), *restart_both(nginx, url, behind, fails={"answer: 503"})]
    caddy.mkdir()
    program = caddy_site.current()
    with caddy_site.serve(caddy, program, behind) as (url, _):
        return told + [caddy_site.version(program), *restart_both(caddy, url, behind, fails=set())]


def restart_both(folder: Path, url: str, behind: list[int], fails: set[str]) -> list[str]:
    postgres = [ROOT / "scripts/with-postgres", "sh", "-c", "echo $PLEXUS_TEST_POSTGRES; exec sleep infinity"]
    with models.scripted(folder) as model, Program(folder, "postgres", postgres) as database:
        shared = {
            "DATABASE_URL": database.says(r"(postgres://\S+)"), "PLEXUS_PUBLIC_URL": url, "PLEXUS_TRUSTED_PROXIES": "127.0.0.1",
            "PLEXUS_REGISTRATION": "invite", "PLEXUS_RATE_LIMIT_SCALE": "100", "PLEXUS_DRAIN_SECONDS": str(DRAIN_SECONDS),
            "PLEXUS_LLM_BASE_URL": model.says(models.LISTENS), "PLEXUS_LLM_MODEL": "scripted",
            "PLEXUS_SECRET_KEY_FILE": str(folder / "secret.key"), "PLEXUS_FILES_DIR": str(folder / "files"),
        }
        with instance(folder, "one", behind[0], shared) as one, another(one, instance(folder, "other", behind[1], shared)) as other:
            one.create(AGENT, "Answers questions about the sea.", "--instructions", "Answer.")
            return [restart(hub, port, fails) for hub, port in ((one, behind[0]), (other, behind[1]))]


def instance(parent: Path, name: str, port: int, shared: dict[str, str]) -> Hub:
    folder = parent / name
    folder.mkdir()
    return Hub(folder, {**shared, "PLEXUS_LISTEN": f"127.0.0.1:{port}"})


@contextmanager
def another(first: Hub, hub: Hub):
    """An instance that finds the account of the first one in their database."""
    hub.token = first.token
    with hub.stack:
        hub.start("hub")
        yield hub


def restart(hub: Hub, port: int, fails: set[str]) -> str:
    """One instance ends and starts again; the other answers meanwhile. Only the requests in `fails` may fail."""
    with RequestLoop(hub) as loop:
        time.sleep(MOMENT)
        begun = time.monotonic()
        hub.program.terminate()
        ended = time.monotonic() - begun
        hub.start("hub-restarted")
        while status(f"http://127.0.0.1:{port}/readyz") != 200:
            expect(time.monotonic() - begun < LONGEST_START, "the instance is not ready")
            time.sleep(PAUSE)
        away = time.monotonic() - begun
        time.sleep(MOMENT)
    failures = loop.failures()
    expect(not set(failures) - fails, f"during a restart of one instance: {failures}")
    return f"{hub.folder.name}: ended after {ended:.1f} s, ready after {away:.1f} s; {loop.summary()}"
