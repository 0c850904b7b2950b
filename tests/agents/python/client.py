"""A client of one agent on a2a-sdk (PyPI): `client.py AGENT_URL [TOKEN]`. Prints what it saw as one JSON object."""

import asyncio
import json
import sys
import uuid

import httpx
from a2a.client import ClientConfig, create_client
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskState,
)
from a2a.utils.signing import create_signature_verifier
from jwt import PyJWK


def ask(text: str, message_id: str | None = None, at_once: bool = False) -> SendMessageRequest:
    return SendMessageRequest(
        message=Message(
            message_id=message_id or str(uuid.uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)]
        ),
        configuration=SendMessageConfiguration(return_immediately=at_once),
    )


def key_of(kid: str | None, jku: str | None) -> PyJWK:
    """The key of a signature, out of the set that the signature names."""
    keys = httpx.get(jku).json()["keys"] if jku else []
    for key in keys:
        if key["kid"] == kid:
            return PyJWK(key)
    return PyJWK({"kty": "OKP", "crv": "Ed25519", "x": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "alg": "EdDSA"})


async def connect(url: str, token: str | None, binding: str, streaming: bool):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    config = ClientConfig(
        streaming=streaming,
        httpx_client=httpx.AsyncClient(headers=headers, timeout=60),
        supported_protocol_bindings=[binding],
    )
    verifier = create_signature_verifier(key_of, ["EdDSA"])
    return await create_client(url, config, signature_verifier=verifier)


async def told(events) -> dict:
    """The kinds of the events of a stream, its last state, and the id of its task."""
    kinds, state, task, text = [], None, None, ""
    async for event in events:
        kind = event.WhichOneof("payload")
        kinds.append(kind)
        if kind == "task":
            task = event.task.id
            state = event.task.status.state
        if kind == "status_update":
            state = event.status_update.status.state
        if kind == "artifact_update":
            text += "".join(part.text for part in event.artifact_update.artifact.parts)
    return {"kinds": kinds, "state": TaskState.Name(state), "task": task, "text": text}


async def tour(url: str, token: str | None, binding: str) -> dict:
    client = await connect(url, token, binding, streaming=True)
    plain = await connect(url, token, binding, streaming=False)
    sent = await told(plain.send_message(ask("2 + 3")))
    streamed = await told(client.send_message(ask("4 * 5")))
    got = await client.get_task(GetTaskRequest(id=sent["task"]))
    listed = await client.list_tasks(ListTasksRequest(page_size=1))
    long = "\n".join(f"{line} * 3 km in m" for line in range(20_000))
    begun = await told(plain.send_message(ask(long, at_once=True)))
    followed = await told(client.subscribe(SubscribeToTaskRequest(id=begun["task"])))
    begun = await told(plain.send_message(ask(long, at_once=True)))
    canceled = await client.cancel_task(CancelTaskRequest(id=begun["task"]))
    return {
        "sent": sent["state"],
        "streamed": streamed,
        "got": got.artifacts[0].parts[0].text,
        "listed": [listed.total_size, len(listed.tasks)],
        "followed": followed,
        "canceled": TaskState.Name(canceled.status.state),
    }


async def main() -> None:
    url, token = sys.argv[1], (sys.argv[2:] or [None])[0]
    print(json.dumps({binding: await tour(url, token, binding) for binding in ["JSONRPC", "HTTP+JSON"]}))


asyncio.run(main())
