// Lighthouse's performance score of a chat of 130 turns, on its phone and on its desktop.
//   PLEXUS_BINARY=target/release/plexus node e2e/bench/lighthouse.mjs
// Its packages are in a folder of their own, because no test needs them (scripts/setup bench).

import { existsSync } from "node:fs";
import { join } from "node:path";
import { launch } from "../lib/browser.mjs";
import { freePort } from "../lib/process.mjs";
import { startWithChat } from "./lib/long_chat.mjs";
import { heading, numberOf, percentile, row, whole } from "./lib/report.mjs";

const TURNS = numberOf("PLEXUS_BENCH_TURNS", 130);
const RUNS = numberOf("PLEXUS_BENCH_RUNS", 5);

if (!existsSync(join(import.meta.dirname, "lighthouse/node_modules"))) {
  console.log("\nLighthouse: skipped, its packages are missing (scripts/setup bench)");
} else {
  const bench = await startWithChat(TURNS * 2);
  try {
    await measure(bench);
  } finally {
    await bench.stop();
  }
}

async function measure({ hub, path, storageState }) {
  const { audit } = await import("./lighthouse/audit.mjs");
  const columns = ["device", "score (worst)", "first paint ms", "largest paint ms", "speed index ms", "blocked ms", "layout shift", "below 90"];
  heading(`Lighthouse on a chat of ${TURNS} turns, median of ${RUNS} runs`, columns);
  for (const device of ["phone", "desktop"]) {
    const runs = [];
    for (let run = 0; run < RUNS; run += 1) runs.push(await withBrowser(storageState, (port) => audit(hub.url + path, port, device)));
    if (runs.some((run) => run.path !== path)) throw new Error(`${runs[0].path} was audited instead of ${path}`);
    const of = (value, share = 0.5) => percentile(runs.map(value), share);
    const [first, largest, index, blocked, shift] = runs[0].metrics.map((_, metric) => of((run) => run.metrics[metric]));
    row([device, `${whole(of((run) => run.score))} (${whole(of((run) => run.score, 0))})`, ...[first, largest, index, blocked].map(whole), shift.toFixed(3), runs[0].weak.join("; ")]);
  }
}

/** Calls `act` with the debugging port of a fresh browser that has the session. */
async function withBrowser({ cookies }, act) {
  const port = await freePort();
  const browser = await launch([`--remote-debugging-port=${port}`]);
  try {
    const session = await browser.newBrowserCDPSession();
    await session.send("Storage.setCookies", { cookies: cookies.map(({ name, value, domain, path, httpOnly }) => ({ name, value, domain, path, httpOnly })) });
    return await act(port);
  } finally {
    await browser.close();
  }
}
