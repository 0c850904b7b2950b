// Keyboard shortcuts, and the setting that turns off single keys.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, nameOf, openTab, PAIRED_MODES } from "../lib/browser.mjs";
import { accessible, checkPage } from "../lib/checks.mjs";
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

test("a chat is used by keyboard alone", async () => {
  const tab = await openTab(browser);
  const { keyboard } = tab.page;
  await signIn(tab, hub, "ada");
  await ready(tab);
  await keyboard.press("n");
  await tab.page.waitForURL(`${hub.url}/chat`);
  await go(tab, `${hub.url}/chat?to=@plexus/calc`);
  await tab.islands();
  await send(tab, "6 * 7");
  await answered(tab);
  await ready(tab);
  const focused = (selector) => tab.page.locator(`${selector}:focus`).waitFor();
  await focused("#composer-text");
  await keyboard.type("n?");
  assert.equal(await tab.page.locator("#composer-text").inputValue(), "n?", "keys are text in a text field");
  for (const region of ["#chats", "#thread", "#composer-text"]) {
    await keyboard.press("F6");
    await focused(region);
  }
  await keyboard.press("Shift+F6");
  await focused("#thread");
  await keyboard.press("j");
  await focused("article.agent");
  await keyboard.press("k");
  await focused("article.person");
  await keyboard.press("/");
  await focused("#composer-text");
  await keyboard.press("Shift+F6");
  await focused("#thread");
  await keyboard.press("?");
  const list = tab.page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await list.getByText("Start a new chat").waitFor();
  await accessible(tab.page);
  await tab.picture("shortcuts-dialog");
  await keyboard.press("n");
  await keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  await focused("#thread");
  await tab.close();
});

for (const mode of PAIRED_MODES) {
  test(`single keys are turned off, ${nameOf(mode)}`, async () => {
    const tab = await openTab(browser, mode);
    await go(tab, `${hub.url}/shortcuts`);
    await checkPage(tab, "shortcuts");
    await tab.page.getByRole("main").getByRole("link", { name: "Appearance" }).click();
    await tab.page.getByLabel("Off").check();
    await press(tab, "Save");
    await tab.page.getByText("Appearance saved").waitFor();
    await checkPage(tab, "appearance-keys");
    await go(tab, `${hub.url}/shortcuts`);
    await tab.page.getByText("They are turned off.").waitFor();
    if (mode.script === "on") {
      await ready(tab);
      await tab.page.keyboard.press("?");
      await tab.page.keyboard.press("n");
      assert.equal(await tab.page.getByRole("dialog").count(), 0);
      assert.equal(new URL(tab.page.url()).pathname, "/shortcuts");
    }
    await tab.close();
  });
}

const ready = (tab) => tab.page.locator('html[data-site="ready"]').waitFor({ state: "attached" });
