// Child processes of tests: awaits their readiness message, and kills all of them when the tests end.

import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { once } from "node:events";

const LONGEST_START = 60_000;
const LONGEST_STOP = 10_000;
const KEPT_OUTPUT = 200_000;

const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

/**
 * Starts a program and waits until a line of its output matches `ready`.
 * @param {{command: string, args?: string[], env?: object, cwd?: string, ready: RegExp, longest?: number}} program
 *   `longest` is its timeout in milliseconds
 */
export async function start({ command, args = [], env = process.env, cwd, ready, longest = LONGEST_START }) {
  const child = spawn(command, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  const started = new Program(child);
  started.match = await started.says(ready, longest);
  return started;
}

class Program {
  #child;
  #output = "";
  #waiting = new Set();
  #ended;

  constructor(child) {
    this.#child = child;
    this.#ended = once(child, "exit").then(() => running.delete(child));
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => this.#hear(text));
    child.on("exit", () => this.#look());
    child.on("error", (error) => this.#hear(String(error)));
  }

  get pid() {
    return this.#child.pid;
  }

  get output() {
    return this.#output;
  }

  /**
   * Resolves with the match when the output contains it; rejects with the output if the program exits first.
   */
  says(pattern, milliseconds) {
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`${this.#name} did not say ${pattern} in ${milliseconds} ms:\n${this.#output}`));
      const entry = { pattern, resolve, reject, timer: setTimeout(late, milliseconds) };
      this.#waiting.add(entry);
      this.#look();
    });
  }

  /** Whether it has exited. */
  get over() {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Sends the signal, then SIGKILL after a timeout. Resolves with the exit code. */
  async stop(signal = "SIGTERM") {
    if (!this.over) {
      this.#child.kill(signal);
      const insist = setTimeout(() => this.#child.kill("SIGKILL"), LONGEST_STOP);
      await this.#ended;
      clearTimeout(insist);
    }
    return this.#child.exitCode;
  }

  get #name() {
    return this.#child.spawnargs.slice(0, 3).join(" ");
  }

  #hear(text) {
    this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
    this.#look();
  }

  #look() {
    for (const entry of this.#waiting) {
      const match = this.#output.match(entry.pattern);
      if (!match && !this.over) continue;
      clearTimeout(entry.timer);
      this.#waiting.delete(entry);
      if (match) entry.resolve(match);
      else entry.reject(new Error(`${this.#name} ended before it said ${entry.pattern}:\n${this.#output}`));
    }
  }
}

/** Returns a port that is free at the moment. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
