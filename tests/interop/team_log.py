"""What must be true of every team that has ended, whatever its members and its model said.

The log is read twice: from the database, where each entry names the one before by its digest and is signed by the hub,
and over the API, entry by entry with the team as it was then.
"""

import base64
import hashlib
import json
import sqlite3
import uuid

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hub import Hub
from outcome import Failed, expect

TERMINAL = {"completed", "failed", "cancelled", "rejected", "timed_out"}
ASKS_ONE = {"discussing", "concluding"}
# Allowed event kinds by author. The owner named the members and takes no other action here.
OF_THE_HUB = {"founded", "decided", "elapsed", "reported", "left"}
OF_A_MEMBER = {"accepted", "declined", "said", "started", "asked", "reported"}
OF_ITS_WORK = {"started", "asked", "reported"}


def check(hub: Hub, team: dict) -> list[dict]:
    """Answers the log."""
    expect(team["state"] in ("closed", "failed"), f"it is {team['state']}")
    expect(team["answer"] or team["failure"], "it has neither an answer nor a reason why there is none")
    open_work = [work for work in team["assignments"] if work["state"] not in TERMINAL]
    expect(not open_work, f"work is open: {open_work}")
    log = entries(hub, team["id"])
    signed(hub, team["id"], log)
    replayed(hub, team, log)
    return log


def entries(hub: Hub, team: str) -> list[dict]:
    found, after = [], ""
    while True:
        page = hub.api("GET", f"/teams/{team}/log{after}")
        found += page["items"]
        if page["next"] is None:
            break
        after = f"?after={page['next']}"
    numbers = [entry["seq"] for entry in found]
    expect(numbers == list(range(len(found))), f"the numbers of the log are {numbers}")
    return found


def signed(hub: Hub, team: str, log: list[dict]) -> None:
    """What the database holds is what the API tells, in one chain, signed with the key that the hub publishes."""
    key = hub_key(hub)
    verifier, before, time = Ed25519PublicKey.from_public_bytes(key), hashlib.sha256(b""), 0
    written = rows(hub, team)
    expect(len(written) == len(log), f"{len(written)} entries are written, {len(log)} told")
    for told, (seq, author, prev, body, signature) in zip(log, written):
        entry = json.loads(body)
        same = all(entry[name] == told[name] for name in ("at", "by", "event"))
        expect(same and seq == entry["seq"] == told["seq"], f"entry {seq} is {body}, told as {told}")
        expect(prev == before.digest() and entry["prev"] == before.hexdigest(), f"entry {seq} does not follow")
        expect(entry["team"] == team and entry["at"] >= time, f"entry {seq} has another team, or an earlier time")
        expect(author == key, f"entry {seq} is signed with another key")
        try:
            verifier.verify(signature, body)
        except InvalidSignature:
            raise Failed(f"the signature of entry {seq} is wrong") from None
        before, time = hashlib.sha256(body), entry["at"]


def hub_key(hub: Hub) -> bytes:
    with hub.open("GET", "/.well-known/jwks.json") as answer:
        text = json.load(answer)["keys"][0]["x"]
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def rows(hub: Hub, team: str) -> list[tuple]:
    asks = "select seq, author_key, prev_hash, body, signature from team_log where team = ? order by seq"
    database = sqlite3.connect(f"file:{hub.folder / 'data/plexus.sqlite3'}?mode=ro", uri=True)
    try:
        found = database.execute(asks, [uuid.UUID(team).bytes]).fetchall()
    finally:
        database.close()
    return [(seq, author, prev, as_bytes(body), signature) for seq, author, prev, body, signature in found]


def as_bytes(body: bytes | str) -> bytes:
    return body.encode() if isinstance(body, str) else body


def replayed(hub: Hub, team: dict, log: list[dict]) -> None:
    """The log leads to the team as it is, and nobody did anything that was not theirs to do."""
    before, spoken = moment(hub, team["id"], 0), set()
    for entry in log[1:]:
        wrong = out_of_turn(before, entry, spoken)
        expect(not wrong, f"entry {entry['seq']}: {wrong}. It is {entry}, after {before}")
        before = moment(hub, team["id"], entry["seq"])
    now = hub.api("GET", f"/teams/{team['id']}")
    differs = [name for name in now if now[name] != before[name]]
    expect(not differs, f"the log does not lead to the team as it is: {differs}")


def moment(hub: Hub, team: str, number: int) -> dict:
    return hub.api("GET", f"/teams/{team}?log_seq={number}")


def out_of_turn(before: dict, entry: dict, spoken: set[tuple[int, int]]) -> str | None:
    """Why this was not for its author to do, if it was not; `spoken` is who has spoken in which turn."""
    by, event = entry["by"], entry["event"]
    kind = event["kind"]
    if by == "home":
        return None if kind in OF_THE_HUB else "the hub did what is for others"
    if by == "owner":
        return None if kind == "invited" and entry["seq"] == 1 else "the owner did nothing after the launch"
    seat = by["seat"]
    if kind not in OF_A_MEMBER:
        return "a member did what is for others"
    if kind in OF_ITS_WORK:
        return None if before["assignments"][event["assignment"]]["to"] == seat else "the work is another member's"
    if kind != "said":
        return None if before["members"][seat]["status"] == "invited" else "it was not invited"
    return spoke_out_of_turn(before, seat, event["turn"], spoken)


def spoke_out_of_turn(before: dict, seat: int, turn: int, spoken: set[tuple[int, int]]) -> str | None:
    """One member speaks, or all others are asked the same and answer once each."""
    if turn != before["turn"]:
        return f"it is turn {before['turn']}"
    if (turn, seat) in spoken:
        return "it has spoken in this turn"
    spoken.add((turn, seat))
    if before["members"][seat]["status"] != "active":
        return "it does not take part"
    if before["phase"] in ASKS_ONE:
        return None if seat == before["speaker"] else f"member {before['speaker']} is the speaker"
    if before["phase"] == "polling":
        return None if seat != before["speaker"] else "it asked the others"
    return f"nobody is asked while the team is {before['phase']}"
