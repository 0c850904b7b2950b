// Reverse proxy between browser and hub with fault injection: refuses, cuts, falsifies or delays responses.

import { once } from "node:events";
import { createServer, request } from "node:http";
import { startHub } from "./hub.mjs";
import { freePort } from "./process.mjs";

/** Faults. Each takes the incoming request, the outgoing response, and `pass`, which forwards to the hub. */
export const faults = {
  /** Closes the connection before the first byte. */
  refused: (incoming) => incoming.socket.destroy(),
  /** Sends the head and half of the body, then closes the connection. */
  cut: (incoming, outgoing, pass) => pass({ cut: true }),
  missing: (incoming, outgoing) => outgoing.writeHead(404).end(),
  unavailable: (incoming, outgoing) => outgoing.writeHead(503).end("the hub is starting"),
  /** Delays the response by this many milliseconds. */
  late: (milliseconds) => (incoming, outgoing, pass) => setTimeout(pass, milliseconds),
};

/** @param {number} port of the proxy @param {() => string} target returns the origin that it forwards to */
export async function startProxy(port, target) {
  const proxy = new Proxy(target);
  proxy.server = createServer((incoming, outgoing) => proxy.answer(incoming, outgoing)).listen(port, "127.0.0.1");
  await once(proxy.server, "listening");
  return proxy;
}

/** Starts a hub whose public address is that of a proxy before it. Stop the hub first. */
export async function startHubBehindProxy() {
  const [front, back] = [await freePort(), await freePort()];
  const proxy = await startProxy(front, () => `http://127.0.0.1:${back}`);
  const hub = await startHub({ PLEXUS_LISTEN: `127.0.0.1:${back}`, PLEXUS_PUBLIC_URL: `http://127.0.0.1:${front}` });
  return { hub, proxy };
}

class Proxy {
  #target;
  #rules = [];
  /** Responses that are being forwarded. */
  #answers = new Set();
  /** Requests that wait until `mend`; undefined while nothing is frozen. */
  #frozen;

  constructor(target) {
    this.#target = target;
  }

  /** Applies a fault to requests whose path matches, until `mend` is called. Resolves at its first use. */
  break(pattern, fault) {
    return new Promise((used) => this.#rules.push({ pattern, fault, used }));
  }

  /** Forwards nothing any more, and keeps all connections open, as a network that drops all packets does. */
  freeze() {
    this.#frozen = [];
    for (const answer of this.#answers) answer.pause();
  }

  /** Closes all connections, and those of later requests. */
  cutAll() {
    this.break(/./, faults.refused);
    this.server.closeAllConnections();
  }

  mend() {
    this.#rules = [];
    const waiting = this.#frozen ?? [];
    this.#frozen = undefined;
    for (const answer of this.#answers) answer.resume();
    for (const pass of waiting) pass();
  }

  async stop() {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  answer(incoming, outgoing) {
    const pass = ({ cut = false } = {}) => this.#pass(incoming, outgoing, cut);
    if (this.#frozen) return this.#frozen.push(pass);
    const rule = this.#rules.find(({ pattern }) => pattern.test(incoming.url));
    if (!rule) return pass();
    rule.used();
    rule.fault(incoming, outgoing, pass);
  }

  #pass(incoming, outgoing, cut) {
    const { method, headers, url } = incoming;
    const asked = request(new URL(url, this.#target()), { method, headers, agent: false }, (answer) => {
      // Files are not cached, so that each page load reaches the proxy.
      outgoing.writeHead(answer.statusCode, { ...answer.headers, "cache-control": "no-store" });
      this.#answers.add(answer);
      answer.on("close", () => this.#answers.delete(answer));
      if (!cut) return answer.pipe(outgoing);
      const half = Number(answer.headers["content-length"] ?? 2_000) / 2;
      let sent = 0;
      answer.on("data", (piece) => {
        sent += piece.length;
        if (sent < half) return outgoing.write(piece);
        outgoing.write(piece.subarray(0, piece.length / 2), () => outgoing.socket?.destroy());
        answer.destroy();
      });
    });
    asked.on("error", () => outgoing.destroy());
    outgoing.on("close", () => asked.destroy());
    incoming.pipe(asked);
  }
}
