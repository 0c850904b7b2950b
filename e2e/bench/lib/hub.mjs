// A hub for the benchmarks: with a model agent that the model server of the benchmark answers for.

import { launch, openTab } from "../../lib/browser.mjs";
import { startHub } from "../../lib/hub.mjs";
import { answered, api, rememberAnswer, signUp } from "../../lib/walk.mjs";
import { MODEL, startModelServer } from "./model_server.mjs";

export const AGENT = "@ada/clerk";

/**
 * Starts a hub with an administrator and the agent. `write` is the script of the model server.
 * @returns `hub`, `model`, `storageState` with the administrator's session, and `stop()`
 */
export async function startBench(write, env = {}) {
  const model = await startModelServer(write);
  const hub = await startHub({ PLEXUS_LLM_BASE_URL: model.url, PLEXUS_LLM_MODEL: MODEL, ...env });
  const browser = await launch();
  const tab = await openTab(browser);
  await signUp(tab, hub.adminLink, "ada");
  const limits = { tokens: 2_000_000, seconds: 3_600 };
  await api(tab, hub, "POST", "/agents", { instructions: "Answer.", name: "clerk", title: "Clerk", summary: "Answers.", limits });
  const storageState = await tab.context.storageState();
  await tab.close();
  await browser.close();
  const stop = async () => {
    await hub.stop();
    await model.stop();
  };
  return { hub, model, storageState, stop };
}

/** Opens a tab in a fresh browser with the session of the administrator. `tab.stop()` closes the browser. */
export async function openBrowser(storageState, { args = [], viewport = { width: 1280, height: 800 } } = {}) {
  const browser = await launch(args);
  const context = await browser.newContext({ storageState, viewport });
  const page = await context.newPage();
  return { browser, context, page, mode: { script: "on" }, session: await context.newCDPSession(page), stop: () => browser.close() };
}

/** Begins a chat with the agent over the API. Returns its path. */
export async function beginChat(tab, hub, text, to = AGENT) {
  const { chat } = await api(tab, hub, "POST", "/chats", { id: crypto.randomUUID(), text, to });
  return `/chat/${chat}`;
}

/** Sends a message by keyboard. */
export async function post(tab, text) {
  await rememberAnswer(tab);
  await tab.page.locator("#composer-text").fill(text);
  await tab.page.keyboard.press("Enter");
}

/** Sends a message, and waits until its answer has ended. */
export async function ask(tab, text) {
  await post(tab, text);
  await answered(tab);
}

/** Makes the processor slower for the page, as Lighthouse does for a phone. Workers keep their speed. */
export async function slowDown(session, rate = 4) {
  await session.send("Emulation.setCPUThrottlingRate", { rate });
}
