// Behaviour of the weaver agent. The first word of a message selects it.

import { setTimeout as pause } from "node:timers/promises";
import { Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { AgentEvent } from "@a2a-js/sdk/server";

const MOST_ROWS = 100_000;

/** Executor of the agent. Answers `hello` with a message, and any other first word with a task. */
export class Weaver {
  #delay;
  #cancelled = new Set();

  /** @param {number} delay milliseconds between two pieces of an answer */
  constructor(delay) {
    this.#delay = delay;
  }

  async execute(context, bus) {
    const text = textOf(context.userMessage);
    const word = text.toLowerCase().match(/\p{L}+/u)?.[0] ?? "";
    const turn = new Turn(context, bus);
    if (word === "hello") turn.message("Good day from the loom.");
    else await this.#carryOut(context.task ? "answered" : word, text, turn);
    this.#cancelled.delete(context.taskId);
    bus.finished();
  }

  async cancelTask(taskId) {
    this.#cancelled.add(taskId);
  }

  async #carryOut(word, text, turn) {
    turn.begin();
    switch (word) {
      case "weave":
        return this.#stream(turn, rows(text));
      case "ask":
        return turn.status("TASK_STATE_INPUT_REQUIRED", "Which colour shall the thread be?");
      case "answered":
        return this.#stream(turn, words(`Threaded in ${text}.`));
      case "draft":
        turn.artifact("pattern", { data: { rows: 4, columns: 6, colours: ["indigo", "madder"] } });
        return turn.status("TASK_STATE_COMPLETED");
      case "fail":
        return turn.status("TASK_STATE_FAILED", "The thread broke before the cloth was done.");
      default:
        return this.#stream(turn, words(`Woven from your words: ${text}`));
    }
  }

  /** Streams an artifact in pieces until it is complete or the client cancels the task. */
  async #stream(turn, pieces) {
    turn.status("TASK_STATE_WORKING", "Threading the loom");
    for (const [index, piece] of pieces.entries()) {
      if (this.#cancelled.has(turn.taskId)) return turn.status("TASK_STATE_CANCELED");
      turn.artifact("cloth", { text: piece }, { append: index > 0, lastChunk: index === pieces.length - 1 });
      await pause(this.#delay);
    }
    turn.status("TASK_STATE_COMPLETED");
  }
}

/** Publishes the events of one request, built from their wire format. */
class Turn {
  #context;
  #bus;

  constructor(context, bus) {
    this.#context = context;
    this.#bus = bus;
  }

  get taskId() {
    return this.#context.taskId;
  }

  get #ids() {
    return { taskId: this.#context.taskId, contextId: this.#context.contextId };
  }

  /** Publishes the task. The SDK requires it as the first event of every turn, also of a continued task. */
  begin() {
    const { taskId: id, contextId } = this.#ids;
    const fresh = { id, contextId, status: { state: "TASK_STATE_SUBMITTED", timestamp: now() } };
    const task = this.#context.task ?? Task.fromJSON(fresh);
    if (!this.#context.task) task.history.push(this.#context.userMessage);
    this.#bus.publish(AgentEvent.task(task));
  }

  status(state, text) {
    const message = text ? this.#says(text) : undefined;
    const event = { ...this.#ids, status: { state, message, timestamp: now() } };
    this.#bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON(event)));
  }

  artifact(name, part, { append = false, lastChunk = true } = {}) {
    const event = { ...this.#ids, artifact: { artifactId: name, name, parts: [part] }, append, lastChunk };
    this.#bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(event)));
  }

  message(text) {
    const { contextId } = this.#ids;
    this.#bus.publish(AgentEvent.message(Message.fromJSON({ ...this.#says(text), taskId: "", contextId })));
  }

  #says(text) {
    return { messageId: crypto.randomUUID(), role: "ROLE_AGENT", parts: [{ text }], ...this.#ids };
  }
}

const now = () => new Date().toISOString();

const textOf = (message) =>
  message.parts
    .filter((part) => part.content?.$case === "text")
    .map((part) => part.content.value)
    .join("\n");

/** Splits text before each word. Joining the pieces restores it. */
const words = (text) => text.split(/(?<=\S)(?=\s)/);

/** Returns the number of rows that the text states (40 without a number), each as a paragraph. */
function rows(text) {
  const count = Math.min(Number(text.match(/\d+/)?.[0] ?? 40), MOST_ROWS);
  return Array.from({ length: count }, (_, index) => `row ${index + 1} of ${count}\n\n`);
}
