"""An agent for a Plexus hub that needs nothing but Python.

    plexus agent run NAME --protocol jsonl -- python3 agent.py

The hub sends one JSON object a line: {"type": "message", "run": ..., "text": ..., "turns": [...]} for a question
and {"type": "cancel", "run": ...} when the answer is cancelled. What is printed goes back, one JSON object a line:
{"run": ..., "type": "text", "text": ...} for a piece of the answer and {"run": ..., "type": "completed"} at its end.
Several questions may be open at once, so each is answered in a thread of its own.
"""

import json
import sys
import threading

READS_PER_MINUTE = 230


def answer(question, tell, cancelled):
    """Write your agent here. Call `tell` as often as you like; look at `cancelled` where something takes long."""
    words = question["text"].split()
    tell("status", line="Counting")
    if not words:
        tell("text", text="Send me a text, and I will tell you how long it takes to read.")
        return
    longest = max(words, key=len)
    tell("text", text=f"**{len(words)}** words, ")
    if cancelled.is_set():
        return
    minutes = len(words) / READS_PER_MINUTE
    tell("text", text=f"the longest of them “{longest}”. Reading it takes {minutes:.1f} minutes.")


def main():
    printing, running = threading.Lock(), {}

    def work(question, cancelled):
        run = question["run"]

        def tell(kind, **more):
            with printing:
                print(json.dumps({"run": run, "type": kind, **more}), flush=True)

        try:
            answer(question, tell, cancelled)
            tell("cancelled" if cancelled.is_set() else "completed")
        except Exception as error:
            tell("failed", **{"class": "internal", "message": f"The agent made a mistake: {error}"})
        finally:
            running.pop(run, None)

    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "message":
            cancelled = running[message["run"]] = threading.Event()
            threading.Thread(target=work, args=(message, cancelled), daemon=True).start()
        elif message["type"] == "cancel":
            cancelled = running.get(message["run"])
            if cancelled is not None:
                cancelled.set()


main()
