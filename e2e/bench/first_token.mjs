// Benchmark of the first token of an answer: from the moment that the model server sends it until the browser
// has presented a frame with it. Beside it the same for a page without scripts of the hub.
//   PLEXUS_BINARY=target/release/plexus node e2e/bench/first_token.mjs

import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { answered, go } from "../lib/walk.mjs";
import { clockOffset, now } from "./lib/clock.mjs";
import { beginChat, openBrowser, slowDown, startBench } from "./lib/hub.mjs";
import { numbered } from "./lib/model_server.mjs";
import { heading, numberOf, percentile, row, whole } from "./lib/report.mjs";

const ANSWERS = numberOf("PLEXUS_BENCH_ANSWERS", 40);
const RATES = [1, 4];
/** Enough that the answer goes on while its first frame is presented. */
const TOKENS = 20;

const BARE_PAGE = `<!doctype html><title>Events</title><div id="out"></div><script>
new EventSource("/events").onmessage = ({ data }) => {
  const line = document.createElement("p");
  line.textContent = data;
  out.append(line);
  line.scrollIntoView();
};
</script>`;

// The first token comes when the page has finished its own reaction to the sent message.
const bench = await startBench(() => ({ tokens: numbered(TOKENS), rate: 20, waitMs: 200 + Math.random() * 200 }));
try {
  heading(`First token painted, ${ANSWERS} answers each`, ["page", "processor", "p50 ms", "p95 ms", "worst ms"]);
  for (const rate of RATES) {
    show("a chat", rate, await inChat(rate));
    show("floor: a page that appends events", rate, await onBarePage(rate));
  }
} finally {
  await bench.stop();
}

function show(name, rate, times) {
  const of = (share) => whole(percentile(times, share));
  row([name, rate === 1 ? "full speed" : `${rate} times slower`, of(0.5), of(0.95), of(1)]);
}

async function inChat(rate) {
  const tab = await openBrowser(bench.storageState);
  const { page } = tab;
  await page.addInitScript(watchFirstText);
  await go(tab, bench.hub.url + (await beginChat(tab, bench.hub, "hello")));
  await page.locator('html[data-islands="ready"]').waitFor({ state: "attached" });
  await answered(tab);
  const offset = await clockOffset(page);
  await slowDown(tab.session, rate);
  const times = [];
  for (let count = 1; count <= ANSWERS; count += 1) {
    const before = bench.model.firstTokens.length;
    tab.answersBefore = await page.locator("#thread article.agent").count();
    await page.locator("#composer-text").fill(`question ${count}`);
    await page.keyboard.press("Enter");
    await answered(tab);
    const painted = await paintedAt(page, count);
    times.push(painted + offset - bench.model.firstTokens[before]);
  }
  await tab.stop();
  return times;
}

/** The floor: the time of the browser alone, from an event that is sent to a frame with its text. */
async function onBarePage(rate) {
  const source = await startEventSource();
  const tab = await openBrowser(undefined);
  const { page } = tab;
  await page.addInitScript(watchFirstText);
  await page.goto(source.url);
  const stream = await source.opened;
  const offset = await clockOffset(page);
  await slowDown(tab.session, rate);
  const times = [];
  for (let count = 1; count <= ANSWERS; count += 1) {
    await pause(50 + Math.random() * 100);
    const sent = now();
    stream.write(`data: t${count}\n\n`);
    times.push((await paintedAt(page, count)) + offset - sent);
  }
  await tab.stop();
  await source.stop();
  return times;
}

async function paintedAt(page, count) {
  const handle = await page.waitForFunction((least) => window.firstTexts.length >= least && window.firstTexts.at(-1), count);
  return handle.jsonValue();
}

/** Runs in the page: collects the moments at which the first text of each answer was presented (Element Timing). */
function watchFirstText() {
  window.firstTexts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.identifier === "first-text") window.firstTexts.push(performance.timeOrigin + entry.renderTime);
    }
  }).observe({ type: "element" });
  // Runs before the frame that shows the change is painted.
  new MutationObserver(() => {
    const tail = document.querySelector("article[aria-busy] .part:first-child > .tail:not(:empty), #out > p:last-child");
    const article = tail?.parentElement.closest("article") ?? tail;
    if (!tail || article.dataset.timed) return;
    article.dataset.timed = "yes";
    tail.setAttribute("elementtiming", "first-text");
  }).observe(document, { childList: true, subtree: true, characterData: true });
}

/** A page whose script appends the text of each event as a paragraph. */
async function startEventSource() {
  let tell;
  const opened = new Promise((resolve) => (tell = resolve));
  const server = createServer((request, response) => {
    if (request.url !== "/events") return response.writeHead(200, { "Content-Type": "text/html" }).end(BARE_PAGE);
    response.writeHead(200, { "Content-Type": "text/event-stream" }).write(": open\n\n");
    response.socket.setNoDelay(true);
    tell(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, opened, stop };
}
