"""One call over a WebSocket (RFC 6455), from the handshake on: a text frame each way."""

import base64
import json
import os
import socket
import ssl
import struct
import urllib.parse

from outcome import expect

LONGEST = 30.0
TEXT = 0x81


def call(url: str, token: str, method: str, params: dict) -> dict:
    """The result of a JSON-RPC call over `wss`."""
    place = urllib.parse.urlsplit(url)
    plain = socket.create_connection((place.hostname, place.port), LONGEST)
    with ssl.create_default_context().wrap_socket(plain, server_hostname=place.hostname) as connection:
        stream = connection.makefile("rb")
        connection.sendall(handshake(place, token))
        answer = stream.readline().decode().strip()
        expect(answer.startswith("HTTP/1.1 101"), f"{url} is no WebSocket: {answer}")
        while stream.readline() not in (b"\r\n", b""):
            pass
        connection.sendall(frame(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()))
        return json.loads(read_text(stream))


def handshake(place: urllib.parse.SplitResult, token: str) -> bytes:
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [
        f"GET {place.path} HTTP/1.1", f"Host: {place.netloc}", "Connection: Upgrade", "Upgrade: websocket",
        "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}", f"Authorization: Bearer {token}",
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def frame(text: bytes) -> bytes:
    """A masked text frame, as clients send."""
    mask = os.urandom(4)
    masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(text))
    if len(text) < 126:
        return bytes([TEXT, 0x80 | len(text)]) + mask + masked
    return struct.pack("!BBH", TEXT, 0x80 | 126, len(text)) + mask + masked


def read_text(stream) -> str:
    """The next text frame; frames of other kinds, such as pings, are skipped."""
    while True:
        kind, length = stream.read(2)
        if length in (126, 127):
            length = int.from_bytes(stream.read(2 if length == 126 else 8))
        body = stream.read(length)
        if kind == TEXT:
            return body.decode()
