// A chat of many messages, written to the database of a stopped hub: over the API it would take an hour.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { answeredOverApi } from "../../lib/walk.mjs";
import { beginChat, openBrowser, startBench } from "./hub.mjs";
import { markdown } from "./model_server.mjs";

const TEXTS = 8;

/** Starts a hub with one chat of so many messages. Returns it as `startBench` does, with the `path` of the chat. */
export async function startWithChat(messages) {
  const bench = await startBench(() => ({ tokens: markdown(4) }));
  const tab = await openBrowser(bench.storageState);
  const path = await beginChat(tab, bench.hub, "Question 1: what comes first?");
  await answeredOverApi(tab, bench.hub, path);
  await tab.stop();
  if (messages > 2) {
    await bench.hub.pause(() => grow(bench.hub.database, messages / 2 - 1));
  }
  return { ...bench, path };
}

async function grow(database, turns) {
  const program = spawn("python3", [join(import.meta.dirname, "grow_chat.py"), database, turns], { stdio: ["pipe", "inherit", "inherit"] });
  const texts = Array.from({ length: TEXTS }, (_, index) => [...markdown(1 + (index % 4))].join(""));
  program.stdin.end(JSON.stringify(texts));
  const [code] = await once(program, "exit");
  if (code !== 0) throw new Error("the chat could not be made longer");
}
