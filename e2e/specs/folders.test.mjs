// Folders of chats, actions on several chats, and deleted chats.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, nameOf, openTab, PAIRED_MODES } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { answered, go, hubOfAda, press, send, signIn } from "../lib/walk.mjs";

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
  test(`a chat is moved to a folder, deleted and restored, ${nameOf(mode)}`, async () => {
    const folder = `Tides & ${mode.theme} ${mode.script}`;
    const tab = await openTab(browser, mode);
    await signIn(tab, hub, "ada");
    const chats = [await begin(tab, "1 + 1"), await begin(tab, "2 + 2")];
    await go(tab, hub.url + chats[0]);
    await tab.islands();
    await tab.page.locator(".room-head details.menu > summary").click();
    await tab.page.getByRole("link", { name: "Move to folder" }).click();
    await checkPage(tab, "chat-move");
    await tab.page.getByLabel("Folder").fill(folder);
    await press(tab, "Move chat");
    await tab.page.getByText("Chat moved.").waitFor();
    await checkPage(tab, "chat-in-folder");
    await tab.page.locator(".room-head").getByRole("link", { name: folder }).click();
    await tab.page.getByRole("heading", { name: folder }).waitFor();
    await tab.islands();
    assert.equal(await rows(tab).count(), 1);
    await checkPage(tab, "chat-folder");

    await go(tab, `${hub.url}/chat/all`);
    await tab.islands();
    await select(tab, chats);
    await tab.page.getByRole("textbox", { name: "Folder" }).or(tab.page.getByRole("combobox", { name: "Folder" })).fill(folder);
    await press(tab, /^Move/);
    await tab.page.getByText("Chats moved.").waitFor();
    await checkPage(tab, "chat-all");
    await go(tab, `${hub.url}/chat/folder?name=${encodeURIComponent(folder)}`);
    await tab.islands();
    assert.equal(await rows(tab).count(), 2);
    await (mode.script === "on" ? tab.page.getByLabel("Select all").check() : select(tab, chats));
    await press(tab, /^Delete/);
    await tab.page.getByText("It can be restored for 24 hours.").waitFor();
    await tab.page.getByRole("heading", { name: "No chats in this folder" }).waitFor();
    await tab.page.getByRole("status").getByRole("link", { name: "Deleted chats" }).click();
    await tab.page.getByRole("heading", { name: "Deleted chats" }).waitFor();
    await tab.islands();
    await checkPage(tab, "chat-deleted");
    const before = await rows(tab).count();
    await tab.page.getByRole("button", { name: /^Restore/ }).first().click();
    await tab.page.getByText("Chat restored to your list.").waitFor();
    assert.ok(chats.includes(new URL(tab.page.url()).pathname));
    await go(tab, `${hub.url}/chat/deleted`);
    await tab.islands();
    await tab.page.getByRole("button", { name: /^Delete now/ }).first().click();
    await tab.page.getByText("Chat deleted permanently.").waitFor();
    assert.equal(await rows(tab).count(), before - 2);
    await tab.close();
  });
}

const rows = (tab) => tab.page.locator(".rows > li");

/** Selects these chats in a list. */
async function select(tab, chats) {
  for (const chat of chats) await tab.page.locator(`li:has(a[href="${chat}"]) input[type="checkbox"]`).check();
}

/** Starts a chat with the calculator. Returns its path. */
async function begin(tab, text) {
  await go(tab, `${hub.url}/chat?to=@plexus/calc`);
  await tab.islands();
  await send(tab, text);
  await answered(tab);
  return new URL(tab.page.url()).pathname;
}
