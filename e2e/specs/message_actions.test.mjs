// Actions on messages: edit and send again, another agent, fork, delete; with and without JavaScript.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openTab, SCRIPTS } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
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

for (const script of SCRIPTS) {
  test(`a message is edited and sent again, script ${script}`, async () => {
    const tab = await begin({ script });
    await act(tab, ".message.person", "Edit message");
    const line = tab.page.getByText("Editing your message.");
    await line.waitFor();
    assert.equal(await box(tab).inputValue(), "6 * 7");
    await checkPage(tab, "chat-edit");
    await tab.page.getByRole("link", { name: "Cancel" }).click();
    await line.waitFor({ state: "hidden" });
    assert.equal(await box(tab).inputValue(), "");
    await act(tab, ".message.person", "Edit message");
    await line.waitFor();
    await box(tab).fill("6 * 8");
    await press(tab, "Send");
    await says(tab, "48");
    await tab.page.getByText("Branch 2 of 2").waitFor();
    assert.equal(await tab.page.locator(".message").count(), 2);
    await tab.page.getByRole("link", { name: "Previous branch" }).click();
    await says(tab, "42");
    await tab.close();
  });

  test(`another agent, a fork and a deleted message, script ${script}`, async () => {
    const tab = await begin({ script, theme: "dark", width: 390 });
    const chat = new URL(tab.page.url()).pathname;
    await more(tab, ".message.agent");
    await tab.page.getByRole("link", { name: "Ask another agent" }).click();
    await tab.page.getByRole("heading", { name: "Ask another agent" }).waitFor();
    await checkPage(tab, "chat-retry");
    await tab.page.getByRole("button", { name: /^Ask guide/ }).click();
    await tab.page.getByText("Answer 2 of 2").waitFor();
    await go(tab, hub.url + chat);
    await ready(tab);
    await more(tab, ".message.agent");
    await press(tab, /^Fork chat/);
    await tab.page.getByText("This is a new chat").waitFor();
    assert.notEqual(new URL(tab.page.url()).pathname, chat);
    await ready(tab);
    await checkPage(tab, "chat-forked");
    await more(tab, ".message.person");
    await tab.page.getByRole("link", { name: /^Delete/ }).last().click();
    await checkPage(tab, "chat-delete-message");
    await press(tab, "Delete permanently");
    await tab.page.getByText("This message was deleted.").waitFor();
    await tab.close();
  });
}

const box = (tab) => tab.page.locator("#composer-text");

/** Opens a tab with Ada signed in, at a chat with one answer. */
async function begin(mode) {
  const tab = await openTab(browser, mode);
  await signIn(tab, hub, "ada");
  await go(tab, `${hub.url}/chat?to=@plexus/calc`);
  await tab.islands();
  await send(tab, "6 * 7");
  await answered(tab);
  if (mode.script !== "on") await go(tab, tab.page.url().replace("?follow", ""));
  await ready(tab);
  return tab;
}

async function ready(tab) {
  if (tab.mode.script === "on") await tab.islands();
}

/** Shows the actions of the first message of this kind. */
async function more(tab, kind) {
  const message = tab.page.locator(kind).first();
  await message.hover();
  await message.locator("details.menu > summary").click();
}

async function act(tab, kind, name) {
  const message = tab.page.locator(kind).first();
  await message.hover();
  await message.getByRole("link", { name }).click();
}
