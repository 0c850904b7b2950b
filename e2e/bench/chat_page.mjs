// Benchmark of a chat page in a browser with a cold cache: what it loads, and when the input accepts text.
//   PLEXUS_BINARY=target/release/plexus node e2e/bench/chat_page.mjs

import { launch, openTab } from "../lib/browser.mjs";
import { startHub } from "../lib/hub.mjs";
import { answered, go, send, signUp } from "../lib/walk.mjs";
import { heading, row } from "./lib/report.mjs";
import { visit } from "./lib/visit.mjs";

const RUNS = 9;

const hub = await startHub();
try {
  await measure();
} finally {
  await hub.stop();
}

async function measure() {
  const { storageState, chat } = await prepare();
  const columns = ["page", "requests", "KB transferred", "first paint ms", "input takes text ms (worst)", "blocked ms"];
  heading(`Chat page cold in Chromium, median of ${RUNS} runs`, columns);
  for (const [name, path] of [["a chat with three answers", chat], ["a new chat", "/chat"]]) {
    const runs = [];
    for (let run = 0; run < RUNS; run += 1) runs.push(await visit(storageState, hub.url + path));
    const of = (value) => runs.map(value).sort((a, b) => a - b);
    const median = (value) => of(value)[(RUNS - 1) / 2];
    const usable = `${median((run) => run.usable).toFixed(0)} (${of((run) => run.usable).at(-1).toFixed(0)})`;
    const cells = [
      name,
      median((run) => run.requests),
      (median((run) => run.bytes) / 1024).toFixed(1),
      median((run) => run.painted).toFixed(0),
      usable,
      median((run) => run.blocked).toFixed(0),
    ];
    row(cells);
  }
}

/** Signs up and has a short chat. Returns the cookies and the path of the chat. */
async function prepare() {
  const browser = await launch();
  const tab = await openTab(browser);
  await signUp(tab, hub.adminLink, "ada");
  await go(tab, `${hub.url}/chat?to=@plexus/calc`);
  await tab.islands();
  for (const question of ["120 km / (1.5 hours) to m/s", "2 ^ 10", "sqrt(2)"]) {
    await send(tab, question);
    await answered(tab);
  }
  const chat = new URL(tab.page.url()).pathname;
  const storageState = await tab.context.storageState();
  await tab.close();
  await browser.close();
  return { storageState, chat };
}
