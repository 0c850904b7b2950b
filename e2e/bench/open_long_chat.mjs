// Benchmark of opening a chat of 20,000 messages with a cold cache: the response, the first paint, when the
// input accepts text, and layout shift. Beside it the same for a chat of two messages, on a desktop and on a phone.
//   PLEXUS_BINARY=target/release/plexus node e2e/bench/open_long_chat.mjs

import { startWithChat } from "./lib/long_chat.mjs";
import { heading, numberOf, percentile, row, whole } from "./lib/report.mjs";
import { PHONE, visit } from "./lib/visit.mjs";

const MESSAGES = numberOf("PLEXUS_BENCH_MESSAGES", 20_000);
const RUNS = numberOf("PLEXUS_BENCH_RUNS", 7);

const columns = ["chat", "device", "response ms", "first paint ms", "input takes text ms (worst)", "layout shift", "KB transferred"];
heading(`Opening a chat cold, median of ${RUNS} runs`, columns);
await measure("floor: 2 messages", 2);
await measure(`${MESSAGES} messages`, MESSAGES);

async function measure(name, messages) {
  const bench = await startWithChat(messages);
  try {
    for (const [device, conditions] of [["desktop", {}], ["phone", PHONE]]) {
      const runs = [];
      for (let run = 0; run < RUNS; run += 1) runs.push(await visit(bench.storageState, bench.hub.url + bench.path, conditions));
      const { shift } = await visit(bench.storageState, bench.hub.url + bench.path, { ...conditions, types: false });
      show(name, device, runs, shift);
    }
  } finally {
    await bench.stop();
  }
}

function show(name, device, runs, shift) {
  const of = (value, share = 0.5) => percentile(runs.map(value), share);
  row([
    name,
    device,
    whole(of((run) => run.responded)),
    whole(of((run) => run.painted)),
    `${whole(of((run) => run.usable))} (${whole(of((run) => run.usable, 1))})`,
    shift.toFixed(3),
    whole(of((run) => run.bytes) / 1024),
  ]);
}
