// Benchmark of a new chat beside Open WebUI, with the same model server and browser: a cold visit, typing, and the
// first token of an answer.
//   PLEXUS_BINARY=target/release/plexus node e2e/bench/open_webui.mjs

import { clockOffset } from "./lib/clock.mjs";
import { presentedDuring, watchFirstText } from "./lib/first_text.mjs";
import { AGENT, openBrowser, slowDown, startBench } from "./lib/hub.mjs";
import { measureInteractions, watchInteractions } from "./lib/interactions.mjs";
import { numbered } from "./lib/model_server.mjs";
import { isInstalled, startOpenWebui } from "./lib/open_webui.mjs";
import { heading, numberOf, percentile, row, whole } from "./lib/report.mjs";
import { visit } from "./lib/visit.mjs";

const RUNS = numberOf("PLEXUS_BENCH_RUNS", 5);
const ANSWERS = numberOf("PLEXUS_BENCH_ANSWERS", 20);
const SLOWER = 4;
const RETRY_MS = 3_000;
const TEXT = "the quick brown fox jumps over the lazy dog and runs off";

/** Where each product has what is measured. */
const PLEXUS = {
  page: { input: "#composer-text", ready: 'html[data-islands="ready"]' },
  text: { selector: "article[aria-busy] .part:first-child > .tail:not(:empty)", of: "article" },
  asked: (page, question) => page.locator("#thread article.person", { hasText: question }),
  ended: (page, end) => page.locator("#thread article.agent.done", { hasText: end }),
};
const OPEN_WEBUI = {
  page: { input: "#chat-input", ready: "#chat-input" },
  text: { selector: "#response-content-container p:not(:empty)", of: "[id^=message-]" },
  asked: (page, question) => page.locator("[id^=message-].user-message", { hasText: question }),
  // It shows the last eight messages only.
  ended: (page, end) => page.locator("#response-content-container", { hasText: end }),
};

const bench = await startBench((question) => ({ tokens: [...numbered(20), endOf(question)], rate: 20, waitMs: 200 + Math.random() * 200 }));
let other;
try {
  const columns = ["product", "requests", "KB transferred", "first paint ms", "input takes text ms (worst)", "INP of typing ms (longest)", "first token painted p50, p95 ms"];
  heading(`A new chat, median of ${RUNS} cold visits; typing and tokens on a processor ${SLOWER} times slower`, columns);
  await measure("Plexus", PLEXUS, bench.storageState, `${bench.hub.url}/chat?to=${AGENT}`);
  if (isInstalled()) {
    other = await startOpenWebui(bench.model);
    await measure("Open WebUI 0.12.4", OPEN_WEBUI, other.storageState, other.url);
  } else {
    console.log("\nOpen WebUI: skipped, it is not installed (scripts/interop webui)");
  }
} finally {
  await other?.stop();
  await bench.stop();
}

async function measure(name, product, storageState, url) {
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await visit(storageState, url, { page: product.page }));
  const of = (value, share = 0.5) => whole(percentile(runs.map(value), share));
  const { typing, times } = await chat(product, storageState, url);
  row([
    name,
    of((run) => run.requests),
    of((run) => run.bytes / 1024),
    of((run) => run.painted),
    `${of((run) => run.usable)} (${of((run) => run.usable, 1)})`,
    `${whole(typing.inp)} (${whole(typing.longest)})`,
    `${whole(percentile(times, 0.5))}, ${whole(percentile(times, 0.95))}`,
  ]);
}

/** Types in a new chat, and measures the first tokens of its answers, without the first one. */
async function chat(product, storageState, url) {
  const tab = await openBrowser(storageState);
  const { page } = tab;
  await page.addInitScript(watchInteractions);
  await page.addInitScript(watchFirstText, product.text);
  await page.goto(url, { waitUntil: "commit" });
  await page.locator(product.page.ready).waitFor({ state: "attached" });
  await ask(page, product, 1);
  // The first answer of a chat may come with a page of its own.
  await page.locator(product.page.ready).waitFor({ state: "attached" });
  const offset = await clockOffset(page);
  await slowDown(tab.session, SLOWER);
  const typing = await measureInteractions(page, () => page.keyboard.type(TEXT, { delay: 40 }));
  const times = [];
  for (let count = 1; count <= ANSWERS; count += 1) {
    const presented = await presentedDuring(page, () => ask(page, product, count + 1));
    if (presented) times.push(presented + offset - bench.model.firstTokens.get(`question ${count + 1}`));
  }
  await tab.stop();
  return { typing, times };
}

async function ask(page, { page: { input }, asked, ended }, count) {
  const question = `question ${count}`;
  await page.locator(input).fill(question);
  // Open WebUI sends nothing for a while after the last token of an answer.
  for (let isAsked = false; !isAsked; ) {
    await page.locator(input).press("Enter");
    isAsked = await asked(page, question).last().waitFor({ state: "attached", timeout: RETRY_MS }).then(() => true, () => false);
  }
  await ended(page, endOf(question)).last().waitFor({ state: "attached", timeout: 60_000 });
}

/** The last token of an answer. Questions of Open WebUI itself, such as for a title, are long. */
function endOf(question) {
  return `end of ${question.slice(0, 20)}.`;
}
