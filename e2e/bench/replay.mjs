// Benchmark of the memory of a page that shows a very long stream: the JavaScript heap after a collection, when
// the first hundredth of the tokens has arrived, in the middle, and at the end.
//   PLEXUS_BINARY=target/release/plexus PLEXUS_BENCH_TOKENS=5000000 node e2e/bench/replay.mjs
// The stream is several answers: one may have 4 MiB, and the page lays out a longer answer more slowly.

import { answered, go } from "../lib/walk.mjs";
import { beginChat, openBrowser, post, startBench } from "./lib/hub.mjs";
import { heading, mebibytes, numberOf, row } from "./lib/report.mjs";

const TOKENS = numberOf("PLEXUS_BENCH_TOKENS", 100_000);
/** Tokens per second that a page follows without falling behind. */
const RATE = numberOf("PLEXUS_BENCH_TOKENS_PER_SECOND", 2_000);
const PER_ANSWER = Math.min(20_000, Math.ceil(TOKENS / 2));
const ANSWERS = Math.ceil(TOKENS / PER_ANSWER);

let sent = 0;
// The context is small, so that the answers are not sent to the model server each time.
const bench = await startBench((text) => ({ tokens: counted(text === "stream" ? PER_ANSWER : 5), rate: RATE }), { PLEXUS_LLM_CONTEXT_TOKENS: "2048" });
try {
  await measure();
} finally {
  await bench.stop();
}

async function measure() {
  const tab = await openBrowser(bench.storageState);
  const { page } = tab;
  await tab.session.send("HeapProfiler.enable");
  await go(tab, bench.hub.url + (await beginChat(tab, bench.hub, "hello")));
  await page.locator('html[data-islands="ready"]').waitFor({ state: "attached" });
  await answered(tab);
  heading(`A page that shows ${ANSWERS} answers of ${PER_ANSWER} tokens`, ["tokens shown", "JavaScript heap MiB", "against 1 %", "heap of the DOM MiB", "buffers and wasm MiB", "DOM nodes"]);
  sent = 0;
  const points = [0.01, 0.5].map((share) => share * TOKENS);
  let first;
  for (let answer = 1; answer <= ANSWERS; answer += 1) {
    await post(tab, "stream");
    while (sent < answer * PER_ANSWER) {
      await page.waitForTimeout(50);
      if (sent < (points[0] ?? Infinity)) continue;
      points.shift();
      first = await show(tab, first);
    }
    await answered(tab);
  }
  await show(tab, first);
  const last = await page.evaluate(() => [...document.querySelectorAll("#thread article.agent .body")].at(-1).textContent.trimEnd().endsWith(" z"));
  if (!last) throw new Error("the end of the last answer is not shown");
  await tab.stop();
}

/** Prints a row of the memory now. Returns the heap at the first row. */
async function show({ session }, first) {
  const moment = sent;
  for (let round = 0; round < 2; round += 1) await session.send("HeapProfiler.collectGarbage");
  const { usedSize, embedderHeapUsedSize, backingStorageSize } = await session.send("Runtime.getHeapUsage");
  const { nodes } = await session.send("Memory.getDOMCounters");
  const against = first ? `${(((usedSize - first) / first) * 100).toFixed(1)} %` : "";
  row([moment, mebibytes(usedSize), against, mebibytes(embedderHeapUsedSize ?? NaN), mebibytes(backingStorageSize ?? NaN), nodes]);
  return first ?? usedSize;
}

/** Counts what was sent. Every tenth token ends a paragraph, the last one is `z`. */
function* counted(count) {
  for (let n = 1; n <= count; n += 1) {
    sent += 1;
    if (n === count) yield "z\n\n";
    else yield n % 10 === 0 ? `t${n}\n\n` : `t${n} `;
  }
}
