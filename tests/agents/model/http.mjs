// What model servers of tests and benchmarks do with requests and responses.

import { once } from "node:events";

/** Reads a JSON body of at most `maxBytes`. */
export async function readJson(request, maxBytes) {
  const pieces = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size > maxBytes) throw new Error("the request is too large");
    pieces.push(piece);
  }
  return JSON.parse(Buffer.concat(pieces).toString());
}

/** Resolves when the response takes more data, or is closed. */
export function drained(response) {
  const over = new AbortController();
  const either = ["drain", "close"].map((name) => once(response, name, { signal: over.signal }));
  return Promise.race(either).finally(() => over.abort());
}

/** Returns an event of a stream (server-sent events). */
export const event = (body) => `data: ${JSON.stringify(body)}\n\n`;
