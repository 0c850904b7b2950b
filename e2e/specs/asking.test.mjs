// Live search: a search continues at a remote hub, for agents that this hub may not replicate.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openTab } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { startHub } from "../lib/hub.mjs";
import { go, hubOfAda, signIn } from "../lib/walk.mjs";

/** Maximum number of agents that are replicated from a hub on probation. */
const QUOTA = 100;
const NETWORK = { PLEXUS_P2P_LISTEN: "127.0.0.1:0", PLEXUS_ALLOW_PRIVATE_NETWORKS: "true" };
const LATER = { timeout: 60_000 };

let near, far, browser, missing;
before(async () => {
  browser = await launch();
  far = await hubOfAda(browser, NETWORK);
  const published = await publish(QUOTA + 1);
  near = await startHub({ ...NETWORK, PLEXUS_P2P_BOOTSTRAP: far.log.match(/Hubs connect to (\S+)/)[1] });
  const carried = await untilCarried(QUOTA);
  missing = published.find((name) => !carried.includes(name));
});
after(async () => {
  await browser?.close();
  await near?.stop();
  await far?.stop();
});

/** Publishes this many federated agents and returns their names. */
async function publish(count) {
  const tab = await openTab(browser);
  await signIn(tab, far, "ada");
  const names = Array.from({ length: count }, (_, n) => `clerk${n}`);
  const statuses = await tab.page.evaluate(async (names) => {
    const statuses = [];
    for (const name of names) {
      const agent = { attached: true, name, summary: "Keeps a ledger.", visibility: "federated", access: "open" };
      const body = JSON.stringify(agent);
      const headers = { "content-type": "application/json" };
      statuses.push((await fetch("/api/v1/agents", { method: "POST", headers, body })).status);
    }
    return statuses;
  }, names);
  await tab.close();
  assert.deepEqual([...new Set(statuses)], [201]);
  return names;
}

/** Waits until the near hub has replicated `count` agents, and returns their names. */
async function untilCarried(count) {
  for (const until = Date.now() + LATER.timeout; Date.now() < until; ) {
    const { items } = await (await fetch(`${near.url}/api/v1/agents?scope=remote&limit=100`)).json();
    if (items.length >= count) return items.map(({ address }) => address.split(/[/@]/)[2]);
    await new Promise((wake) => setTimeout(wake, 100));
  }
  throw new Error(`${count} agents were not replicated in time:\n${near.log}`);
}

for (const [script, theme, width] of [["on", "light", 1280], ["no wasm", "dark", 390], ["off", "light", 390]]) {
  test(`other hubs are searched, script ${script}`, async () => {
    const tab = await openTab(browser, { script, theme, width });
    await go(tab, `${near.url}/agents?q=${missing}`);
    await tab.page.getByRole("heading", { name: "From other hubs" }).waitFor();
    if (script === "off") await tab.page.getByRole("link", { name: "Search other hubs" }).click();
    await tab.page.getByText("live search: 1 hub answered.").waitFor(LATER);
    const row = tab.page.locator(".others .row", { hasText: `@ada/${missing}@` });
    await row.getByText("Not replicated").waitFor();
    assert.equal(await row.locator("h3 a").count(), 0, "it has no page here");
    await checkPage(tab, `agents-asked-${script.replace(" ", "-")}`);
    await tab.close();
  });
}
