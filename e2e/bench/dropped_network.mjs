// Benchmark of an answer during which the network is dropped twenty times: whether the page shows each token once
// and in order in every frame, and how soon the text goes on when the network is back.
//   PLEXUS_BINARY=target/release/plexus node e2e/bench/dropped_network.mjs

import { setTimeout as pause } from "node:timers/promises";
import { answered, go } from "../lib/walk.mjs";
import { freePort } from "../lib/process.mjs";
import { beginChat, openBrowser, post, startBench } from "./lib/hub.mjs";
import { numbered } from "./lib/model_server.mjs";
import { heading, numberOf, percentile, row, whole } from "./lib/report.mjs";
import { startTcpProxy } from "./lib/tcp_proxy.mjs";

const DROPS = numberOf("PLEXUS_BENCH_DROPS", 20);
/** Tokens per second. */
const RATE = 50;
const UP_MS = [800, 1_600];
const DOWN_MS = [100, 1_000];
/** Enough for the drops and the reconnects. */
const TOKENS = DROPS * 4 * RATE;

const [front, back] = [await freePort(), await freePort()];
const proxy = await startTcpProxy(front, back);
const env = { PLEXUS_LISTEN: `127.0.0.1:${back}`, PLEXUS_PUBLIC_URL: `http://127.0.0.1:${front}` };
const bench = await startBench((text) => (text === "stream" ? { tokens: numbered(TOKENS), rate: RATE } : { tokens: numbered(5) }), env);
try {
  await measure();
} finally {
  await bench.stop();
  await proxy.stop();
}

async function measure() {
  const tab = await openBrowser(bench.storageState);
  const { page } = tab;
  await page.addInitScript(watchTokens);
  await go(tab, bench.hub.url + (await beginChat(tab, bench.hub, "hello")));
  await page.locator('html[data-islands="ready"]').waitFor({ state: "attached" });
  await answered(tab);
  await post(tab, "stream");
  const times = [];
  for (let drop = 0; drop < DROPS; drop += 1) {
    await pause(between(UP_MS));
    times.push(await dropOnce(page));
  }
  const during = await page.evaluate(() => window.tokens);
  await answered(tab);
  await page.reload();
  const { shown } = await page.evaluate(() => window.tokens);
  report(times, { ...during, shown });
  await tab.stop();
}

/** Drops the network once. Returns the time from its return until the page shows another token. */
async function dropOnce(page) {
  proxy.drop();
  await pause(between(DOWN_MS));
  const { shown } = await page.evaluate(() => window.tokens);
  proxy.restore();
  const back = performance.now();
  await page.waitForFunction((before) => window.tokens.shown > before, shown);
  return performance.now() - back;
}

function report(times, { shown, wrong, checks, example }) {
  heading("An answer with a dropped network", ["drops", "connections cut", "tokens sent", "shown after a reload", "frames checked", "frames with a token missing, twice or out of order", "text goes on after, ms p50 (worst)"]);
  const goesOn = `${whole(percentile(times, 0.5))} (${whole(percentile(times, 1))})`;
  row([DROPS, proxy.cut, TOKENS, shown, checks, wrong, goesOn]);
  if (example) console.log(`The first such frame: ${example}`);
  if (wrong > 0 || shown !== TOKENS) process.exitCode = 1;
}

function between([least, most]) {
  return least + Math.random() * (most - least);
}

/**
 * Runs in the page: checks what each frame shows of the last answer. A resize observer runs after the updates of
 * the frame and before it is painted; the probe changes its size to call it.
 */
function watchTokens() {
  window.tokens = { shown: 0, checks: 0, wrong: 0 };
  const check = () => {
    const body = [...document.querySelectorAll("#thread article.agent .body")].at(-1);
    if (!body) return;
    const numbers = Array.from(body.textContent.matchAll(/t(\d+)/g), (match) => Number(match[1]));
    // The last token may be cut, as `t1` of `t12`.
    const at = numbers.slice(0, -1).findIndex((number, index) => number !== index + 1);
    window.tokens.shown = numbers.length;
    window.tokens.checks += 1;
    if (at < 0) return;
    window.tokens.wrong += 1;
    window.tokens.example ??= `${numbers.slice(Math.max(0, at - 2), at + 3).join(" ")}, of ${numbers.length}`;
  };
  const probe = document.createElement("div");
  probe.style.position = "absolute";
  new ResizeObserver(check).observe(probe);
  addEventListener("DOMContentLoaded", () => document.body.append(probe));
  let width = 0;
  new MutationObserver((changes) => {
    if (changes.some(({ target }) => target !== probe)) requestAnimationFrame(() => (probe.style.width = `${(width = 3 - width)}px`));
  }).observe(document, { childList: true, subtree: true, characterData: true });
}
