// A page that loses its live connection says so within three seconds, and says when it is back.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { launch, openTab } from "../lib/browser.mjs";
import { accessible, fits } from "../lib/checks.mjs";
import { startHubBehindProxy } from "../lib/proxy.mjs";
import { PASSWORD, answered, go, press, says, send, signIn, signUp } from "../lib/walk.mjs";

/** Milliseconds: three seconds, and those that the measurement takes on a busy machine. */
const NOTICED = 3_500;
const LOST = /The connection to the hub is lost|You are offline/;
const BACK = "The connection to the hub is back.";

let hub, browser, proxy, slow;
before(async () => {
  [browser, { hub, proxy }] = await Promise.all([launch(), startHubBehindProxy()]);
  const tab = await openTab(browser);
  await signUp(tab, hub.adminLink, "ada");
  await tab.close();
});
afterEach(() => proxy.mend());
after(async () => {
  await slow?.stop();
  await browser?.close();
  await hub?.stop();
  await proxy?.stop();
});

const LOSSES = [
  ["is silent", () => proxy.freeze(), () => proxy.mend()],
  ["is closed", () => proxy.cutAll(), () => proxy.mend()],
  ["is offline", (tab) => tab.context.setOffline(true), (tab) => tab.context.setOffline(false)],
];

for (const [page, open, notice] of [["chat", openChat, ".offline"], ["team", openTeam, "#page-status"]]) {
  describe(`the connection of a ${page} page`, () => {
    let tab;
    before(async () => (tab = await open()));
    after(() => tab?.close());

    for (const [kind, lose, restore] of LOSSES) {
      test(`${kind}: the page says so, and says when it is back`, async () => {
        const shown = tab.page.locator(notice).filter({ visible: true });
        await lose(tab);
        const begun = performance.now();
        await shown.filter({ hasText: LOST }).waitFor({ timeout: 30_000 });
        const took = performance.now() - begun;
        assert.ok(took < NOTICED, `${took} ms`);
        if (kind === "is silent") await tab.picture(`lost-${page}`);
        await fits(tab.page);
        await restore(tab);
        await shown.filter({ hasText: BACK }).waitFor({ timeout: 60_000 });
        await shown.waitFor({ state: "hidden", timeout: 30_000 });
      });
    }
  });
}

test("a session that ended in another tab is told with a way to sign in, and the text is kept", async () => {
  const tab = await openChat();
  const other = await tab.context.newPage();
  await tab.page.locator("#composer-text").fill("6 * 8");
  await other.goto(`${hub.url}/agents`);
  await other.locator("summary", { hasText: "ada" }).first().click();
  await other.getByRole("button", { name: "Sign out" }).click();
  await other.getByRole("link", { name: "Sign in" }).first().waitFor();
  const begun = performance.now();
  const notice = tab.page.locator(".offline").filter({ visible: true });
  await notice.filter({ hasText: "You are signed out." }).waitFor({ timeout: 30_000 });
  assert.ok(performance.now() - begun < NOTICED, `${performance.now() - begun} ms`);
  await tab.picture("signed-out-chat");
  await accessible(tab.page);
  const [entrance] = await Promise.all([
    tab.context.waitForEvent("page"),
    notice.getByRole("link", { name: "Sign in" }).click(),
  ]);
  await entrance.getByLabel("Name").fill("ada");
  await entrance.getByLabel("Password").first().fill(PASSWORD);
  await entrance.getByRole("main").getByRole("button", { name: "Sign in" }).click();
  await entrance.waitForURL(/\/chat\/.+/);
  await entrance.close();
  await notice.filter({ hasText: BACK }).waitFor({ timeout: 60_000 });
  assert.equal(await tab.page.locator("#composer-text").inputValue(), "6 * 8");
  await press(tab, "Send");
  await says(tab, "48");
  await tab.close();
});

async function openTabOfAda() {
  const tab = await openTab(browser);
  tab.expect(/ERR_|status of|EventSource|Failed to fetch|SharedWorker|worker/i);
  await signIn(tab, hub, "ada");
  return tab;
}

async function openChat() {
  const tab = await openTabOfAda();
  await go(tab, `${hub.url}/chat?to=@plexus/calc`);
  await tab.islands();
  await send(tab, "6 * 7");
  await answered(tab);
  return tab;
}

/** Opens the page of a team at work: its member answers only after the tests. */
async function openTeam() {
  slow ??= await hub.join("slow", ["sleep", "1000"]);
  const tab = await openTabOfAda();
  const answer = await tab.context.request.post(`${hub.url}/api/v1/teams`, {
    data: { goal: "Something that takes long", members: ["@ada/slow"] },
    headers: { origin: hub.url },
  });
  assert.ok(answer.ok(), await answer.text());
  await go(tab, `${hub.url}/teams/${(await answer.json()).id}`);
  await tab.page.locator("[data-live]").waitFor();
  // The connection of a page begins with its script.
  await tab.page.locator('html[data-site="ready"]').waitFor({ state: "attached" });
  return tab;
}
