// Scripted OpenAI-compatible server: equal requests get equal tokens, at a configured rate.
// `node scripted.mjs --port 0 --tokens 100 --rate 25` prints `listening on http://127.0.0.1:PORT/v1`.
//
// The last user message can configure its answer:
// - `tokens=500`: number of tokens; `rate=0`: as fast as possible.
// - `status=429`: answer with this status; `hang`: never answer.
// - `drop=10`: close the connection after ten tokens.
// - `pause=40`: send nothing for 40 s before the first token of a stream.
// - `think=word`: send this reasoning before the text or the calls.
// - `passage=1`: answer with the first quoted passage of the message and its number in brackets.
// - `json={"a": 1}`: answer with this text, on a line of its own, if a JSON schema is requested.
// - `call=add {"a": 1}`: call an offered tool, once per such line, then repeat the result. A line `then`
//   begins another turn, and `again` repeats the calls forever.
//
// `--obey` simulates a model that falls for prompt injection: it answers with the text after `answer with:`
// in the data of a question. If there are several, successive requests use them in turn. A question without
// data gets the last such text again.
//
// `--asked FILE` appends each request to a file as a line of JSON, before it is answered.
//
// `--window BYTES` refuses larger requests as too long for its context window.
//
// `--answers FILE` is a JSON list of texts, one per request in order.

import { appendFileSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { drained, event, readJson } from "./http.mjs";

const LARGEST_REQUEST = 4 * 1024 * 1024;
const MODEL = "scripted";

const { values: options } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    tokens: { type: "string", default: "100" },
    rate: { type: "string", default: "25" },
    answers: { type: "string" },
    asked: { type: "string" },
    obey: { type: "boolean", default: false },
    window: { type: "string", default: "Infinity" },
  },
});
const answers = options.answers && JSON.parse(readFileSync(options.answers, "utf8"));

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    if (response.headersSent) response.destroy();
    else send(response, 400, problem(error.message));
  });
});
server.listen(Number(options.port), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/v1`);
});
process.on("SIGTERM", () => process.exit(0));

async function answer(request, response) {
  response.socket.setNoDelay(true);
  if (request.method === "GET" && request.url === "/v1/models") {
    return send(response, 200, { object: "list", data: [{ id: MODEL, object: "model", owned_by: "tests" }] });
  }
  if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
    return send(response, 404, problem("there is nothing here"));
  }
  const asked = await readJson(request, LARGEST_REQUEST);
  if (options.asked) appendFileSync(options.asked, `${JSON.stringify(asked)}\n`);
  if (JSON.stringify(asked).length > Number(options.window)) {
    const error = { message: "This model's maximum context length is exceeded.", code: "context_length_exceeded" };
    return send(response, 400, { error });
  }
  const ordered = options.obey ? orderIn(asked) : undefined;
  const script = answers ? scriptOf(answers.shift()) : ordered === undefined ? scriptFor(asked) : scriptOf(ordered);
  if (script.hang) return;
  if (script.status !== 200) {
    if (script.status === 429) response.setHeader("Retry-After", "7");
    return send(response, script.status, problem(`the script says ${script.status}`));
  }
  const called = callsOf(asked);
  if (called) return answerWithTools(response, asked, called, script.think);
  return asked.stream ? stream(response, asked, script) : whole(response, asked, script);
}

/** Returns the answer configured by the flags and the last user message. */
function scriptFor(asked) {
  const text = String(asked.messages?.findLast((message) => message.role === "user")?.content ?? "");
  const number = (name, otherwise) => Number(text.match(new RegExp(`\\b${name}=(\\d+)`))?.[1] ?? otherwise);
  const wanted = number("tokens", options.tokens);
  const json = asked.response_format?.type === "json_schema" && text.match(/^json=(.*)$/m)?.[1];
  if (json) return scriptOf(json);
  const cited = number("passage", 0);
  if (cited) return scriptOf(`${passage(text, cited)} [${cited}]`);
  return {
    tokens: Math.min(wanted, asked.max_tokens ?? Infinity),
    isCut: wanted > (asked.max_tokens ?? Infinity),
    rate: number("rate", options.rate),
    status: number("status", 200),
    drop: number("drop", Infinity),
    pause: number("pause", 0),
    hang: /\bhang\b/.test(text),
    think: text.match(/\bthink=(\w+)/)?.[1],
    token,
  };
}

/** Returns the text below the line that begins with the passage's number in brackets. */
function passage(text, number) {
  const [, quote = "No passage."] = text.match(new RegExp(`^\\[${number}\\] .*\\n((?:> .*\\n?)+)`, "m")) ?? [];
  return quote.replaceAll(/^> /gm, "").trim();
}

/** Returns an answer that streams a text as fast as possible. */
function scriptOf(text) {
  if (text === undefined) return { status: 410 };
  const words = text.match(/\s*\S+|\s+$/g) ?? [];
  return { tokens: words.length, rate: 0, status: 200, drop: Infinity, hang: false, token: (n) => words[n - 1] };
}

let obeyed = 0;
let last = "nothing";

/** Returns the text that a prompt injection in the question's data orders. */
function orderIn(asked) {
  const text = String(asked.messages?.findLast((message) => message.role === "user")?.content ?? "");
  const data = text.match(/```json\n(.*)\n```/)?.[1];
  if (!data) return `answer with: ${last}`;
  const orders = [];
  JSON.parse(data, (_, value) => {
    const order = typeof value === "string" && value.match(/answer with: (.*)/s)?.[1];
    if (order) orders.push(order);
    return value;
  });
  if (orders.length) last = orders[obeyed++ % orders.length];
  return orders.length ? last : "{}";
}

/** Returns the tool calls of this turn from the user's message, or undefined without tools or calls. */
function callsOf(asked) {
  const text = String(asked.messages?.findLast((message) => message.role === "user")?.content ?? "");
  const turns = text.split(/^then$/m).map((turn) => [...turn.matchAll(/^call=(\w+) ?(.*)$/gm)].map(([, name, given]) => ({ name, given })));
  if (!asked.tools?.length || !turns[0].length) return undefined;
  const taken = asked.messages.filter((message) => message.tool_calls?.length).length;
  return /\bagain\b/.test(text) ? turns[0] : (turns[taken] ?? []);
}

function answerWithTools(response, asked, calls, think) {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  if (think) response.write(event(chunk(asked, { reasoning_content: think })));
  const told = asked.messages.filter((message) => message.role === "tool").map(quotation);
  if (!calls.length) response.write(event(chunk(asked, { content: `The tools said: ${told.join("; ")}` })));
  for (const [index, { name, given }] of calls.entries()) {
    response.write(event(chunk(asked, { tool_calls: [{ index, id: `call-${told.length + index}`, type: "function", function: { name, arguments: "" } }] })));
    for (const piece of given.match(/.{1,5}/g) ?? []) {
      response.write(event(chunk(asked, { tool_calls: [{ index, function: { arguments: piece } }] })));
    }
  }
  response.write(event(chunk(asked, {}, calls.length ? "tool_calls" : "stop")));
  response.write(event({ ...chunk(asked), choices: [], usage: { prompt_tokens: 100, completion_tokens: 10 } }));
  response.end("data: [DONE]\n\n");
}

/** Returns a tool's result without the quotation around it, if it has one. */
function quotation({ content }) {
  const quoted = content.split("\n").filter((line) => line.startsWith("> ")).map((line) => line.slice(2));
  return quoted.length ? quoted.join("\n") : content;
}

async function stream(response, asked, script) {
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
  response.write(event(chunk(asked, { role: "assistant", content: "" })));
  if (script.think) response.write(event(chunk(asked, { reasoning_content: script.think })));
  if (script.pause > 0) await pause(script.pause * 1000);
  const started = performance.now();
  for (let n = 1; n <= script.tokens && !response.destroyed; n += 1) {
    if (n > script.drop) return response.destroy();
    if (script.rate > 0) await until(started + (n * 1000) / script.rate);
    if (!response.write(event(chunk(asked, { content: script.token(n) })))) await drained(response);
  }
  response.write(event(chunk(asked, {}, script.isCut ? "length" : "stop")));
  if (asked.stream_options?.include_usage) response.write(event({ ...chunk(asked), choices: [], usage: usage(asked, script) }));
  response.end("data: [DONE]\n\n");
}

async function whole(response, asked, script) {
  if (script.rate > 0) await pause((script.tokens * 1000) / script.rate);
  const content = Array.from({ length: script.tokens }, (_, index) => script.token(index + 1)).join("");
  const choice = { index: 0, finish_reason: "stop", message: { role: "assistant", content } };
  send(response, 200, { ...head(asked), object: "chat.completion", choices: [choice], usage: usage(asked, script) });
}

/** Returns the nth token. Every tenth ends a paragraph, so that an answer has closed blocks. */
const token = (n) => (n % 10 === 0 ? `t${n}\n\n` : `t${n} `);

const head = (asked) => ({ id: "chatcmpl-scripted", created: 0, model: asked.model ?? MODEL });

const chunk = (asked, delta = {}, finish_reason = null) => ({
  ...head(asked),
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
});

const problem = (message) => ({ error: { message, type: "scripted" } });

/** Returns deterministic usage: four characters count as one token. */
function usage(asked, script) {
  const characters = (asked.messages ?? []).reduce((sum, message) => sum + String(message.content ?? "").length, 0);
  const prompt_tokens = Math.ceil(characters / 4);
  return { prompt_tokens, completion_tokens: script.tokens, total_tokens: prompt_tokens + script.tokens };
}

async function until(moment) {
  const left = moment - performance.now();
  if (left > 0) await pause(left);
}

function send(response, status, body) {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
