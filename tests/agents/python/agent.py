"""An A2A agent on a2a-sdk (PyPI), as a process of its own: `agent.py --port 0`.

Prints `listening on http://127.0.0.1:PORT/` when it is ready. Speaks A2A 1.0, 0.3, or both.
"""

import argparse
import logging
import socket

import uvicorn
from a2a.compat.v0_3.conversions import to_compat_agent_card
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types.a2a_pb2 import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentProvider,
    AgentSkill,
    HTTPAuthSecurityScheme,
    SecurityRequirement,
    SecurityScheme,
    StringList,
)
from a2a.utils.constants import AGENT_CARD_WELL_KNOWN_PATH
from behaviour import Keeper
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

SKILLS = [
    AgentSkill(
        id="repeat",
        name="Repeat",
        description="Repeats a message word by word, as a keeper reads a signal back to a ship.",
        tags=["signals", "echo"],
        examples=["Fog from the north at nine"],
    ),
    AgentSkill(
        id="count",
        name="Count flashes",
        description="Counts slowly up to the number you name.",
        tags=["signals", "counting"],
        examples=["count to 40"],
    ),
    AgentSkill(
        id="logbook",
        name="Write the logbook",
        description="Writes tonight's logbook as a document, page by page.",
        tags=["writing"],
        examples=["write the storm"],
    ),
]


def main() -> None:
    options = read_options()
    listener = socket.create_server(("127.0.0.1", options.port))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    logging.getLogger("a2a").setLevel(logging.ERROR)
    config = uvicorn.Config(application(url, options), log_level="warning", timeout_graceful_shutdown=1)
    Announced(config, url).run(sockets=[listener])


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--delay", type=float, default=0.02, help="seconds between two pieces of an answer")
    parser.add_argument("--protocol", choices=["1.0", "0.3", "both"], default="both")
    parser.add_argument("--plain", action="store_true", help="no streaming: one answer per request")
    parser.add_argument("--token", help="demand this bearer token on every call")
    return parser.parse_args()


class Announced(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, url: str) -> None:
        super().__init__(config)
        self.url = url

    async def startup(self, sockets=None) -> None:
        await super().startup(sockets)
        print(f"listening on {self.url}", flush=True)


def application(url: str, options: argparse.Namespace) -> Starlette:
    described = card(url, options)
    handler = DefaultRequestHandler(Keeper(options.delay), InMemoryTaskStore(), described)
    cards = old_card_routes(described) if options.protocol == "0.3" else create_agent_card_routes(described)
    calls = create_jsonrpc_routes(handler, "/", enable_v0_3_compat=options.protocol != "1.0")
    guard = [Middleware(Guard, token=options.token)] if options.token else []
    return Starlette(routes=[*cards, *calls], middleware=guard)


def old_card_routes(described: AgentCard) -> list[Route]:
    """The card as 0.3 wrote it, without a trace of 1.0."""
    body = to_compat_agent_card(described).model_dump(exclude_none=True)
    return [Route(AGENT_CARD_WELL_KNOWN_PATH, lambda _: JSONResponse(body))]


def card(url: str, options: argparse.Namespace) -> AgentCard:
    versions = ["1.0", "0.3"] if options.protocol == "both" else [options.protocol]
    described = AgentCard(
        name="Lighthouse keeper",
        description="A patient lighthouse keeper: repeats signals word by word, counts flashes, writes the logbook,"
        " and asks which harbour you mean.",
        version="1.4.0",
        provider=AgentProvider(organization="Northern Lights Trust", url="https://lighthouse.example/"),
        documentation_url="https://lighthouse.example/keeper",
        supported_interfaces=[
            AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version=version) for version in versions
        ],
        capabilities=AgentCapabilities(streaming=not options.plain),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain", "text/markdown"],
        skills=SKILLS,
    )
    if options.token:
        bearer = SecurityScheme(http_auth_security_scheme=HTTPAuthSecurityScheme(scheme="bearer"))
        described.security_schemes["bearer"].CopyFrom(bearer)
        described.security_requirements.append(SecurityRequirement(schemes={"bearer": StringList()}))
    return described


class Guard:
    """Only the card is readable without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self.expected = f"Bearer {token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        allowed = scope["type"] != "http" or scope["method"] == "GET"
        if allowed or Headers(scope=scope).get("authorization") == self.expected:
            await self.app(scope, receive, send)
            return
        refusal = JSONResponse({"error": "a bearer token is needed"}, 401, {"WWW-Authenticate": "Bearer"})
        await refusal(scope, receive, send)


if __name__ == "__main__":
    main()
