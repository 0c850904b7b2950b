"""nginx in front of the hub, as an operator sets it up: a password of its own, and its usual buffers and time limits.

The agent is silent for longer than nginx waits, on every edge that streams, at the same time.
"""

import base64
import getpass
import os
import subprocess
from pathlib import Path

import models
from clients import AGENT
from edges import follow, status
from hub import Hub
from install import debian_program
from outcome import expect
from process import Program, free_port
from scene import Scene

PEER = "nginx"
SPEAKS = "HTTP, as a proxy with a password"
PATIENCE = 20
SILENCE = 45
BASIC = "Basic " + base64.b64encode(b"harbour:four quiet lanterns").decode()

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
    gzip on;
    gzip_types *;
    server {{
        listen 127.0.0.1:{port};
        auth_basic "Harbour";
        auth_basic_user_file {folder}/users;
        location / {{
            proxy_pass http://127.0.0.1:{hub};
            proxy_http_version 1.1;
            proxy_read_timeout {patience}s;
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto $scheme;
        }}
    }}
}}
"""


def check(scene: Scene) -> list[str]:
    program = debian_program("nginx", "nginx", "usr/sbin/nginx")
    version = subprocess.run([program, "-v"], capture_output=True, text=True).stderr.strip().rpartition("/")[2]
    port, behind = free_port(), free_port()
    command = [program, "-e", "stderr", "-c", configure(scene.folder / "nginx", port, behind)]
    settings = {
        "PLEXUS_LISTEN": f"127.0.0.1:{behind}", "PLEXUS_PUBLIC_URL": f"http://127.0.0.1:{port}",
        "PLEXUS_TRUSTED_PROXIES": "127.0.0.1", "PLEXUS_LLM_MODEL": "scripted",
    }
    with models.scripted(scene.folder) as model, Program(scene.folder, "nginx", command) as nginx:
        settings["PLEXUS_LLM_BASE_URL"] = model.says(models.LISTENS)
        nginx.until(lambda: status(f"http://127.0.0.1:{port}/") == 401, "it does not ask for a password")
        with Hub(scene.folder, settings, {"Authorization": BASIC}) as hub:
            hub.create(AGENT, "Answers questions about the sea.", "--instructions", "Answer.", "--access", "open")
            expect(status(f"{hub.url}/") == 401, "the hub is reached without the password")
            told = follow(hub, SILENCE, PATIENCE)
        log = nginx.said()
    expect("upstream timed out" not in log, f"nginx gave up: {log}")
    return [f"nginx {version}: without the password 401; with it, signed in as by a browser, whose requests carry both"] + told


def configure(folder: Path, port: int, hub: int) -> Path:
    folder.mkdir()
    (folder / "users").write_text("harbour:{PLAIN}four quiet lanterns\n")
    # Started by root, nginx would give up its rights to read the folder of the check.
    user = f"user {getpass.getuser()};" if os.geteuid() == 0 else ""
    config = folder / "nginx.conf"
    config.write_text(CONFIG.format(folder=folder, port=port, hub=hub, user=user, patience=PATIENCE))
    return config
