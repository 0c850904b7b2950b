// Feedback on answers, and what the owner of the agent sees; with and without JavaScript.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openTab, SCRIPTS } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { answer, answered, go, hubOfAda, press, send, signIn } from "../lib/walk.mjs";

let hub, browser, program;
before(async () => {
  browser = await launch();
  hub = await hubOfAda(browser);
  program = await hub.join("keeper", ["echo", "High tide is at noon."]);
});
after(async () => {
  await program?.stop();
  await browser?.close();
  await hub?.stop();
});

const LOOKS = [{ theme: "light", width: 1280 }, { theme: "dark", width: 390 }];
let rated = 0;

for (const script of SCRIPTS) {
  for (const look of LOOKS) {
    test(`an answer is rated, the rating changed, and the owner told, script ${script}, ${look.theme} ${look.width}`, async () => {
      const tab = await begin({ script, ...look });
      const chat = new URL(tab.page.url()).pathname;
      await press(tab, /^Good answer/);
      await rating(tab, chat, /^Good answer/);
      await press(tab, /^Bad answer/);
      await rating(tab, chat, /^Bad answer/);
      await checkPage(tab, "chat-rated");
      await tab.page.getByRole("link", { name: /^Add reason/ }).click();
      await tab.page.getByLabel("Reason", { exact: true }).selectOption({ label: "Bad: Incomplete" });
      await tab.page.getByLabel(/^Text/).fill("It leaves out the tides.");
      await tab.page.getByLabel(/^Show reason and text/).check();
      await checkPage(tab, "chat-feedback");
      await press(tab, "Save feedback");
      await tab.page.getByText("Feedback saved.").waitFor();
      rated += 1;

      await go(tab, `${hub.url}/@ada/keeper/feedback`);
      await tab.page.getByRole("heading", { name: "Ratings" }).waitFor();
      assert.equal(await tab.page.getByText("It leaves out the tides.").count(), rated);
      await tab.page.getByRole("img", { name: new RegExp(`0 good answers.* ${rated} bad`) }).waitFor();
      await checkPage(tab, "agent-feedback");
      await tab.close();
    });
  }
}

/** Waits until only this button is pressed, and asserts that the chat's own page shows the same. */
async function rating(tab, chat, name) {
  const pressed = () => tab.page.getByRole("button", { name, pressed: true }).waitFor();
  // `site.js` also runs without wasm.
  if (tab.mode.script === "off") await tab.page.getByText("Feedback saved.").waitFor();
  else await pressed();
  await go(tab, hub.url + chat);
  await tab.islands();
  await pressed();
  assert.equal(await tab.page.locator("[aria-pressed=true]").count(), 1);
}

/** Opens a tab with Ada signed in, at a chat with one answer of her agent. */
async function begin(mode) {
  const tab = await openTab(browser, mode);
  await signIn(tab, hub, "ada");
  await go(tab, `${hub.url}/chat?to=@ada/keeper`);
  await tab.islands();
  await send(tab, "Hello");
  await answered(tab);
  await go(tab, tab.page.url().replace("?follow", ""));
  await tab.islands();
  await answer(tab).waitFor();
  return tab;
}
