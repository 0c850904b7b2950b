// Administration: users and roles, invitations, agents, origins. With and without JavaScript.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startLighthouse } from "../lib/agents.mjs";
import { launch, openTab } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { startHub } from "../lib/hub.mjs";
import { confirm, copyable, go, press, register, signUp, tryToSignIn, tryToSignUp } from "../lib/walk.mjs";

let browser, lighthouse;
before(async () => {
  [browser, lighthouse] = await Promise.all([launch(), startLighthouse()]);
});
after(async () => {
  await browser?.close();
  await lighthouse?.stop();
});

for (const [script, theme, width] of [["on", "light", 1280], ["off", "dark", 390]]) {
  describe(`administration, script ${script}`, () => {
    let hub, tab;
    before(async () => {
      hub = await startHub({ PLEXUS_REGISTRATION: "invite" });
      tab = await openTab(browser, { script, theme, width });
      tab.expect(/status of 4(03|22)/);
      await signUp(tab, hub.adminLink, "ada");
    });
    after(async () => {
      await tab?.close();
      await hub?.stop();
    });

    test("the overview says how the hub is", async () => {
      await go(tab, `${hub.url}/admin`);
      await tab.page.getByText("SQLite").waitFor();
      await checkPage(tab, "admin");
    });

    test("an invitation lets one person in", async () => {
      const guest = await openTab(browser, { script, width });
      guest.expect(/status of 4\d\d/);
      await go(guest, `${hub.url}/signup`);
      await guest.page.getByText(/invitation/i).first().waitFor();
      await checkPage(guest, "signup-by-invitation");
      const link = await invite();
      await signUp(guest, link, "grace");
      await go(tab, `${hub.url}/admin/invites`);
      await tab.page.getByRole("cell", { name: "@grace" }).waitFor();
      await checkPage(tab, "admin-invites");
      const late = await openTab(browser, { script });
      late.expect(/status of 4\d\d/);
      await tryToSignUp(late, link, "late");
      await late.page.locator(".form-errors").getByText(/invitation/i).waitFor();
      await late.close();
      await guest.close();
    });

    test("a revoked invitation is gone", async () => {
      await invite();
      await tab.page.getByRole("button", { name: /^Revoke/ }).first().click();
      await confirm(tab, /^Revoke permanently/);
      await tab.page.getByText("Invitation revoked.").waitFor();
      assert.equal(await tab.page.getByRole("button", { name: /^Revoke/ }).count(), 0);
    });

    test("a person becomes a moderator, is suspended, and comes back", async () => {
      await go(tab, `${hub.url}/admin/users`);
      await checkPage(tab, "admin-users");
      await row("@grace").locator("summary").click();
      await row("@grace").getByRole("button", { name: /^Make admin/ }).first().click();
      await tab.page.getByRole("heading", { name: "Make @grace an administrator?" }).waitFor();
      await confirm(tab, "Cancel");
      await go(tab, `${hub.url}/admin/users?q=grace`);
      await change("@grace", "Make moderator");
      assert.equal(new URL(tab.page.url()).searchParams.get("q"), "grace", "the search is kept");
      await row("@grace").getByText("Moderator").waitFor();
      await change("@grace", "Suspend");
      await row("@grace").getByText("Suspended").waitFor();
      const guest = await openTab(browser, { script });
      guest.expect(/status of 4\d\d/);
      await tryToSignIn(guest, hub, "grace");
      await guest.page.locator(".form-errors").waitFor();
      await guest.close();
      await row("@grace").getByRole("button", { name: /^Restore/ }).click();
      await row("@grace").getByText("Active").waitFor();
    });

    test("a search without matches shows that", async () => {
      await go(tab, `${hub.url}/admin/users?q=zebra`);
      await tab.page.getByText("No name contains these letters.").waitFor();
      await checkPage(tab, "admin-users-none");
    });

    test("an origin is trusted, and an invalid one is refused", async () => {
      await go(tab, `${hub.url}/admin/origins`);
      await checkPage(tab, "admin-origins-none");
      await trust("ftp://agents.example.org");
      await tab.page.getByText("Enter only scheme, host and port").first().waitFor();
      await checkPage(tab, "admin-origins-refused");
      await trust("https://agents.example.org");
      await tab.page.getByRole("rowheader", { name: "https://agents.example.org" }).waitFor();
      await press(tab, /^Remove/);
      await tab.page.getByText("No trusted origins").waitFor();
      await register(tab, hub, lighthouse.url, { trust: false });
      await go(tab, `${hub.url}/admin/origins`);
      const { origin } = new URL(lighthouse.url);
      await trust(origin);
      await tab.page.getByRole("rowheader", { name: origin }).waitFor();
      await checkPage(tab, "admin-origins");
      await press(tab, /^Remove/);
      await tab.page.getByText("No trusted origins").waitFor();
    });

    test("an agent is paused with a reason, and resumed", async () => {
      await go(tab, `${hub.url}/admin/agents?q=lighthouse`);
      await checkPage(tab, "admin-agents");
      await row("Lighthouse keeper").locator("summary").click();
      await tab.page.getByLabel("Reason for the change to Lighthouse keeper").fill("It answers nonsense");
      await row("Lighthouse keeper").getByRole("button", { name: /^Pause/ }).click();
      await tab.page.getByText("Agent paused.").waitFor();
      await row("Lighthouse keeper").getByText("Paused").waitFor();
      await change("Lighthouse keeper", "Resume");
      await row("Lighthouse keeper").getByText("Unverified").waitFor();
    });

    test("an agent is deleted after a question, and the search is kept", async () => {
      await go(tab, `${hub.url}/admin/agents?q=lighthouse`);
      await row("Lighthouse keeper").locator("summary").click();
      await row("Lighthouse keeper").getByRole("button", { name: /^Delete/ }).first().click();
      await tab.page.getByRole("heading", { name: "Delete Lighthouse keeper?" }).waitFor();
      await tab.page.getByLabel("Reason for the deletion of Lighthouse keeper").fill("It answers nonsense");
      await confirm(tab, /^Delete permanently/);
      await tab.page.getByText("Agent deleted permanently.").waitFor();
      assert.equal(new URL(tab.page.url()).searchParams.get("q"), "lighthouse");
      await tab.page.getByText("Nothing found").waitFor();
    });

    test("an ordinary person finds no administration", async () => {
      const guest = await openTab(browser, { script, theme, width });
      guest.expect(/status of 4\d\d/);
      await signUp(guest, await invite(), "hedy");
      await go(guest, `${hub.url}/admin`);
      await guest.page.locator(".error-page").waitFor();
      await checkPage(guest, "admin-refused");
      await guest.close();
    });

    const row = (name) => tab.page.getByRole("row").filter({ hasText: name });

    async function change(name, verb) {
      await row(name).locator("summary").click();
      await row(name).getByRole("button", { name: new RegExp(`^${verb}`) }).click();
    }

    async function invite() {
      await go(tab, `${hub.url}/admin/invites`);
      await press(tab, "Create invitation");
      await tab.page.getByText("Send this link.").waitFor();
      return copyable(tab);
    }

    async function trust(origin) {
      await tab.page.getByLabel("Origin", { exact: true }).fill(origin);
      await press(tab, "Trust origin");
    }
  });
}

for (const [mode, words] of [["open", /Sign up/], ["approval", /Request account/], ["closed", /closed/i]]) {
  test(`signing up, ${mode}`, async () => {
    const hub = await startHub({ PLEXUS_REGISTRATION: mode });
    const tab = await openTab(browser);
    tab.expect(/status of 4\d\d/);
    await signUp(tab, hub.adminLink, "ada");
    await go(tab, `${hub.url}/admin/invites`);
    await checkPage(tab, `admin-signing-up-${mode}`);
    const guest = await openTab(browser);
    guest.expect(/status of 4\d\d/);
    await go(guest, `${hub.url}/signup`);
    await guest.page.getByRole("main").getByText(words).first().waitFor();
    await checkPage(guest, `signup-${mode}`);
    await guest.close();
    await tab.close();
    await hub.stop();
  });
}
