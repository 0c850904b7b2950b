// Temporary chats, commands in the message field, and answers side by side.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, nameOf, openTab, PAIRED_MODES, SCRIPTS } from "../lib/browser.mjs";
import { accessible, checkPage } from "../lib/checks.mjs";
import { answered, go, hubOfAda, press, says, send, signIn } from "../lib/walk.mjs";

let hub, browser;
before(async () => {
  browser = await launch();
  hub = await hubOfAda(browser);
});
after(async () => {
  await browser?.close();
  await hub?.stop();
});

for (const mode of PAIRED_MODES) {
  test(`a temporary chat is begun and kept, ${nameOf(mode)}`, async () => {
    const tab = await openTab(browser, mode);
    await signIn(tab, hub, "ada");
    await go(tab, `${hub.url}/chat?to=@plexus/calc`);
    await ready(tab);
    await tab.page.getByRole("link", { name: "Temporary chat" }).click();
    await tab.page.getByText("deleted 24 hours after its last message").waitFor();
    await checkPage(tab, "chat-temporary-new");
    await tab.islands();
    await send(tab, "6 * 7");
    await answered(tab);
    await withoutStream(tab);
    await tab.page.getByText("Deleted 24 hours after its last message.").waitFor();
    await tab.page.getByRole("heading", { name: "Temporary chat" }).waitFor();
    const chat = new URL(tab.page.url()).pathname;
    assert.equal(await listed(tab, chat).count(), 0);
    await checkPage(tab, "chat-temporary");
    await press(tab, "Keep chat");
    await tab.page.getByText("Chat kept.").waitFor();
    await tab.page.getByRole("heading", { name: "6 * 7" }).waitFor();
    assert.equal(await listed(tab, chat).count(), 1);
    assert.equal(await tab.page.getByRole("button", { name: "Keep chat" }).count(), 0);
    await tab.close();
  });
}

for (const script of SCRIPTS) {
  test(`an example message begins a temporary chat, script ${script}`, async () => {
    const tab = await openTab(browser, { script });
    await signIn(tab, hub, "ada");
    await go(tab, `${hub.url}/chat?temporary=yes`);
    await ready(tab);
    await tab.page.locator(".choice").getByRole("link", { name: "Calc" }).first().click();
    await tab.page.waitForURL(/temporary=yes/);
    await tab.page.locator(".starters button").first().click();
    await answered(tab);
    await withoutStream(tab);
    await tab.page.getByText("Deleted 24 hours after its last message.").waitFor();
    await go(tab, `${tab.page.url()}/delete`);
    await tab.page.getByText("cannot be restored").waitFor();
    await checkPage(tab, "chat-temporary-delete");
    await press(tab, "Delete chat");
    await tab.page.getByText("Chat deleted permanently.").waitFor();
    await tab.close();
  });
}

test("commands are chosen by keyboard", async () => {
  const tab = await begin({ theme: "dark" });
  const { keyboard } = tab.page;
  await box(tab).focus();
  await keyboard.type("/");
  await option(tab, "Retry the last answer").waitFor();
  assert.equal(await option(tab, /^Restore chat/).count(), 0, "only what applies is listed");
  assert.equal(await option(tab, /^Keep this/).count(), 0, "only what applies is listed");
  assert.notEqual(await option(tab, /^15% of 240/).count(), 0, "example messages are listed");
  await accessible(tab.page, "#composer");
  await tab.picture("chat-commands");
  await keyboard.type("ren");
  await option(tab, "Retry").waitFor({ state: "detached" });
  assert.equal(await box(tab).getAttribute("aria-activedescendant"), await option(tab, "Rename chat").getAttribute("id"));
  await keyboard.press("Enter");
  await tab.page.getByRole("heading", { name: "Rename chat" }).waitFor();
  await tab.page.goBack();
  await ready(tab);
  assert.equal(await box(tab).inputValue(), "", "the command is no part of the draft");

  await box(tab).focus();
  await keyboard.type("/edit");
  await option(tab, "Edit your last message").waitFor();
  await keyboard.press("Tab");
  await tab.page.getByText("Editing your message.").waitFor();
  assert.equal(await box(tab).inputValue(), "6 * 7");
  await keyboard.press("Escape");

  await keyboard.type("/search");
  await keyboard.press("Enter");
  await tab.page.getByRole("dialog", { name: "Search chats and agents" }).waitFor();
  await keyboard.press("Escape");
  await box(tab).focus();
  await keyboard.type("/short");
  await keyboard.press("Enter");
  await tab.page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await keyboard.press("Escape");
  await tab.close();
});

test("a command is chosen on a phone, and a message begins with a slash", async () => {
  const tab = await begin({ width: 390 });
  await box(tab).fill("/");
  await option(tab, "Pin chat").click();
  await tab.page.getByText("Chat pinned.").waitFor();
  await ready(tab);
  await box(tab).fill("/unp");
  await option(tab, "Unpin chat").waitFor();
  await checkPage(tab, "chat-commands-phone");
  // An example message is put in the place of what was typed.
  await box(tab).fill("first\n/");
  const example = option(tab, /^15% of 240/).first();
  const words = await example.locator(".name").textContent();
  await example.click();
  assert.equal(await box(tab).inputValue(), `first\n${words}`);
  // In the middle of a line, or with words after it, `/` is text.
  for (const text of ["a /re", "/re and more", "/usr/bin"]) {
    await box(tab).fill(text);
    assert.equal(await tab.page.getByRole("option").count(), 0, text);
  }
  await box(tab).fill("/nothing");
  assert.equal(await tab.page.getByRole("option").count(), 0);
  await press(tab, "Send");
  await tab.page.locator(".message.person").getByText("/nothing", { exact: true }).waitFor();
  await tab.close();
});

for (const mode of PAIRED_MODES) {
  test(`answers are compared, ${nameOf(mode)}`, async () => {
    const tab = await begin(mode);
    await tab.page.locator(".message.agent details.menu > summary").last().click();
    await tab.page.getByRole("link", { name: "Compare with…" }).click();
    await tab.page.getByRole("heading", { name: "Compare with another agent" }).waitFor();
    await checkPage(tab, "chat-compare");
    await tab.page.getByRole("button", { name: /^Ask text/ }).click();
    // Without JavaScript the page that streams shows an answer as open until it is loaded again.
    if (mode.script === "off") await answered(tab);
    await withoutStream(tab);
    await tab.page.locator('.message.agent[data-branch="2"].done').waitFor({ timeout: 60_000 });
    const [first, second] = await Promise.all([1, 2].map((branch) => tab.page.locator(`.message[data-branch="${branch}"]`).boundingBox()));
    if (mode.width > 1000) assert.ok(second.x >= first.x + first.width && Math.abs(second.y - first.y) < 2, "in columns");
    else assert.ok(second.y >= first.y + first.height, "one below the other");
    await checkPage(tab, "chat-side-by-side");
    await tab.page.getByRole("button", { name: /^Continue with this one/ }).last().click();
    await tab.page.getByText("The chat continues with this answer.").waitFor();
    await tab.page.getByText("Answer 2 of 2").waitFor();
    assert.equal(await tab.page.locator(".message").count(), 2);
    assert.equal(await tab.page.getByRole("button", { name: /^Continue with this one/ }).count(), 0);
    await tab.close();
  });
}

const box = (tab) => tab.page.locator("#composer-text");
const option = (tab, name) => tab.page.getByRole("option", { name });
const listed = (tab, chat) => tab.page.locator(`#chats .recent a[href="${chat}"]`);

/** Opens a tab with Ada signed in, at a chat with one answer. */
async function begin(mode) {
  const tab = await openTab(browser, mode);
  await signIn(tab, hub, "ada");
  await go(tab, `${hub.url}/chat?to=@plexus/calc`);
  await tab.islands();
  await send(tab, "6 * 7");
  await answered(tab);
  await withoutStream(tab);
  return tab;
}

/** Opens the page of the chat again where it streams without JavaScript. */
async function withoutStream(tab) {
  if (tab.page.url().includes("?follow")) await go(tab, tab.page.url().replace("?follow", ""));
  await ready(tab);
}

/** Waits until the scripts of the page run. */
async function ready(tab) {
  await tab.page.waitForLoadState("load");
  await tab.islands();
}
