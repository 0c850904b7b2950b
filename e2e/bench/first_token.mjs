// Benchmark of the first token of an answer: from the moment that the model server sends it until the browser
// has presented a frame with it. Beside it the same for a page without scripts of the hub.
//   PLEXUS_BINARY=target/release/plexus node e2e/bench/first_token.mjs

import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { answered, go } from "../lib/walk.mjs";
import { clockOffset, now } from "./lib/clock.mjs";
import { presentedDuring, watchFirstText } from "./lib/first_text.mjs";
import { ask, beginChat, openBrowser, slowDown, startBench } from "./lib/hub.mjs";
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
  heading("First token painted", ["page", "processor", "answers", "p50 ms", "p95 ms", "worst ms"]);
  for (const rate of RATES) {
    show("a chat", rate, await inChat(rate));
    show("floor: a page that appends events", rate, await onBarePage(rate));
  }
} finally {
  await bench.stop();
}

function show(name, rate, times) {
  const of = (share) => whole(percentile(times, share));
  row([name, rate === 1 ? "full speed" : `${rate} times slower`, times.length, of(0.5), of(0.95), of(1)]);
}

async function inChat(rate) {
  const tab = await openBrowser(bench.storageState);
  const { page } = tab;
  await page.addInitScript(watchFirstText, { selector: "article[aria-busy] .part:first-child > .tail:not(:empty)", of: "article" });
  await go(tab, bench.hub.url + (await beginChat(tab, bench.hub, "hello")));
  await page.locator('html[data-islands="ready"]').waitFor({ state: "attached" });
  await answered(tab);
  const offset = await clockOffset(page);
  await slowDown(tab.session, rate);
  const times = [];
  for (let count = 1; count <= ANSWERS; count += 1) {
    const presented = await presentedDuring(page, () => ask(tab, `question ${count}`));
    if (presented) times.push(presented + offset - bench.model.firstTokens.get(`question ${count}`));
  }
  await tab.stop();
  return times;
}

/** The floor: the time of the browser alone, from an event that is sent to a frame with its text. */
async function onBarePage(rate) {
  const source = await startEventSource();
  const tab = await openBrowser(undefined);
  const { page } = tab;
  await page.addInitScript(watchFirstText, { selector: "#out > p", of: "p" });
  await page.goto(source.url);
  const stream = await source.opened;
  const offset = await clockOffset(page);
  await slowDown(tab.session, rate);
  const times = [];
  for (let count = 1; count <= ANSWERS; count += 1) {
    await pause(50 + Math.random() * 100);
    let sent;
    const presented = await presentedDuring(page, () => {
      sent = now();
      stream.write(`data: t${count}\n\n`);
    });
    if (presented) times.push(presented + offset - sent);
  }
  await tab.stop();
  await source.stop();
  return times;
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
