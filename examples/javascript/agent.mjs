// An agent for a Plexus hub, without dependencies besides Node.
//
//     plexus agent run NAME --protocol jsonl -- node agent.mjs
//
// The protocol is one JSON object per line, in both directions.
// The hub writes to standard input:
//   {"type": "message", "run": …, "text": …, "turns": […]}   a question
//   {"type": "cancel", "run": …}                             the run is cancelled
// The agent writes to standard output:
//   {"run": …, "type": "text", "text": …}                    a piece of the answer
//   {"run": …, "type": "completed"}                          the end of the answer

import { createInterface } from "node:readline";

const READS_PER_MINUTE = 230;

/** Write your agent here. Call `tell` for each piece of output; pass `signal` to long operations to cancel them. */
async function answer(question, tell, signal) {
  const words = question.text.split(/\s+/).filter(Boolean);
  tell("status", { line: "Counting" });
  if (words.length === 0) {
    tell("text", { text: "Send me a text, and I will tell you how long it takes to read." });
    return;
  }
  const longest = words.reduce((one, other) => (other.length > one.length ? other : one));
  tell("text", { text: `**${words.length}** words, ` });
  signal.throwIfAborted();
  const minutes = (words.length / READS_PER_MINUTE).toFixed(1);
  tell("text", { text: `the longest of them “${longest}”. Reading it takes ${minutes} minutes.` });
}

const running = new Map();

async function work(question) {
  const { run } = question;
  const stop = new AbortController();
  const tell = (type, more) => console.log(JSON.stringify({ run, type, ...more }));
  running.set(run, stop);
  try {
    await answer(question, tell, stop.signal);
    tell("completed");
  } catch (error) {
    if (stop.signal.aborted) tell("cancelled");
    else tell("failed", { class: "internal", message: `The agent made a mistake: ${error.message}` });
  } finally {
    running.delete(run);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "message") work(message);
  else if (message.type === "cancel") running.get(message.run)?.abort();
}
