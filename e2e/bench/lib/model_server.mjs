// Model server of the benchmarks: an OpenAI-compatible server in the process of the benchmark, so that both
// share a clock.

import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { drained, event, readJson } from "../../../tests/agents/model/http.mjs";
import { now } from "./clock.mjs";

const LARGEST_REQUEST = 64 * 1024 * 1024;
export const MODEL = "bench";

/**
 * Starts the server. Each request is answered by the script that `write(question)` returns.
 * @param {(question: string) => Script} write
 * @typedef {object} Script
 * @property {Iterable<string>} tokens
 * @property {number} [rate] tokens per second; 0, the default, is as fast as the hub reads
 * @property {number} [waitMs] time before the first token
 */
export async function startModelServer(write) {
  const model = new ModelServer(write);
  model.server = createServer((request, response) => {
    model.answer(request, response).catch(() => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(model.server, "listening");
  model.url = `http://127.0.0.1:${model.server.address().port}/v1`;
  return model;
}

class ModelServer {
  #write;
  /** The moment at which the first token of the last answer to each question was sent. */
  firstTokens = new Map();

  constructor(write) {
    this.#write = write;
  }

  async stop() {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  async answer(request, response) {
    response.socket.setNoDelay(true);
    if (request.method === "GET") {
      const models = { object: "list", data: [{ id: MODEL, object: "model", owned_by: "bench" }] };
      return response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(models));
    }
    const { messages, stream } = await readJson(request, LARGEST_REQUEST);
    const question = String(messages.findLast(({ role }) => role === "user")?.content ?? "");
    const script = this.#write(question);
    if (stream) return this.#stream(response, question, script);
    const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: [...script.tokens].join("") } }];
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ ...HEAD, object: "chat.completion", choices }));
  }

  async #stream(response, question, { tokens, rate = 0, waitMs = 0 }) {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
    response.write(chunk({ role: "assistant", content: "" }));
    if (waitMs > 0) await pause(waitMs);
    const begun = performance.now();
    let sent = 0;
    for (const content of tokens) {
      const due = rate > 0 ? begun + (sent * 1000) / rate - performance.now() : 0;
      if (due > 0) await pause(due);
      if (response.destroyed) return;
      if (sent === 0) this.firstTokens.set(question, now());
      if (!response.write(chunk({ content }))) await drained(response);
      sent += 1;
    }
    response.write(chunk({}, "stop"));
    response.write(event({ ...HEAD, object: "chat.completion.chunk", choices: [], usage: { prompt_tokens: 1, completion_tokens: sent, total_tokens: sent + 1 } }));
    response.end("data: [DONE]\n\n");
  }
}

const HEAD = { id: "chatcmpl-bench", created: 0, model: MODEL };
const chunk = (delta, finish_reason = null) =>
  event({ ...HEAD, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });

/** The numbered words `t1`, `t2`, … Every tenth ends a paragraph. */
export function* numbered(count) {
  for (let n = 1; n <= count; n += 1) yield n % 10 === 0 ? `t${n}\n\n` : `t${n} `;
}

/** Markdown as models write it: headings, lists, code and tables, in pieces of about a token. */
export function* markdown(paragraphs) {
  for (let n = 1; n <= paragraphs; n += 1) yield* SAMPLES[n % SAMPLES.length].replaceAll("#N", n).match(/\s*\S{1,6}|\s+$/g);
}

const SAMPLES = [
  "## Step #N\n\nThe tide turns **twice a day**, and the harbour master writes both times on the board beside the gate.\n\n",
  "- The first boat leaves at six, before the fog.\n- The second waits for the post and for `quay_#N`.\n- The last one takes those who are left.\n\n",
  "```rust\nfn tide(hour: u32) -> f64 {\n    let phase = f64::from(hour) / 12.4 * std::f64::consts::TAU;\n    #N.0 * phase.sin()\n}\n```\n\n",
  "| place | high | low |\n|---|---|---|\n| harbour | 4.1 m | 0.6 m |\n| bay #N | 3.8 m | 0.4 m |\n\n",
];
