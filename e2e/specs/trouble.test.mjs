// Error states: missing pages, invalid input, lost connections.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openTab } from "../lib/browser.mjs";
import { accessible, checkPage, fits, validSource } from "../lib/checks.mjs";
import { answered, go, hubOfAda, says, send, signIn } from "../lib/walk.mjs";

let hub, browser;
before(async () => {
  browser = await launch();
  hub = await hubOfAda(browser, { PLEXUS_REGISTRATION: "open" });
});
after(async () => {
  await browser?.close();
  await hub?.stop();
});

/** Path of a missing page, the status, and text that the page shows. */
const MISSING = [
  ["/no/such/page", 404, "Not found"],
  ["/@nobody-here", 404, "Not found"],
  ["/@nobody-here/nothing", 404, "Not found"],
  ["/chat/00000000-0000-7000-8000-000000000000", 404, "Not found"],
  ["/chat/nonsense", 404, "Not found"],
  ["/docs/nothing", 404, "Not found"],
  ["/agents?q=qqqqqqqqqqqq", 200, "Nothing found"],
  ["/agents?tag=nothing-has-this-tag", 200, "Nothing found"],
  ["/@ada", 200, "0 agents"],
  ["/chat", 200, "Who should answer?"],
];

for (const [script, theme, width] of [["on", "light", 1280], ["off", "dark", 390]]) {
  test(`what is not there is told in words, script ${script}`, async () => {
    const tab = await openTab(browser, { script, theme, width });
    tab.expect(/status of 404/);
    await signIn(tab, hub, "ada");
    for (const [path, status, words] of MISSING) {
      const response = await tab.page.goto(hub.url + path);
      assert.equal(response.status(), status, path);
      await tab.page.getByText(words).first().waitFor();
      // The page is the same without JavaScript, so one full check suffices.
      if (script === "on") await checkPage(tab, `nothing${path.replace(/\W+/g, "-")}`);
      else await fits(tab.page);
    }
    await tab.close();
  });
}

test("every page that anybody may see is valid HTML", async () => {
  for (const path of ["/", "/agents", "/login", "/signup", "/@plexus", "/@plexus/calc", "/@plexus/calc/skills", "/docs", "/docs/api", "/nothing"]) {
    await validSource(await (await fetch(hub.url + path)).text(), path);
  }
});

test("a chat that lost its hub says so, and goes on when the hub is back", async () => {
  const tab = await openTab(browser);
  tab.expect(/ERR_|EventSource|Failed to fetch/);
  await talk(tab);
  await hub.kill();
  const offline = tab.page.locator(".offline");
  await offline.getByText("The connection to the hub is lost.").waitFor({ timeout: 60_000 });
  await checkPageOffline(tab);
  await send(tab, "2 ^ 10");
  await tab.page.getByText("The hub could not be reached. Your text is kept; try again.").waitFor();
  assert.equal(await tab.page.locator("#composer-text").inputValue(), "2 ^ 10");
  await hub.start();
  await offline.waitFor({ state: "hidden", timeout: 60_000 });
  await tab.page.getByRole("button", { name: "Send" }).click();
  await says(tab, "1024");
  await tab.close();
});

test("a browser that is offline is told so in the chat, and told when it is over", async () => {
  const tab = await openTab(browser);
  tab.expect(/ERR_INTERNET_DISCONNECTED/);
  await talk(tab);
  await tab.context.setOffline(true);
  await tab.page.getByText("You are offline.").waitFor();
  await tab.context.setOffline(false);
  await tab.page.locator(".offline").waitFor({ state: "hidden" });
  await send(tab, "2 ^ 10");
  await says(tab, "1024");
  await tab.close();
});

test("a chat whose page came to life when its browser was offline already says so", async () => {
  const tab = await openTab(browser);
  tab.expect(/ERR_INTERNET_DISCONNECTED/);
  await talk(tab);
  // The last file that the page loads is delayed until the connection is off.
  await tab.page.route("**/*.wasm", async (route) => {
    const response = await route.fetch();
    await tab.context.setOffline(true);
    await route.fulfill({ response });
  });
  await tab.page.reload({ waitUntil: "commit" });
  await tab.page.getByText("You are offline.").waitFor();
  await tab.context.setOffline(false);
  await tab.page.locator(".offline").waitFor({ state: "hidden" });
  await tab.close();
});

/** Ada asks the calculator something and receives the answer. */
async function talk(tab) {
  await signIn(tab, hub, "ada");
  await go(tab, `${hub.url}/chat?to=@plexus/calc`);
  await tab.islands();
  await send(tab, "6 * 7");
  await says(tab, "42");
  await answered(tab);
}

/** Runs the page checks that need no request to the hub. */
async function checkPageOffline(tab) {
  await accessible(tab.page);
  await fits(tab.page);
  await tab.picture("chat-offline");
}
