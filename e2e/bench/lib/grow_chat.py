"""Makes the only chat of a stopped hub longer: grow_chat.py DATABASE TURNS, with the texts of answers as JSON list in the input.

Each new turn is a copy of the chat's first one, with a text of its own, below the turn before.
"""

import json
import os
import sqlite3
import sys


def main() -> None:
    database = sqlite3.connect(sys.argv[1])
    database.row_factory = sqlite3.Row
    database.execute("pragma foreign_keys = on")
    texts = json.load(sys.stdin)
    with database:
        grow(database, int(sys.argv[2]), texts)


def grow(database: sqlite3.Connection, turns: int, texts: list[str]) -> None:
    chat = database.execute("select * from chats").fetchone()
    question, answer = database.execute("select * from messages order by seq").fetchall()
    run = database.execute("select * from runs where id = ?", [answer["run"]]).fetchone()
    part = database.execute("select * from parts where message = ?", [answer["id"]]).fetchone()
    parent, seq = answer["id"], chat["last_seq"]
    for turn in range(turns):
        asked, answered, work = (os.urandom(16) for _ in range(3))
        copy(database, "messages", question, id=asked, parent=parent, seq=seq + 1)
        copy(database, "parts", part, message=asked, body=body(f"Question {turn + 2}: what comes next?"))
        copy(database, "runs", run, id=work)
        copy(database, "messages", answer, id=answered, parent=asked, seq=seq + 2, run=work)
        copy(database, "parts", part, message=answered, body=body(texts[turn % len(texts)]))
        parent, seq = answered, seq + 2
    database.execute("update chats set last_seq = ?", [seq])
    database.execute("update chat_members set current_message = ? where current_message is not null", [parent])


def copy(database: sqlite3.Connection, table: str, row: sqlite3.Row, **changes: object) -> None:
    values = dict(row) | changes
    columns = ", ".join(values)
    places = ", ".join("?" * len(values))
    database.execute(f"insert into {table} ({columns}) values ({places})", list(values.values()))


def body(text: str) -> str:
    return json.dumps({"kind": "text", "text": text})


main()
