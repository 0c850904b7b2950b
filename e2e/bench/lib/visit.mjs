// A visit of a page with a cold cache: what it loads, when it paints, and when its input accepts text.

import { launch } from "../../lib/browser.mjs";
import { slowDown } from "./hub.mjs";

const VIEWPORT = { width: 1280, height: 800 };
/** The page counts as loaded after this long without a request. */
const QUIET_MS = 500;
const LONGEST_LOAD_MS = 20_000;
const WORDS = "what is 15% of 80";

/** Selectors of the input, and of what is there when the scripts of the page run. */
const CHAT_PAGE = { input: "#composer-text", ready: 'html[data-islands="ready"]' };

/** Conditions of a visit that a phone has: a processor four times slower, and Lighthouse's slow 4G. */
export const PHONE = { processor: 4, network: { latency: 150, throughput: (1.6 * 1024 * 1024) / 8 } };

/**
 * One visit with a fresh browser: empty cache, no open connection. Without `types`, no text is entered: a browser
 * that lays the page out for it before the styles are there counts a layout shift.
 */
export async function visit(storageState, url, { processor = 1, network, types = true, page: { input: selector, ready } = CHAT_PAGE } = {}) {
  const browser = await launch();
  const context = await browser.newContext({ storageState, viewport: VIEWPORT });
  const page = await context.newPage();
  await page.addInitScript(watchPage);
  const session = await context.newCDPSession(page);
  const traffic = await count(session, page);
  if (processor > 1) await slowDown(session, processor);
  if (network) await slowNetwork(session, network);
  const begun = performance.now();
  await page.goto(url, { waitUntil: "commit" });
  const input = page.locator(selector);
  if (types) await input.fill(WORDS);
  const usable = performance.now() - begun;
  await page.locator(ready).waitFor({ state: "attached" });
  await traffic.quiet();
  if (types && (await input.evaluate((field) => field.value ?? field.innerText)) !== WORDS) throw new Error("what was typed early is gone");
  const seen = await page.evaluate(() => ({
    responded: performance.getEntriesByType("navigation")[0].responseStart,
    painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
    blocked: window.blockedMs,
    shift: window.layoutShift,
  }));
  await browser.close();
  return { ...seen, requests: traffic.requests, bytes: traffic.bytes, usable };
}

function slowNetwork(session, { latency, throughput }) {
  const conditions = { offline: false, latency, downloadThroughput: throughput, uploadThroughput: throughput };
  return session.send("Network.emulateNetworkConditions", conditions);
}

/** Total blocking time: the time of tasks beyond 50 ms each. Layout shift: that of all shifts without an input. */
function watchPage() {
  window.blockedMs = 0;
  window.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) window.layoutShift += shift.value;
  }).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) window.blockedMs += Math.max(0, task.duration - 50);
  }).observe({ type: "longtask", buffered: true });
}

/** Counts requests, and the bytes on the wire including headers. */
async function count(session, page) {
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
    const latest = performance.now() + LONGEST_LOAD_MS;
    while (performance.now() - traffic.last < QUIET_MS && performance.now() < latest) await page.waitForTimeout(50);
  };
  return traffic;
}
