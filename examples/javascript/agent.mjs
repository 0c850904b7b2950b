// An agent for a Plexus hub that needs nothing but Node.
//
//     plexus agent run NAME --speaks lines -- node agent.mjs
//
// The hub sends one JSON object a line: {"order": "ask", "run": …, "text": …, "turns": […]} for a question and
// {"order": "stop", "run": …} when nobody waits for the answer any more. What is printed goes back, one JSON object a
// line: {"run": …, "told": "text", "text": …} for a piece of the answer and {"run": …, "told": "completed"} at its end.

import { createInterface } from "node:readline";

const READS_PER_MINUTE = 230;

/** Write your agent here. Call `tell` as often as you like; hand `signal` to whatever takes long. */
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
  const tell = (told, more) => console.log(JSON.stringify({ run, told, ...more }));
  running.set(run, stop);
  try {
    await answer(question, tell, stop.signal);
    tell("completed");
  } catch (error) {
    if (stop.signal.aborted) tell("stopped");
    else tell("failed", { class: "internal", message: `The agent made a mistake: ${error.message}` });
  } finally {
    running.delete(run);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  if (order.order === "ask") work(order);
  else if (order.order === "stop") running.get(order.run)?.abort();
}
