"""An agent for a Plexus hub that needs nothing but Python.

    plexus agent run NAME --speaks lines -- python3 agent.py

The hub sends one JSON object a line: {"order": "ask", "run": ..., "text": ..., "turns": [...]} for a question and
{"order": "stop", "run": ...} when nobody waits for the answer any more. What is printed goes back, one JSON object a
line: {"run": ..., "told": "text", "text": ...} for a piece of the answer and {"run": ..., "told": "completed"} at its
end. Several questions may be open at once, so each is answered in a thread of its own.
"""

import json
import sys
import threading

READS_PER_MINUTE = 230


def answer(question, tell, stopped):
    """Write your agent here. Call `tell` as often as you like; look at `stopped` where something takes long."""
    words = question["text"].split()
    tell("status", line="Counting")
    if not words:
        tell("text", text="Send me a text, and I will tell you how long it takes to read.")
        return
    longest = max(words, key=len)
    tell("text", text=f"**{len(words)}** words, ")
    if stopped.is_set():
        return
    minutes = len(words) / READS_PER_MINUTE
    tell("text", text=f"the longest of them “{longest}”. Reading it takes {minutes:.1f} minutes.")


def main():
    printing, running = threading.Lock(), {}

    def work(question, stopped):
        run = question["run"]

        def tell(what, **more):
            with printing:
                print(json.dumps({"run": run, "told": what, **more}), flush=True)

        try:
            answer(question, tell, stopped)
            tell("stopped" if stopped.is_set() else "completed")
        except Exception as error:
            tell("failed", **{"class": "internal", "message": f"The agent made a mistake: {error}"})
        finally:
            running.pop(run, None)

    for line in sys.stdin:
        order = json.loads(line)
        if order["order"] == "ask":
            stopped = running[order["run"]] = threading.Event()
            threading.Thread(target=work, args=(order, stopped), daemon=True).start()
        elif order["order"] == "stop":
            stopped = running.get(order["run"])
            if stopped is not None:
                stopped.set()


main()
