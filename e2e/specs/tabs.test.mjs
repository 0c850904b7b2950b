// The tabs of one browser share one event stream: eight of them, all streaming at once.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startLighthouse } from "../lib/agents.mjs";
import { launch, openTab } from "../lib/browser.mjs";
import { freePort } from "../lib/process.mjs";
import { answered, countsUp, go, hubOfAda, press, register, says, send, signIn } from "../lib/walk.mjs";

/** More than the six connections that HTTP/1.1 allows a browser per hub. */
const TABS = 8;
/** Long enough that all answers are in progress at once. */
const FLASHES = 300;

let hub, browser, lighthouse, metrics;
before(async () => {
  metrics = `http://127.0.0.1:${await freePort()}`;
  [browser, lighthouse] = await Promise.all([launch(), startLighthouse("--delay", "0.03")]);
  hub = await hubOfAda(browser, { PLEXUS_METRICS_LISTEN: new URL(metrics).host });
  const tab = await openTab(browser);
  await signIn(tab, hub, "ada");
  await register(tab, hub, lighthouse.url);
  await tab.close();
});
after(async () => {
  await browser?.close();
  await Promise.all([hub?.stop(), lighthouse?.stop()]);
});

test("eight tabs stream at once over one stream, and go on when the first is closed", async (t) => {
  const tabs = await openTabs(t, TABS);
  await Promise.all(tabs.map((tab) => says(tab, /\b20\b/)));
  await hasStreams(1);
  assert.deepEqual(await Promise.all(tabs.map(isAnswering)), tabs.map(() => true));
  await tabs[0].page.close();
  await Promise.all(tabs.slice(1).map(whole));
  await hasStreams(1);
});

test("two tabs of one chat and one of another are each told what is theirs", async (t) => {
  const [one, other] = await openTabs(t, 2);
  await says(one, /\b20\b/);
  const twin = await one.beside();
  await go(twin, one.page.url());
  await Promise.all([whole(one), whole(other), whole(twin)]);
  await hasStreams(1);
});

test("a browser without shared workers has a stream for each tab", async (t) => {
  const prepare = (context) => context.addInitScript(() => delete window.SharedWorker);
  const [one, other] = await openTabs(t, 2, { prepare });
  await Promise.all([says(one, /\b20\b/), says(other, /\b20\b/)]);
  await hasStreams(2);
  await Promise.all([whole(one), whole(other)]);
});

test("a tab whose chat is deleted in another says so, and the others go on", async (t) => {
  const [one, other] = await openTabs(t, 2, { text: "hello" });
  await Promise.all([answered(one), answered(other)]);
  const twin = await one.beside();
  await go(twin, `${one.page.url()}/delete`);
  await press(twin, "Delete chat");
  await go(twin, other.page.url());
  await one.page.getByText("This chat was deleted or you no longer have access.").waitFor();
  await send(other, "hello");
  await answered(other);
  assert.equal(await other.page.locator(".offline").isVisible(), false);
});

/** Waits until the number of open streams is `count`: a page may show text before its own stream is open. */
async function hasStreams(count) {
  const until = Date.now() + 10_000;
  let open = await openStreams();
  while (open !== count && Date.now() < until) {
    open = await openStreams();
  }
  assert.equal(open, count);
}

/** Opens tabs of one browser in which Ada has just asked for a long answer, each in its own chat. */
async function openTabs(t, count, { prepare = async () => {}, text = `count to ${FLASHES}` } = {}) {
  const first = await openTab(browser);
  t.after(() => first.close());
  await prepare(first.context);
  await signIn(first, hub, "ada");
  const tabs = [first];
  while (tabs.length < count) tabs.push(await first.beside());
  for (const tab of tabs) {
    await go(tab, `${hub.url}/chat?to=@ada/lighthouse-keeper`);
    await tab.islands();
  }
  await Promise.all(tabs.map((tab) => send(tab, text)));
  return tabs;
}

const isAnswering = async (tab) => (await tab.page.locator("#thread article[aria-busy]").count()) === 1;

async function whole(tab) {
  assert.equal(countsUp(await answered(tab), /(\d+)/g), FLASHES);
}

async function openStreams() {
  const text = await (await fetch(`${metrics}/metrics`)).text();
  return Number(text.match(/^plexus_event_streams_open (\S+)/m)?.[1] ?? 0);
}
