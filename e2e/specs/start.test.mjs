// The first minutes: starters, example goals, the choice of what to register, and passwords that can be shown.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, openTab } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { go, hubOfAda, press, signIn } from "../lib/walk.mjs";

let hub, browser;
before(async () => {
  browser = await launch();
  hub = await hubOfAda(browser);
});
after(async () => {
  await browser?.close();
  await hub?.stop();
});

for (const [script, theme, width] of [["on", "light", 1280], ["off", "dark", 390]]) {
  describe(`first minutes, script ${script}`, () => {
    let tab;
    before(async () => {
      tab = await openTab(browser, { script, theme, width });
      await signIn(tab, hub, "ada");
    });
    after(() => tab?.close());

    for (const path of ["/", "/@plexus/calc", "/chat?to=@plexus/calc"]) {
      test(`a starter begins a chat from ${path}`, async () => {
        await go(tab, hub.url + path);
        await checkPage(tab, `starters${path.replace(/\W+/g, "-")}`);
        await tab.page.getByRole("button", { name: "15% of 240" }).first().click();
        await tab.page.waitForURL(/\/chat\/[0-9a-f-]{36}/);
        await tab.page.getByText("36", { exact: true }).first().waitFor();
      });
    }

    test("an example goal fills the form", async () => {
      await go(tab, `${hub.url}/teams`);
      await checkPage(tab, "teams-examples");
      await tab.page.getByRole("link", { name: "Chart a table" }).click();
      await tab.page.waitForURL(/example=2$/);
      assert.match(await tab.page.getByLabel("Goal").inputValue(), /^Make a table and a chart/);
      await press(tab, "Launch team");
      await tab.page.waitForURL(/\/teams\/[0-9a-f-]{36}/);
    });

    test("the choice of what to register leads to its forms", async () => {
      await go(tab, `${hub.url}/register`);
      await checkPage(tab, "register-choice");
      await tab.page.getByRole("link", { name: "The address of an A2A agent" }).click();
      await tab.page.getByLabel("Address of the agent").waitFor();
      await checkPage(tab, "register-address");
    });
  });
}

test("a typed password is shown and hidden without moving the page", async () => {
  const tab = await openTab(browser, { script: "on", theme: "light", width: 390 });
  await go(tab, `${hub.url}/login`);
  const field = tab.page.getByLabel("Password");
  await field.fill("four quiet lanterns glow");
  const show = tab.page.getByRole("button", { name: "Show Password" });
  await show.waitFor();
  const before = await field.boundingBox();
  await show.click();
  assert.equal(await field.getAttribute("type"), "text");
  assert.deepEqual(await field.boundingBox(), before);
  await checkPage(tab, "login-password-shown");
  await tab.page.getByRole("button", { name: "Hide Password" }).click();
  assert.equal(await field.getAttribute("type"), "password");
  await tab.close();
});

test("without a script there is no button that does nothing", async () => {
  const tab = await openTab(browser, { script: "off", theme: "light", width: 390 });
  await go(tab, `${hub.url}/login`);
  assert.equal(await tab.page.getByRole("button", { name: /Show/ }).count(), 0);
  await tab.close();
});
