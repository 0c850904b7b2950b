// Search over chats, the search dialog, the list of agents in the composer, and pinned and archived chats.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openTab } from "../lib/browser.mjs";
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

const MODES = [
  { script: "on", theme: "light", width: 1280 },
  { script: "on", theme: "dark", width: 390 },
  { script: "off", theme: "dark", width: 1280 },
  { script: "off", theme: "light", width: 390 },
];
const ON = MODES.filter(({ script }) => script === "on");

for (const mode of MODES) {
  const name = `${mode.theme}, ${mode.width} px, script ${mode.script}`;

  test(`a message is found and opened, ${name}`, async () => {
    const tab = await begin(mode, "lighthouse = 3 m");
    await go(tab, `${hub.url}/chat/search`);
    await checkPage(tab, "chat-search-empty");
    await tab.page.getByLabel("Words in your chats").fill("lightho");
    await tab.page.getByRole("main").getByRole("button", { name: "Search", exact: true }).click();
    await tab.page.getByRole("heading", { name: "Messages" }).waitFor();
    await checkPage(tab, "chat-search");
    await tab.page.locator(".found", { hasText: "You, to calc" }).first().getByRole("link").click();
    await tab.page.locator(".message.person:target", { hasText: "lighthouse = 3 m" }).waitFor();
    await checkPage(tab, "chat-search-opened");
    await go(tab, `${hub.url}/chat/search?q=absent`);
    await tab.page.getByRole("heading", { name: "Nothing found" }).waitFor();
    await tab.close();
  });

  test(`a chat is pinned, archived and restored, ${name}`, async () => {
    const tab = await begin(mode, "1 + 1");
    const chat = new URL(tab.page.url()).pathname;
    await menu(tab, "Pin");
    await tab.page.getByText("Chat pinned.").waitFor();
    const item = tab.page.locator(`#chats li:has(a[href="${chat}"])`);
    assert.match(await item.getAttribute("class"), /pinned/);
    await checkPage(tab, "chat-pinned");
    await menu(tab, "Archive");
    await tab.page.getByText("Chat archived.").waitFor();
    assert.equal(await item.count(), 0);
    await go(tab, `${hub.url}/chat/archived`);
    await checkPage(tab, "chat-archived");
    await tab.page.locator(`.listed:has(a[href="${chat}"])`).getByRole("button", { name: /^Restore/ }).click();
    await tab.page.getByText("Chat restored to your list.").waitFor();
    assert.equal(await item.count(), 1);
    await menu(tab, "Unpin");
    await tab.page.getByText("Chat unpinned.").waitFor();
    await tab.close();
  });
}

for (const mode of ON) {
  const name = `${mode.theme}, ${mode.width} px`;

  test(`Ctrl+K searches chats and agents, ${name}`, async () => {
    // The account has the chats of all modes.
    const word = `${mode.theme}room`;
    const tab = await begin(mode, `${word} = 5 m`);
    const chat = new URL(tab.page.url()).pathname;
    await go(tab, `${hub.url}/network`);
    await ready(tab);
    await tab.page.keyboard.press("Control+k");
    const field = tab.page.getByRole("combobox", { name: "Search chats and agents" });
    await tab.page.getByRole("option", { name: `${word} = 5 m` }).first().waitFor();
    await field.fill(word);
    const messages = tab.page.getByRole("group", { name: "Messages" });
    await messages.getByRole("option").first().waitFor();
    await accessible(tab.page);
    await tab.picture("quick-search");
    await tab.page.keyboard.press("Escape");
    await field.waitFor({ state: "hidden" });
    await tab.page.keyboard.press("Control+k");
    await messages.getByRole("option").first().waitFor();
    assert.equal(await field.inputValue(), word);
    await tab.page.keyboard.press("ArrowDown");
    const active = await field.getAttribute("aria-activedescendant");
    assert.equal(await tab.page.locator(`#${active}`).getAttribute("aria-selected"), "true");
    await tab.page.keyboard.press("Enter");
    await tab.page.waitForURL((url) => url.pathname === chat && url.hash.startsWith("#m-"));
    await tab.page.locator(".message:target").waitFor();

    await tab.page.keyboard.press("Control+k");
    await field.fill("calc");
    await tab.page.getByRole("group", { name: "Agents" }).getByRole("option", { name: /@plexus\/calc/ }).click();
    await tab.page.waitForURL(`${hub.url}/@plexus/calc`);
    await tab.close();
  });

  test(`@ offers agents in the composer, ${name}`, async () => {
    const tab = await begin(mode, "2 + 2");
    await go(tab, `${hub.url}/chat`);
    await ready(tab);
    await checkPage(tab, "chat-new");
    const box = tab.page.locator("#composer-text");
    await box.pressSequentially("@");
    const list = tab.page.getByRole("listbox", { name: "Agents" });
    await list.getByRole("option", { name: /@plexus\/calc/ }).waitFor();
    await accessible(tab.page, "#composer");
    await tab.picture("agent-list");
    await tab.page.keyboard.press("Escape");
    await list.waitFor({ state: "hidden" });
    await box.pressSequentially("gui");
    await list.getByRole("option", { name: /@plexus\/guide/ }).waitFor();
    await tab.page.keyboard.press("Enter");
    assert.equal(await box.inputValue(), "@plexus/guide ");
    await list.waitFor({ state: "hidden" });
    await box.fill("");
    await box.pressSequentially("@cal");
    await list.getByRole("option", { name: /@plexus\/calc/ }).click();
    assert.equal(await box.inputValue(), "@plexus/calc ");
    await box.pressSequentially("20 + 3 @");
    await list.waitFor({ state: "hidden" });
    await box.press("Backspace");
    await send(tab, "@plexus/calc 20 + 3");
    await says(tab, "23");
    await tab.close();
  });
}

test("an agent for a new chat is searched without JavaScript", async () => {
  const tab = await openTab(browser, { script: "off" });
  await signIn(tab, hub, "ada");
  await go(tab, `${hub.url}/chat`);
  await tab.page.getByLabel("Search agents").last().fill("calc");
  await press(tab, "Search agents");
  await tab.page.getByRole("heading", { name: "Agents found" }).waitFor();
  await checkPage(tab, "chat-new-found");
  await tab.page.getByRole("link", { name: "calc", exact: true }).click();
  await tab.page.waitForURL(/to=/);
  await tab.close();
});

/** Opens a tab with Ada signed in, at a chat with one answer. */
async function begin(mode, text) {
  const tab = await openTab(browser, mode);
  await signIn(tab, hub, "ada");
  await go(tab, `${hub.url}/chat?to=@plexus/calc`);
  await tab.islands();
  await send(tab, text);
  await answered(tab);
  if (mode.script !== "on") await go(tab, tab.page.url().replace("?follow", ""));
  await ready(tab);
  return tab;
}

/** Waits for the scripts of the page, which handle keys and menus. */
async function ready(tab) {
  await tab.islands();
  if (tab.mode.script === "on") await tab.page.waitForFunction(() => document.documentElement.dataset.site === "ready");
}

async function menu(tab, label) {
  await ready(tab);
  await tab.page.locator(".room-head details.menu > summary").click();
  await tab.page.locator(".room-head").getByRole("button", { name: label, exact: true }).click();
}
