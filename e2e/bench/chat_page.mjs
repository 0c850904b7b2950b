// Benchmark of a chat page in a browser with a cold cache: what it loads, and when the input accepts text.
//   PLEXUS_BINARY=target/release/plexus node e2e/bench/chat_page.mjs

import { launch, openTab } from "../lib/browser.mjs";
import { startHub } from "../lib/hub.mjs";
import { answered, go, send, signUp } from "../lib/walk.mjs";

const RUNS = 9;
const VIEWPORT = { width: 1280, height: 800 };
/** The page counts as loaded after this long without a request. */
const QUIET_MS = 500;
const WORDS = "what is 15% of 80";

const hub = await startHub();
try {
  await measure();
} finally {
  await hub.stop();
}

async function measure() {
  const { storageState, chat } = await prepare();
  console.log(`\nChat page cold in Chromium, ${VIEWPORT.width}x${VIEWPORT.height}, median of ${RUNS} runs`);
  console.log("| page | requests | KB transferred | first paint ms | input takes text ms (worst) | blocked ms |");
  console.log("|---|---|---|---|---|---|");
  for (const [name, path] of [["a chat with three answers", chat], ["a new chat", "/chat"]]) {
    const runs = [];
    for (let run = 0; run < RUNS; run += 1) runs.push(await cold(storageState, hub.url + path));
    const of = (value) => runs.map(value).sort((a, b) => a - b);
    const median = (value) => of(value)[(RUNS - 1) / 2];
    const usable = `${median((run) => run.usable).toFixed(0)} (${of((run) => run.usable).at(-1).toFixed(0)})`;
    const columns = [
      name,
      median((run) => run.requests),
      (median((run) => run.bytes) / 1024).toFixed(1),
      median((run) => run.painted).toFixed(0),
      usable,
      median((run) => run.blocked).toFixed(0),
    ];
    console.log(`| ${columns.join(" | ")} |`);
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

/** One visit with a fresh browser: empty cache, no open connection. */
async function cold(storageState, url) {
  const browser = await launch();
  const context = await browser.newContext({ storageState, viewport: VIEWPORT });
  const page = await context.newPage();
  await page.addInitScript(watchLongTasks);
  const traffic = await count(context, page);
  const begun = performance.now();
  await page.goto(url, { waitUntil: "commit" });
  const input = page.locator("#composer-text");
  await input.fill(WORDS);
  const usable = performance.now() - begun;
  await page.locator('html[data-islands="ready"]').waitFor({ state: "attached" });
  await traffic.quiet();
  if ((await input.inputValue()) !== WORDS) throw new Error("what was typed early is gone");
  const { painted, blocked } = await page.evaluate(() => ({
    painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
    blocked: window.blockedMs,
  }));
  await browser.close();
  return { requests: traffic.requests, bytes: traffic.bytes, usable, painted, blocked };
}

/** Total blocking time: the time of tasks beyond 50 ms each. */
function watchLongTasks() {
  window.blockedMs = 0;
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) window.blockedMs += Math.max(0, task.duration - 50);
  }).observe({ type: "longtask", buffered: true });
}

/** Counts requests, and the bytes on the wire including headers. */
async function count(context, page) {
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  const traffic = { requests: 0, bytes: 0, last: performance.now() };
  const heard = (bytes) => {
    traffic.bytes += bytes;
    traffic.last = performance.now();
  };
  // A stream that stays open counts with the bytes received so far.
  const open = new Map();
  session.on("Network.requestWillBeSent", ({ requestId }) => {
    traffic.requests += 1;
    open.set(requestId, 0);
    heard(0);
  });
  session.on("Network.responseReceived", ({ requestId, response }) => add(requestId, response.encodedDataLength));
  session.on("Network.dataReceived", ({ requestId, encodedDataLength }) => add(requestId, encodedDataLength));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    heard(encodedDataLength - (open.get(requestId) ?? 0));
    open.delete(requestId);
  });
  function add(requestId, bytes) {
    if (!open.has(requestId)) return;
    open.set(requestId, open.get(requestId) + bytes);
    heard(bytes);
  }
  traffic.quiet = async () => {
    while (performance.now() - traffic.last < QUIET_MS) await page.waitForTimeout(50);
  };
  return traffic;
}
