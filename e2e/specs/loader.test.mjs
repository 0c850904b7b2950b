// A page whose files fail to load shows that, retries, and catches up with events of the meantime.
// One test takes 20 seconds: as long as its file is delayed.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { launch, openTab } from "../lib/browser.mjs";
import { accessible, fits } from "../lib/checks.mjs";
import { faults, startHubBehindProxy } from "../lib/proxy.mjs";
import { answered, go, says, send, signIn, signUp } from "../lib/walk.mjs";

let hub, browser, proxy;
before(async () => {
  [browser, { hub, proxy }] = await Promise.all([launch(), startHubBehindProxy()]);
  const tab = await openTab(browser);
  await signUp(tab, hub.adminLink, "ada");
  await tab.close();
});
afterEach(() => proxy.mend());
after(async () => {
  await browser?.close();
  await hub?.stop();
  await proxy?.stop();
});

const NOT_LIVE = "This page is not live yet.";
/** Longer than the time after which the loader reports a slow page. */
const LATE = faults.late(6_000);

/** Milliseconds within which the page says that it is not live: 3 s, and those of the start of the page. */
const NOTICED = 5_000;

/** What is broken, how, and what the page shows meanwhile; null if nothing is lost for the reader. */
const CASES = [
  ["the module is refused", /plexus\.js/, faults.refused, NOT_LIVE],
  ["the module is cut", /plexus\.js/, faults.cut, NOT_LIVE],
  ["the module is missing", /plexus\.js/, faults.missing, "This hub runs a newer version than this page."],
  ["the module is unavailable", /plexus\.js/, faults.unavailable, NOT_LIVE],
  ["the module is late", /plexus\.js/, LATE, NOT_LIVE],
  ["the wasm is refused", /\.wasm/, faults.refused, NOT_LIVE],
  ["the wasm is cut", /\.wasm/, faults.cut, NOT_LIVE],
  ["the wasm is missing", /\.wasm/, faults.missing, "This hub runs a newer version than this page."],
  ["the wasm is unavailable", /\.wasm/, faults.unavailable, NOT_LIVE],
  ["the wasm is late", /\.wasm/, LATE, NOT_LIVE],
  ["site.js is refused", /site\.js/, faults.refused, null],
  ["site.js is unavailable", /site\.js/, faults.unavailable, null],
  ["the worker is refused", /events\.js/, faults.refused, null],
  ["the worker is missing", /events\.js/, faults.missing, null],
  ["the stream is refused", /v1\/events/, faults.refused, "The connection to the hub is lost."],
  ["the stream is unavailable", /v1\/events/, faults.unavailable, "The connection to the hub is lost."],
];

for (const [name, pattern, fault, words] of CASES) {
  test(`a chat becomes live after a while: ${name}`, async () => {
    const tab = await openChat();
    const broken = proxy.break(pattern, fault);
    await tab.page.reload({ waitUntil: "commit" });
    await broken;
    if (words) await tab.page.getByText(words).filter({ visible: true }).first().waitFor({ timeout: NOTICED });
    await sendFromAnotherTab(tab, "2 ^ 10");
    proxy.mend();
    await isLive(tab);
    assert.deepEqual(await questions(tab), ["6 * 7", "2 ^ 10"]);
    await send(tab, "2 ^ 11");
    await says(tab, "2048");
    await tab.close();
  });
}

test("a page that cannot load its files for 20 seconds keeps the draft, and becomes live by itself", async () => {
  const tab = await openChat();
  proxy.break(/\.wasm/, faults.late(20_000));
  await tab.page.reload({ waitUntil: "commit" });
  await tab.page.locator("#composer-text").fill("a draft");
  await tab.page.getByText(NOT_LIVE).waitFor({ timeout: 30_000 });
  await tab.picture("not-live");
  await accessible(tab.page);
  await fits(tab.page);
  proxy.mend();
  await isLive(tab, 40_000);
  assert.equal(await tab.page.locator("#composer-text").inputValue(), "a draft");
  await tab.close();
});

test("an outdated page keeps its draft through the reload that it offers", async () => {
  const tab = await openChat();
  proxy.break(/plexus\.js/, faults.missing);
  await tab.page.reload({ waitUntil: "commit" });
  await tab.page.locator("#composer-text").fill("2 ^ 5");
  await tab.page.getByText("This hub runs a newer version than this page.").waitFor({ timeout: 30_000 });
  await Promise.all([tab.page.waitForEvent("framenavigated"), tab.page.getByRole("link", { name: "Reload the page" }).click()]);
  proxy.mend();
  await isLive(tab);
  assert.equal(await tab.page.locator("#composer-text").inputValue(), "2 ^ 5");
  await tab.page.getByRole("button", { name: "Send" }).click();
  await says(tab, "32");
  await tab.page.reload({ waitUntil: "commit" });
  await tab.islands();
  assert.equal(await tab.page.locator("#composer-text").inputValue(), "", "what was sent is no draft any more");
  await tab.close();
});

test("a draft is not shown to the next account of the browser", async () => {
  const tab = await openTab(browser);
  await signIn(tab, hub, "ada");
  await go(tab, `${hub.url}/chat?to=@plexus/calc`);
  await tab.page.locator("#composer-text").fill("a secret");
  await tab.context.clearCookies();
  await signUp(tab, `${hub.url}/signup`, "bob");
  await go(tab, `${hub.url}/chat?to=@plexus/calc`);
  await tab.islands();
  assert.equal(await tab.page.locator("#composer-text").inputValue(), "");
  await tab.close();
});

for (const moment of ["before", "during", "after"]) {
  test(`a browser that is offline ${moment} the module loads becomes live when it is back`, async () => {
    const tab = await openChat();
    const loading = moment === "during" && proxy.break(/\.wasm/, faults.late(1_000));
    await tab.page.reload({ waitUntil: "commit" });
    await loading;
    if (moment === "after") await tab.islands();
    await tab.context.setOffline(true);
    const other = await openTab(browser);
    await signIn(other, hub, "ada");
    await go(other, tab.page.url());
    await other.islands();
    await send(other, "2 ^ 10");
    await says(other, "1024");
    await other.close();
    await tab.context.setOffline(false);
    await isLive(tab);
    assert.deepEqual(await questions(tab), ["6 * 7", "2 ^ 10"]);
    await tab.close();
  });
}

test("a page without islands loads its script again when it was refused", async () => {
  const tab = await openTab(browser);
  tab.expect(/ERR_|status of/);
  await signIn(tab, hub, "ada");
  const broken = proxy.break(/site\.js/, faults.refused);
  await go(tab, `${hub.url}/`);
  await broken;
  proxy.mend();
  await tab.page.locator('html[data-site="ready"]').waitFor({ state: "attached", timeout: 40_000 });
  await tab.close();
});

/** Opens Ada's tab with a chat of one answered question, with its islands running. */
async function openChat() {
  const tab = await openTab(browser);
  tab.expect(/ERR_|status of|EventSource|Failed to fetch|dynamically imported|SharedWorker|worker/i);
  await signIn(tab, hub, "ada");
  await go(tab, `${hub.url}/chat?to=@plexus/calc`);
  await tab.islands();
  await send(tab, "6 * 7");
  await answered(tab);
  return tab;
}

/** Sends over the API, since the scripts of pages are broken here. */
async function sendFromAnotherTab(tab, text) {
  const chat = `${hub.url}/api/v1/chats/${new URL(tab.page.url()).pathname.split("/").at(-1)}`;
  const { messages } = await (await tab.context.request.get(chat)).json();
  const answer = await tab.context.request.post(`${chat}/messages`, {
    data: { id: uuidv7(), parent: messages.at(-1).id, text },
    headers: { origin: hub.url },
  });
  assert.ok(answer.ok(), await answer.text());
}

/** Returns a UUIDv7 (RFC 9562, section 5.7). */
function uuidv7() {
  const time = Date.now().toString(16).padStart(12, "0");
  const random = crypto.randomUUID().slice(15);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random}`;
}

async function isLive(tab, timeout = 40_000) {
  await tab.page.locator('html[data-islands="ready"]').waitFor({ state: "attached", timeout });
  await tab.page.getByText("1024").or(tab.page.getByText("42")).last().waitFor();
  await saysNothingOrBack(tab.page.locator("#page-status"), /This page is live now/, timeout);
  await saysNothingOrBack(tab.page.locator(".offline"), /The connection to the hub is back/, timeout);
}

async function saysNothingOrBack(notice, back, timeout) {
  const nothing = notice.filter({ visible: false });
  await nothing.or(notice.filter({ hasText: back })).first().waitFor({ state: "attached", timeout });
}

async function questions(tab) {
  await tab.page.locator("#thread article.agent").nth(1).waitFor({ timeout: 40_000 });
  return tab.page.locator("#thread article:not(.agent) .body").allInnerTexts();
}
