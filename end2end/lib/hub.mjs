// A hub of the test's own: the built binary, a free port, a folder that goes away with it.

import { rmSync } from "node:fs";
import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort, start } from "./process.mjs";

const target = process.env.CARGO_TARGET_DIR ?? resolve(import.meta.dirname, "../../target");
export const binary = process.env.PLEXUS_BINARY ?? join(target, "debug/plexus");

const folders = new Set();
process.on("exit", () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Waits for `/readyz`, at most this many times 50 ms. */
const READY_TRIES = 400;

/**
 * Starts a hub on loopback.
 * @param {object} [env] more `PLEXUS_*` variables
 * @returns a hub with `url`, `adminLink`, `restart()`, `stop()`; `stop()` also removes its folder
 */
export async function startHub(env = {}) {
  await access(binary).catch(() => {
    throw new Error(`${binary} is missing: run 'make build' first`);
  });
  const folder = await mkdtemp(join(tmpdir(), "plexus-"));
  folders.add(folder);
  const hub = new Hub(folder, await freePort(), env);
  await hub.start();
  return hub;
}

class Hub {
  #folder;
  #env;
  #program;

  constructor(folder, port, env) {
    this.#folder = folder;
    this.url = `http://127.0.0.1:${port}`;
    this.#env = { PLEXUS_LISTEN: `127.0.0.1:${port}`, PLEXUS_DATA_DIR: folder, PLEXUS_LIMITS_SCALE: "100", ...env };
  }

  get log() {
    return this.#program.output;
  }

  /** The one-time link that makes the first administrator, as the hub printed it. */
  get adminLink() {
    const match = this.log.match(/https?:\/\/\S+\/first\S*|https?:\/\/\S+[?#]\S+/);
    if (!match) throw new Error(`the hub printed no administrator link:\n${this.log}`);
    return match[0];
  }

  async start() {
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, ...this.#env };
    this.#program = await start({ command: binary, args: ["serve"], env, cwd: this.#folder, ready: /https?:\/\// });
    await this.#ready();
  }

  async kill() {
    await this.#program.stop("SIGKILL");
  }

  async restart() {
    await this.#program.stop();
    await this.start();
  }

  async stop() {
    const code = await this.#program.stop();
    await rm(this.#folder, { recursive: true, force: true });
    return code;
  }

  async #ready() {
    for (let tries = 0; tries < READY_TRIES; tries += 1) {
      const answer = await fetch(`${this.url}/readyz`).catch(() => undefined);
      if (answer?.ok) return;
      await new Promise((wake) => setTimeout(wake, 50));
    }
    throw new Error(`the hub did not become ready:\n${this.log}`);
  }
}
