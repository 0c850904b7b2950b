// A chat of several pages: older messages, the way back, and where the next message goes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openTab } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { answered, api, askAll, go, hubOfAda, press, says, send, signIn, writeChat } from "../lib/walk.mjs";

/** More questions than fit on two pages of 60 messages, answers included. */
const QUESTIONS = 62;
/** More questions than a page keeps, answers included. */
const MANY = 44;

let hub, browser;
before(async () => {
  browser = await launch();
  hub = await hubOfAda(browser);
});
after(async () => {
  await browser?.close();
  await hub?.stop();
});

const MODES = [
  { script: "on", theme: "light", width: 1280 },
  { script: "no wasm", theme: "dark", width: 390 },
  { script: "off", theme: "light", width: 390 },
];

for (const mode of MODES) {
  test(`a message from a page of older messages goes to the end of the chat, script ${mode.script}`, async () => {
    const tab = await openTab(browser, mode);
    await signIn(tab, hub, "ada");
    const path = await writeChat(tab, hub, QUESTIONS);
    await open(tab, path);
    await page(tab, "Older messages");
    await page(tab, "Older messages");
    assert.equal(await lastQuestion(tab), "2 + 0");
    await checkPage(tab, "chat-older");
    await page(tab, "Newer messages");
    assert.equal(await lastQuestion(tab), "32 + 0");
    await tab.islands();
    await send(tab, "777 + 1");
    await tab.page.locator(".message.person", { hasText: "777 + 1" }).waitFor();
    assert.equal(await tab.page.getByText("Newest messages").count(), 0);
    await says(tab, /778/);
    if (mode.script !== "on") await open(tab, path);
    await tab.page.locator(".message.person", { hasText: "777 + 1" }).waitFor();
    assert.deepEqual((await questions(tab)).slice(-3), ["61 + 0", "62 + 0", "777 + 1"]);
    assert.equal(await tab.page.getByText(/Branch \d of/).count(), 0);
    await page(tab, "Older messages");
    await page(tab, "Newest messages");
    assert.equal(await lastQuestion(tab), "777 + 1");
    await tab.close();
  });
}

test("a page that stays open shows the newest messages and links to the others", async () => {
  const tab = await openTab(browser);
  await signIn(tab, hub, "ada");
  const path = await writeChat(tab, hub, 2);
  await open(tab, path);
  await askAll(tab, hub, path, 3, MANY);
  await tab.page.locator(".message.person", { hasText: `${MANY} + 0` }).waitFor();
  await tab.page.getByRole("link", { name: "Older messages" }).waitFor({ state: "attached" });
  const shown = await questions(tab);
  const from = MANY - shown.length + 1;
  assert.ok(from > 1, "all messages are kept");
  assert.deepEqual(shown, numbers(from, MANY));
  await checkPage(tab, "chat-trimmed");
  await page(tab, "Older messages");
  assert.deepEqual(await questions(tab), numbers(1, from - 1));
  await page(tab, "Newest messages");
  assert.equal(await lastQuestion(tab), `${MANY} + 0`);
  await tab.close();
});

test("a reader who scrolled up keeps the messages until the end is shown again", async () => {
  const tab = await openTab(browser);
  await signIn(tab, hub, "ada");
  const path = await writeChat(tab, hub, 10);
  await open(tab, path);
  await tab.page.mouse.move(600, 300);
  await tab.page.mouse.wheel(0, -100_000);
  await tab.page.waitForFunction(() => scrollY === 0);
  await askAll(tab, hub, path, 11, MANY);
  await tab.page.locator(".message.person", { hasText: `${MANY} + 0` }).waitFor({ state: "attached" });
  assert.deepEqual(await questions(tab), numbers(1, MANY));
  assert.equal(await tab.page.evaluate(() => scrollY), 0);
  await press(tab, "Jump to latest");
  await tab.page.getByRole("link", { name: "Older messages" }).waitFor({ state: "attached" });
  assert.equal(await lastQuestion(tab), `${MANY} + 0`);
  assert.ok((await questions(tab)).length < MANY);
  await tab.close();
});

test("a form that was loaded before the chat continued sends nothing, keeps its text and shows the rest", async () => {
  const tab = await openTab(browser, { script: "off" });
  tab.expect(/409/);
  await signIn(tab, hub, "ada");
  const path = await writeChat(tab, hub, 1);
  await go(tab, hub.url + path);
  const other = await tab.beside();
  await go(other, hub.url + path);
  await send(other, "2 + 2");
  await answered(other);
  await tab.page.locator("#composer-text").fill("3 + 3");
  await press(tab, "Send");
  await tab.page.getByText("The chat has continued after this message.").waitFor();
  assert.equal(await tab.page.locator("#composer-text").inputValue(), "3 + 3");
  assert.equal(await lastQuestion(tab), "2 + 2");
  await press(tab, "Send");
  await tab.page.getByText("= 6").waitFor();
  await tab.close();
});

for (const script of ["on", "off"]) {
  test(`another branch is shown where it begins and left by one click, script ${script}`, async () => {
    const tab = await openTab(browser, { script });
    await signIn(tab, hub, "ada");
    const path = await writeChat(tab, hub, 3);
    await fork(tab, path);
    await open(tab, path);
    assert.deepEqual(await questions(tab), ["1 + 0", "5 + 5"]);
    const begins = tab.page.locator(".message.person").last();
    await begins.getByText("Branch 2 of 2").waitFor();
    await checkPage(tab, "chat-branch");
    await begins.getByRole("link", { name: "Previous branch" }).click();
    await tab.page.getByText("Branch 1 of 2").waitFor();
    assert.deepEqual(await questions(tab), ["1 + 0", "2 + 0", "3 + 0"]);
    await tab.close();
  });
}

async function open(tab, path) {
  await go(tab, hub.url + path);
  await tab.islands();
}

/** Follows a link to another page of the chat. */
async function page(tab, name) {
  const before = tab.page.url();
  await tab.page.getByRole("link", { name, exact: true }).click();
  await tab.page.waitForURL((url) => url.href !== before);
  await tab.islands();
}

/** Begins another branch below the first answer. */
async function fork(tab, path) {
  const chat = path.replace("/chat/", "/chats/");
  const { messages } = await api(tab, hub, "GET", chat);
  const message = { id: crypto.randomUUID(), parent: messages[1].id, fork: true, text: "5 + 5" };
  await api(tab, hub, "POST", `${chat}/messages`, message);
}

async function questions(tab) {
  return tab.page.locator(".message.person .body").allTextContents();
}

function numbers(from, to) {
  return Array.from({ length: to - from + 1 }, (_, index) => `${from + index} + 0`);
}

async function lastQuestion(tab) {
  return (await questions(tab)).at(-1);
}
