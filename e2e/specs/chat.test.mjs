// Chat with the built-in calculator: streaming, reload, a second tab, a killed hub, no JavaScript.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openTab, SCRIPTS } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { answered, chatOf, countsUp, go, hubOfAda, says, send, signIn, textOf } from "../lib/walk.mjs";

const LINES = 20_000;
/** The lines are numbered, so that gaps and duplicates are detected. */
const SHEET = Array.from({ length: LINES }, (_, index) => `${index + 1} + 0`).join("\n");
const RESULT = /^(\d+) \+ 0 += /gm;

let hub, browser;
before(async () => {
  browser = await launch();
  hub = await hubOfAda(browser);
});
after(async () => {
  await browser?.close();
  await hub?.stop();
});

for (const script of SCRIPTS) {
  test(`a question and its answer, script ${script}`, async () => {
    const tab = await begin({ script });
    await send(tab, "120 km / (1.5 hours) to m/s");
    assert.match(await answered(tab), /22\.2/);
    await checkPage(tab, "chat");
    await send(tab, "2 ^ 10");
    await says(tab, "1024");
    await tab.close();
  });

  test(`a reload in mid-answer shows every line once, script ${script}`, async () => {
    const tab = await begin({ script });
    await send(tab, SHEET);
    await says(tab, /= 32\b/);
    await tab.page.reload({ waitUntil: "commit" });
    await says(tab, /= 64\b/);
    await whole(tab);
    await tab.close();
  });
}

for (const [script, theme, width] of [["on", "light", 1280], ["off", "dark", 390]]) {
  test(`a starred agent comes first where a chat begins, script ${script}`, async () => {
    const tab = await openTab(browser, { script, theme, width });
    await signIn(tab, hub, "ada");
    await go(tab, `${hub.url}/agents?starred=true`);
    await tab.page.getByRole("heading", { name: "No stars yet" }).waitFor();
    await checkPage(tab, "starred-none");
    await go(tab, `${hub.url}/@plexus/guide/skills`);
    await turnStar(tab, false);
    await checkPage(tab, "agent-starred");
    await go(tab, `${hub.url}/agents`);
    await tab.page.getByRole("link", { name: "Starred", exact: true }).click();
    await tab.page.getByRole("main").getByRole("link", { name: "guide", exact: true }).waitFor();
    await checkPage(tab, "starred");
    await go(tab, `${hub.url}/chat`);
    await tab.page.getByRole("heading", { name: "Starred" }).waitFor();
    const starred = tab.page.locator(".list-head:has(h2:text-is('Starred')) + .rows h3 a");
    assert.deepEqual(await starred.allInnerTexts(), ["guide"]);
    assert.equal(await tab.page.locator(".choice h3 a", { hasText: "guide" }).count(), 1);
    await checkPage(tab, "chat-new-starred");
    await go(tab, `${hub.url}/@plexus/guide`);
    await turnStar(tab, true);
    await tab.close();
  });
}

test("a second tab sees the same answer while it is written", async () => {
  const tab = await begin();
  await send(tab, SHEET);
  await says(tab, /= 32\b/);
  const second = await tab.beside();
  await go(second, tab.page.url());
  await says(second, /= 32\b/);
  await Promise.all([whole(tab), whole(second)]);
  await tab.close();
});

test("closing the browser does not stop the answer", async () => {
  const tab = await begin();
  await send(tab, SHEET);
  await says(tab, /= 32\b/);
  const path = chatOf(tab);
  await tab.close();
  const later = await openTab(browser);
  await signIn(later, hub, "ada");
  await go(later, hub.url + path);
  await whole(later);
  await later.close();
});

test("a hub that is killed in mid-answer keeps what was written and says that it ended early", async () => {
  const tab = await begin();
  tab.expect(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|EventSource/);
  await send(tab, SHEET);
  await says(tab, /= 64\b/);
  await hub.kill();
  await hub.start();
  await tab.page.reload({ waitUntil: "commit" });
  await answered(tab, "failed");
  const lines = countsUp(await textOf(tab), RESULT);
  assert.ok(lines >= 32 && lines < LINES, `${lines} lines were kept`);
  await checkPage(tab, "chat-failed");
  await tab.close();
});

/** Opens a tab with Ada signed in, at a new chat with the calculator. */
async function begin(mode) {
  const tab = await openTab(browser, mode);
  await signIn(tab, hub, "ada");
  await go(tab, `${hub.url}/chat?to=@plexus/calc`);
  await tab.islands();
  return tab;
}

/** Toggles the star on an agent's page, and waits for the page with the new state. */
async function turnStar(tab, pressed) {
  const star = (is) => tab.page.getByRole("button", { name: is ? "Starred" : "Star", exact: true, pressed: is });
  await star(pressed).click();
  await star(!pressed).waitFor();
}

async function whole(tab) {
  assert.equal(countsUp(await answered(tab), RESULT), LINES);
}
