"""nginx with the site file of `deploy`: the hub at its public name, over TLS and HTTP/2."""

import getpass
import http.client
import os
import subprocess
from contextlib import closing, contextmanager
from pathlib import Path

import models
import public_site
from edges import status
from hub import Hub
from install import debian_program
from outcome import expect
from process import Program, free_port
from public_name import NAME, make_certificate, reached_at
from scene import Scene

PEER = "nginx"
SPEAKS = "HTTP/2 with TLS, by deploy/nginx.conf"

CONFIG = """
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


def check(scene: Scene) -> list[str]:
    behind, plain = free_port(), free_port()
    with models.scripted(scene.folder) as model, serve(scene.folder, [behind], plain) as (proxy, url, authority):
        with Hub(scene.folder, public_site.settings(behind, url, model.says(models.LISTENS))) as hub:
            told = [redirect(plain), *public_site.use(hub, authority)]
        log = proxy.said()
    expect("upstream timed out" not in log, f"nginx gave up: {log}")
    return [version()] + told


@contextmanager
def serve(scene: Path, behind: list[int], plain: int):
    """nginx in front of these ports of a hub: the program, the hub's public URL, and the authority of its certificate."""
    port = free_port()
    certificate, key = make_certificate(scene)
    command = [program(), "-e", "stderr", "-c", configure(scene / "nginx", port, plain, behind, certificate, key)]
    with Program(scene, "nginx", command) as proxy, reached_at(port, certificate) as url:
        proxy.until(lambda: status(url) == 502, "it does not listen")
        yield proxy, url, certificate


def redirect(plain: int) -> str:
    """Plain http leads to the same path over https."""
    connection = http.client.HTTPConnection("127.0.0.1", plain, timeout=5)
    with closing(connection):
        connection.request("GET", "/agents?q=tides", headers={"Host": NAME})
        answer = connection.getresponse()
        location = answer.headers["Location"]
    expect((answer.status, location) == (301, f"https://{NAME}/agents?q=tides"), f"http answers {answer.status} {location}")
    return "http leads to https"


def program() -> Path:
    return debian_program("nginx", "nginx", "usr/sbin/nginx")


def version() -> str:
    said = subprocess.run([program(), "-v"], capture_output=True, text=True).stderr
    return f"nginx {said.strip().rpartition('/')[2]}"


def configure(folder: Path, port: int, plain: int, behind: list[int], certificate: Path, key: Path) -> Path:
    """The site of the kit, at other ports, with one server of the hub or several."""
    folder.mkdir()
    servers = "\n    ".join(f"server 127.0.0.1:{one} max_fails=0;" for one in behind)
    site = public_site.fill_in("nginx.conf", {
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl", "listen [::]:443 ssl": f"listen [::1]:{port} ssl",
        "listen 80;": f"listen 127.0.0.1:{plain};", "listen [::]:80;": f"listen [::1]:{plain};",
        f"/etc/letsencrypt/live/{NAME}/fullchain.pem": str(certificate),
        f"/etc/letsencrypt/live/{NAME}/privkey.pem": str(key),
        "server 127.0.0.1:3000 max_fails=0;": servers,
    })
    (folder / "site.conf").write_text(site)
    # Started by root, nginx would give up its rights to read the folder of the check.
    user = f"user {getpass.getuser()};" if os.geteuid() == 0 else ""
    config = folder / "nginx.conf"
    config.write_text(CONFIG.format(folder=folder, user=user))
    return config
