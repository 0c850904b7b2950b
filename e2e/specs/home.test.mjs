// Home page, in every mode.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, MODES, nameOf, openTab } from "../lib/browser.mjs";
import { checkPage, validSource } from "../lib/checks.mjs";
import { startHub } from "../lib/hub.mjs";

let hub, browser;
before(async () => {
  hub = await startHub();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await hub?.stop();
});

// This page has no island, so wasm makes no difference.
for (const mode of MODES.filter(({ script }) => script !== "no wasm")) {
  test(`the front page: ${nameOf(mode)}`, async () => {
    const tab = await openTab(browser, mode);
    const response = await tab.page.goto(`${hub.url}/`);
    assert.equal(response.status(), 200);
    await tab.page.getByRole("searchbox").first().waitFor();
    await checkPage(tab, "home");
    await tab.close();
  });
}

test("the front page is valid HTML", async () => {
  const response = await fetch(`${hub.url}/`);
  await validSource(await response.text(), "/");
});
