// Open WebUI with the model server of a benchmark. `scripts/interop webui` installs it.

import { existsSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort, start } from "../../lib/process.mjs";
import { openBrowser } from "./hub.mjs";

const PROGRAM = resolve(import.meta.dirname, "../../../.cache/interop/open-webui/bin/open-webui");
const PERSON = { name: "Grace", email: "grace@example.org", password: "four quiet lanterns glow" };
/** Nothing is fetched from elsewhere, and no model of its own is loaded (`tests/interop/webui.py`). */
const SETTINGS = {
  WEBUI_SECRET_KEY: "a key of the benchmark, long enough",
  ENABLE_OLLAMA_API: "false",
  OFFLINE_MODE: "true",
  HF_HUB_OFFLINE: "1",
  ENABLE_VERSION_UPDATE_CHECK: "false",
  RAG_EMBEDDING_ENGINE: "openai",
  ANONYMIZED_TELEMETRY: "false",
  SCARF_NO_ANALYTICS: "true",
  DO_NOT_TRACK: "true",
  PYTHONUNBUFFERED: "1",
};
const LONGEST_START = 300_000;

export const isInstalled = () => existsSync(PROGRAM);

/** Starts it with a user whose chats are answered by the model server. Returns `url`, `storageState` and `stop()`. */
export async function startOpenWebui(model) {
  const folder = await mkdtemp(join(tmpdir(), "open-webui-"));
  const port = await freePort();
  const env = { PATH: process.env.PATH, HOME: folder, DATA_DIR: join(folder, "data"), ...SETTINGS };
  const args = ["serve", "--host", "127.0.0.1", "--port", String(port)];
  const program = await start({ command: PROGRAM, args, env, cwd: folder, ready: /Started server process/, longest: LONGEST_START });
  const url = `http://127.0.0.1:${port}`;
  await healthy(url);
  const { token } = await post(url, "/api/v1/auths/signup", PERSON);
  await post(url, "/openai/config/update", {
    ENABLE_OPENAI_API: true, OPENAI_API_BASE_URLS: [model.url], OPENAI_API_KEYS: ["none"], OPENAI_API_CONFIGS: { 0: { enable: true } },
  }, token);
  const stop = async () => {
    await program.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, storageState: await closeNews(url, token), stop };
}

async function healthy(url) {
  for (const begun = performance.now(); performance.now() - begun < LONGEST_START; ) {
    const answer = await fetch(`${url}/health`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((wake) => setTimeout(wake, 100));
  }
  throw new Error("Open WebUI did not become ready");
}

async function post(url, path, body, token = "") {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Closes the news that it shows at the first visit. Returns the session of the user. */
async function closeNews(url, token) {
  const state = { cookies: [], origins: [{ origin: url, localStorage: [{ name: "token", value: token }, { name: "locale", value: "en-US" }] }] };
  const tab = await openBrowser(state);
  await tab.page.goto(url);
  await tab.page.getByRole("button", { name: "Okay, Let's Go!" }).click();
  await tab.page.locator("#chat-input").click();
  const storageState = await tab.context.storageState();
  await tab.stop();
  return storageState;
}
