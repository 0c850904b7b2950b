// Hub for a test: the built binary, a free port, and a temporary folder.

import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { freePort, start } from "./process.mjs";

/** Runs a program until it exits; rejects if its exit code is not 0. */
export const run = promisify(execFile);

const target = process.env.CARGO_TARGET_DIR ?? resolve(import.meta.dirname, "../../target");
export const binary = process.env.PLEXUS_BINARY ?? join(target, "debug/plexus");

const folders = new Set();
process.on("exit", () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Maximum number of polls of `/readyz`, 50 ms apart. */
const READY_TRIES = 400;

/**
 * Starts a hub on loopback.
 * @param {object} [env] more `PLEXUS_*` variables; `PORT` in a value stands for the hub's own
 * @param {string} [user] the user that it runs as, if the tests run as root
 * @returns a hub with `url`, `adminLink`, `kill()`, `restart()`, `stop()`; `stop()` also removes its folder
 */
export async function startHub(env = {}, user = undefined) {
  const hub = await newHub(env, user);
  await hub.start();
  return hub;
}

/** Starts a hub with the contents of an archive of `plexus backup`. */
export async function startRestoredHub(archive, env) {
  const hub = await newHub(env);
  await hub.command("restore", archive);
  await hub.start();
  return hub;
}

async function newHub(env, user) {
  await access(binary).catch(() => {
    throw new Error(`${binary} is missing: run 'make build' first`);
  });
  const folder = await mkdtemp(join(tmpdir(), "plexus-"));
  folders.add(folder);
  if (user) await run("chown", [user, folder]);
  return new Hub(folder, await freePort(), env, user);
}

let databases = 0;

/** Creates a database on the cluster of `scripts/with-postgres`, which is removed with it. Returns its URL. */
export async function emptyDatabase() {
  const cluster = process.env.PLEXUS_TEST_POSTGRES;
  if (!cluster) throw new Error("PLEXUS_TEST_POSTGRES is not set: run 'make test-browser'");
  const url = new URL(`/browser_${process.pid}_${(databases += 1)}`, cluster);
  await run("psql", [cluster, "--quiet", "--command", `CREATE DATABASE ${url.pathname.slice(1)}`]);
  return url.href;
}

class Hub {
  #folder;
  #env;
  #user;
  #program;

  constructor(folder, port, env, user) {
    this.#folder = folder;
    this.#user = user;
    const all = { PLEXUS_LISTEN: "127.0.0.1:PORT", PLEXUS_DATA_DIR: folder, PLEXUS_RATE_LIMIT_SCALE: "100", PLEXUS_QUOTA_AGENTS: "1000", ...env };
    this.#env = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value.replace("PORT", port)]));
    this.url = this.#env.PLEXUS_PUBLIC_URL ?? `http://127.0.0.1:${port}`;
  }

  /** File of its SQLite database, which may be changed while the hub is stopped. */
  get database() {
    return join(this.#folder, "plexus.sqlite3");
  }

  get log() {
    return this.#program.output;
  }

  /** Returns the one-time link that creates the first administrator, from the hub's log. */
  get adminLink() {
    const match = this.log.match(/http\S+\?admin=\S+/);
    if (!match) throw new Error(`the hub printed no administrator link:\n${this.log}`);
    return match[0];
  }

  async start() {
    const [command, ...args] = [...this.#as(), binary, "serve"];
    this.#program = await start({ command, args, env: this.#whole, cwd: this.#folder, ready: /serves on/ });
    await this.#ready();
  }

  /** Runs another command of the binary with the hub's settings, while the hub runs. */
  async command(...args) {
    const [command, ...rest] = [...this.#as(), binary, ...args];
    return run(command, rest, { env: this.#whole, cwd: this.#folder });
  }

  /** Attaches a program of this machine as an agent of the first administrator. `stop()` detaches it. */
  join(name, command, flags = []) {
    const [program, ...args] = [...this.#as(), binary, "agent", "run", name, ...flags, "--", ...command];
    return start({ command: program, args, env: this.#whole, cwd: this.#folder, ready: /Attached/ });
  }

  async kill() {
    await this.#program.stop("SIGKILL");
  }

  async restart() {
    await this.pause(() => {});
  }

  /** Stops the hub, calls `act` and starts it again. */
  async pause(act) {
    await this.#program.stop();
    await act();
    await this.start();
  }

  /** Stops the hub. Fails if it had exited by itself, or did not exit with code 0. */
  async stop() {
    const early = this.#program.over ? "before it was told to, " : "";
    const code = await this.#program.stop();
    await rm(this.#folder, { recursive: true, force: true });
    if (early || code !== 0) throw new Error(`the hub ended ${early}with ${code}:\n${this.log}`);
  }

  get #whole() {
    const { PATH, HOME } = process.env;
    return { PATH, HOME, ...this.#env };
  }

  #as() {
    return this.#user ? ["setpriv", `--reuid=${this.#user}`, "--regid=nogroup", "--clear-groups", "--"] : [];
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
