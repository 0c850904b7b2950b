// Settings: password, sessions, tokens, appearance, account deletion. With and without JavaScript.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, openTab } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { confirm, copyable, go, hubOfAda, PASSWORD, press, signedIn, signIn, signUp, tryToSignIn } from "../lib/walk.mjs";

const NEW_PASSWORD = "six other plain words again";

let hub, browser;
before(async () => {
  browser = await launch();
  hub = await hubOfAda(browser, { PLEXUS_REGISTRATION: "open" });
});
after(async () => {
  await browser?.close();
  await hub?.stop();
});

for (const [script, name, theme, width] of [["on", "grace", "light", 1280], ["off", "hedy", "dark", 390]]) {
  describe(`settings, script ${script}`, () => {
    let tab, elsewhere;
    before(async () => {
      tab = await openTab(browser, { script, theme, width });
      tab.expect(/status of 422/);
      await signUp(tab, `${hub.url}/signup`, name);
      elsewhere = await openTab(browser, { script });
      await signIn(elsewhere, hub, name);
    });
    after(async () => {
      await tab?.close();
      await elsewhere?.close();
    });

    test("sessions are listed, and one can be ended from another", async () => {
      await go(tab, `${hub.url}/settings/sessions`);
      await checkPage(tab, "settings-sessions");
      const rows = tab.page.locator("tbody tr");
      assert.equal(await rows.count(), 2);
      await tab.page.getByText("This session").waitFor();
      await tab.page.locator("tbody").getByRole("button", { name: /^Sign out/ }).click();
      await tab.page.getByText("Session ended.").waitFor();
      assert.equal(await rows.count(), 1);
      await isSignedOut(elsewhere);
      await signIn(elsewhere, hub, name);
    });

    test("a wrong password is reported beside its field, a new one ends the other sessions", async () => {
      await go(tab, `${hub.url}/settings/account`);
      await checkPage(tab, "settings-account");
      await changePassword(tab, "not the password at all", NEW_PASSWORD);
      await tab.page.locator("#f-password-current-error").waitFor();
      await checkPage(tab, "settings-account-refused");
      await changePassword(tab, PASSWORD, NEW_PASSWORD);
      await tab.page.getByText("Password changed.").waitFor();
      await isSignedOut(elsewhere);
      await signIn(elsewhere, hub, name, NEW_PASSWORD);
    });

    test("a token is shown once, works, and is revoked", async () => {
      await go(tab, `${hub.url}/settings/tokens`);
      await tab.page.getByText("You have not created any tokens yet.").waitFor();
      await checkPage(tab, "settings-tokens-none");
      await tab.page.getByLabel("Name", { exact: true }).fill("Nightly report");
      await tab.page.getByRole("checkbox", { name: /^read\b/ }).check();
      await press(tab, "Create token");
      await tab.page.getByText("Copy the token now.").waitFor();
      await checkPage(tab, "settings-token-made");
      const token = await copyable(tab);
      assert.equal((await listChats(token)).status, 200);
      await go(tab, `${hub.url}/settings/tokens`);
      await tab.page.getByRole("rowheader", { name: "Nightly report" }).waitFor();
      assert.equal(await tab.page.getByText(token).count(), 0);
      await tab.page.getByRole("button", { name: /^Revoke/ }).first().click();
      await confirm(tab, /^Revoke permanently/);
      await tab.page.getByText("Token revoked.").waitFor();
      assert.equal((await listChats(token)).status, 401);
    });

    test("a token without a name is refused beside its field", async () => {
      await go(tab, `${hub.url}/settings/tokens`);
      await tab.page.getByLabel("Name", { exact: true }).fill(" ");
      await tab.page.getByRole("checkbox", { name: /^read\b/ }).check();
      await press(tab, "Create token");
      await tab.page.locator("#f-name-error").waitFor();
      await checkPage(tab, "settings-token-refused");
    });

    test("the theme is kept in this browser, from the first byte", async () => {
      await go(tab, `${hub.url}/settings/appearance`);
      await checkPage(tab, "settings-appearance");
      const other = theme === "light" ? "Dark" : "Light";
      await tab.page.getByRole("radio", { name: other }).check();
      await tab.page.getByRole("radio", { name: /^Compact/ }).check();
      await press(tab, "Save");
      await tab.page.locator(`html[data-theme="${other.toLowerCase()}"][data-density="compact"]`).waitFor();
      const source = await (await tab.context.request.get(`${hub.url}/agents`)).text();
      assert.match(source, new RegExp(`^<!DOCTYPE html><html[^>]* data-theme="${other.toLowerCase()}"`));
      await tab.page.getByText("Appearance saved in this browser.").waitFor();
      await checkPage(tab, "settings-appearance-other");
      assert.equal(await elsewhere.page.locator("html").getAttribute("data-theme"), "system");
    });

    test("an account is deleted with its name and password", async () => {
      await go(tab, `${hub.url}/settings/account`);
      await leave(tab, "somebody-else");
      await tab.page.locator("#f-delete-name-error").waitFor();
      await leave(tab, name);
      await tab.page.waitForURL((url) => !url.pathname.startsWith("/settings"));
      await isSignedOut(tab);
      await isSignedOut(elsewhere);
    });
  });
}

test("a wrong name or password tells neither from the other", async () => {
  const tab = await openTab(browser);
  tab.expect(/status of 4\d\d/);
  const told = async (name, password) => {
    await tryToSignIn(tab, hub, name, password);
    return tab.page.locator(".form-errors li").innerText();
  };
  assert.equal(await told("ada", "wrong wrong wrong wrong"), await told("nobody-here", PASSWORD));
  await checkPage(tab, "login-wrong");
  await signIn(tab, hub, "ada");
  await signedIn(tab, "ada");
  await tab.close();
});

async function isSignedOut(tab) {
  await go(tab, `${hub.url}/settings/account`);
  await tab.page.waitForURL(/\/login/);
}

async function changePassword(tab, current, password) {
  await tab.page.getByLabel("Current password").fill(current);
  await tab.page.getByLabel("New password").fill(password);
  await press(tab, "Change password");
}

async function leave(tab, name) {
  await tab.page.getByLabel(/^Type .* to confirm$/).fill(name);
  await tab.page.getByLabel("Password", { exact: true }).fill(NEW_PASSWORD);
  await press(tab, "Delete account");
}

const listChats = (token) => fetch(`${hub.url}/api/v1/chats`, { headers: { authorization: `Bearer ${token}` } });
