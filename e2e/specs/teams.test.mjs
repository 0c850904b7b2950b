// Teams: launch, live view, owner actions. With and without JavaScript.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, openTab } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { go, hubOfAda, press, signIn } from "../lib/walk.mjs";

const LATER = { timeout: 60_000 };

let hub, browser, slow;
before(async () => {
  browser = await launch();
  hub = await hubOfAda(browser);
  slow = await hub.join("slow", ["sleep", "1000"]);
});
after(async () => {
  await slow?.stop();
  await browser?.close();
  await hub?.stop();
});

for (const [script, theme, width] of [["on", "light", 1280], ["no wasm", "dark", 1280], ["off", "dark", 390]]) {
  describe(`teams, script ${script}`, () => {
    let tab;
    before(async () => {
      tab = await openTab(browser, { script, theme, width });
      tab.expect(/status of 422/);
      await signIn(tab, hub, "ada");
    });
    after(() => tab?.close());

    test("a goal is reached, and the page shows how", async () => {
      await launchTeam(tab, "17 * 23", "@plexus/calc");
      await shown(tab, "Done");
      await tab.page.getByRole("heading", { name: "Answer" }).waitFor();
      await tab.page.getByText("391").first().waitFor();
      await checkPage(tab, "team-done");
      await go(tab, `${hub.url}/teams`);
      await tab.page.getByRole("link", { name: "17 * 23" }).first().waitFor();
      await checkPage(tab, "teams");
    });

    test("a team that has ended is replayed step by step, and shared", async () => {
      await launchTeam(tab, "17 * 23", "@plexus/calc");
      await shown(tab, "Done");
      await tab.page.getByRole("link", { name: "Replay", exact: true }).click();
      await tab.page.getByText("Team created.").waitFor();
      await tab.page.getByRole("link", { name: "Next" }).click();
      await tab.page.getByText("Invited: @plexus/calc.").waitFor();
      await checkPage(tab, "team-step");
      await tab.page.getByRole("link", { name: "Team page" }).click();
      await press(tab, "Create link");
      const link = await tab.page.locator(".notice code").innerText();
      const guest = await openTab(browser, tab.mode);
      try {
        await go(guest, link);
        await guest.page.getByRole("heading", { name: "Report", exact: true }).waitFor();
        await checkPage(guest, "team-shared");
      } finally {
        await guest.close();
      }
      await press(tab, "Revoke link");
      await tab.page.getByRole("button", { name: "Create link" }).waitFor();
    });

    test("a team that a member forms is shown beneath", async () => {
      await launchTeam(tab, "Something that takes long", "@ada/slow");
      await shown(tab, "Working");
      const act = { action: "form_subteam", assignment: 0, members: ["@plexus/calc"] };
      const url = tab.page.url().replace("/teams/", "/api/v1/teams/");
      const answer = await tab.context.request.post(url, { data: act, headers: { origin: hub.url } });
      assert.equal(answer.status(), 200, await answer.text());
      await go(tab, tab.page.url());
      await tab.page.getByRole("heading", { name: "Subteams" }).waitFor();
      await checkPage(tab, "team-with-another");
      await tab.page.getByRole("link", { name: "Open subteam" }).click();
      await tab.page.getByRole("navigation", { name: "Parent teams" }).waitFor();
      await checkPage(tab, "team-beneath");
      await press(tab, "Stop team");
      await shown(tab, "Cancelled");
    });

    test("a wrong address is reported beside its field", async () => {
      await launchTeam(tab, "17 * 23", "calc");
      await tab.page.locator("#f-members-error").waitFor();
      await checkPage(tab, "teams-refused");
    });

    test("its owner acts while it works, and stops it", async () => {
      await launchTeam(tab, "6 * 7", "@ada/slow @plexus/calc");
      await shown(tab, "Working");
      await checkPage(tab, "team-at-work");
      await tab.page.getByLabel("Message to all members").fill("Take your time.");
      await press(tab, "Send message");
      await tab.page.getByText("Take your time.").first().waitFor();
      await tab.page.getByRole("button", { name: /^Stop The goal/ }).first().click();
      await shown(tab, "Stopped");
      await tab.page.getByRole("button", { name: "Stop team" }).or(tab.page.getByText("Done", { exact: true })).first().waitFor();
    });

    test("work that takes too long is taken over", async () => {
      await launchTeam(tab, "Something that takes long", "@ada/slow");
      await shown(tab, "Working");
      await tab.page.getByText("Take over", { exact: true }).click();
      await tab.page.getByLabel("Result").waitFor();
      await checkPage(tab, "team-taken-over");
      await tab.page.getByLabel("Result").fill("It takes a thousand seconds.");
      await press(tab, "Submit result");
      await shown(tab, "Done");
      await tab.page.getByText("It takes a thousand seconds.").first().waitFor();
    });
  });
}

async function launchTeam(tab, goal, members) {
  await go(tab, `${hub.url}/teams`);
  await tab.page.getByLabel("Goal").fill(goal);
  await tab.page.getByLabel(/^Members/).fill(members);
  await press(tab, "Launch team");
}

/** Waits for a badge. The page updates itself with JavaScript; otherwise it is reloaded. */
async function shown(tab, badge) {
  // An assignment may be done before its team is.
  const where = badge === "Done" ? ".team-head .badge" : ".badge";
  const found = tab.page.locator(where, { hasText: badge }).first();
  if (tab.mode.script !== "off") return found.waitFor(LATER);
  const end = Date.now() + LATER.timeout;
  while (!(await found.isVisible())) {
    assert.ok(Date.now() < end, `${badge} is not shown in time`);
    await go(tab, tab.page.url());
    await tab.page.locator("main").waitFor();
  }
}
