"""A public name of a hub that leads to a port of this machine, over TLS with a certificate of the check's own authority."""

import os
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path

NAME = "hub.example.org"
# The client's address is another than the proxy's, so that the hub can tell them apart.
CLIENT = "127.0.0.2"


@contextmanager
def reached_at(port: int, authority: Path):
    """Inside, this process reaches the name at `port` of this machine, and trusts the authority."""
    connect, trusted = socket.create_connection, os.environ.get("SSL_CERT_FILE")

    def create_connection(address, timeout=None, source_address=None, **more):
        if address[0] == NAME:
            address, source_address = ("127.0.0.1", address[1]), (CLIENT, 0)
        return connect(address, timeout, source_address, **more)

    socket.create_connection = create_connection
    os.environ["SSL_CERT_FILE"] = str(authority)
    try:
        yield f"https://{NAME}:{port}"
    finally:
        socket.create_connection = connect
        os.environ.pop("SSL_CERT_FILE")
        if trusted:
            os.environ["SSL_CERT_FILE"] = trusted


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate of the name, which is its own authority, and its key."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )
    return certificate, key
