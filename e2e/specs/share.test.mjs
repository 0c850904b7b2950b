// Share links, exports and the print view of a chat; with and without JavaScript.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { launch, openTab, SCRIPTS } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { answered, copyable, go, hubOfAda, press, send, signIn } from "../lib/walk.mjs";

let hub, browser;
before(async () => {
  browser = await launch();
  hub = await hubOfAda(browser);
});
after(async () => {
  await browser?.close();
  await hub?.stop();
});

const LOOKS = [{ theme: "light", width: 1280 }, { theme: "dark", width: 390 }];

for (const script of SCRIPTS) {
  for (const look of LOOKS) {
    const mode = { script, ...look };
    const name = `script ${script}, ${look.theme} ${look.width}`;

    test(`a chat is shared, read, continued and the link revoked, ${name}`, async () => {
      const tab = await begin(mode);
      await menu(tab, "Share");
      await tab.page.getByRole("heading", { name: "Share chat" }).waitFor();
      await tab.page.getByLabel("Expires").selectOption({ label: "In 7 days" });
      await press(tab, "Create link");
      await tab.page.getByText("Link created.").waitFor();
      const link = await copyable(tab);
      await checkPage(tab, "chat-share");

      const reader = await openTab(browser, mode);
      await go(reader, link);
      await reader.page.getByText("shared by ada").waitFor();
      assert.equal(await reader.page.locator("article.message").count(), 2);
      assert.equal(await reader.page.locator("main form").count(), 0);
      await checkPage(reader, "shared-chat");
      await reader.close();

      await go(tab, link);
      await press(tab, "Continue as your own copy");
      await tab.page.getByText("This is your own copy").waitFor();
      await go(tab, `${hub.url}/settings/shares`);
      await checkPage(tab, "settings-shares");
      await tab.page.getByRole("button", { name: /^Revoke/ }).first().click();
      await tab.page.getByText("Link revoked.").waitFor();
      assert.equal((await tab.context.request.get(link)).status(), 404);
      await tab.close();
    });

    test(`a chat is exported and printed, ${name}`, async () => {
      const tab = await begin(mode);
      const markdown = await download(tab, "Export as Markdown");
      assert.match(markdown, /^# 6 \\\* 7\n/);
      const exported = JSON.parse(await download(tab, "Export as JSON"));
      assert.equal(exported.messages.length, 2);
      await menu(tab, "Print view");
      await tab.page.locator(".transcript").waitFor();
      const button = tab.page.getByRole("button", { name: "Print chat" });
      // `site.js` shows it, also without wasm.
      await button.waitFor({ state: script === "off" ? "hidden" : "visible" });
      await checkPage(tab, "chat-print");
      await tab.page.emulateMedia({ media: "print" });
      for (const hidden of [".site-header", ".no-print", ".site-footer"]) {
        assert.equal(await tab.page.locator(hidden).first().isVisible(), false, hidden);
      }
      const color = await tab.page.evaluate(() => getComputedStyle(document.body).colorScheme);
      assert.equal(color, "light", "dark colours are not printed");
      await tab.picture("chat-printed");
      await tab.close();
    });
  }
}

/** Opens a tab with Ada signed in, at a chat with one answer. */
async function begin(mode) {
  const tab = await openTab(browser, mode);
  await signIn(tab, hub, "ada");
  await go(tab, `${hub.url}/chat?to=@plexus/calc`);
  await tab.islands();
  await send(tab, "6 * 7");
  await answered(tab);
  await go(tab, tab.page.url().replace("?follow", ""));
  await tab.islands();
  return tab;
}

/** Follows a link of the menu of the chat. */
async function menu(tab, name) {
  const more = tab.page.locator(".room-head details.menu");
  if (!(await more.evaluate((details) => details.open))) await more.locator("summary").click();
  await more.getByRole("link", { name, exact: true }).click();
}

/** Returns the text of a file of the menu of the chat. */
async function download(tab, name) {
  const [file] = await Promise.all([tab.page.waitForEvent("download"), menu(tab, name)]);
  return readFile(await file.path(), "utf8");
}
