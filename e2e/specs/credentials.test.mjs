// Agents that require credentials: the owner's for all users, or each user's own.

import { after, before, describe, test } from "node:test";
import { startLighthouse } from "../lib/agents.mjs";
import { launch, openTab } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { startHub } from "../lib/hub.mjs";
import { answered, find, go, press, register, says, send, signUp } from "../lib/walk.mjs";

const TOKEN = "swordfish-0123456789";

let browser, guarded;
before(async () => {
  [browser, guarded] = await Promise.all([launch(), startLighthouse("--token", TOKEN)]);
});
after(async () => {
  await browser?.close();
  await guarded?.stop();
});

for (const [script, theme, width] of [["on", "dark", 1280], ["off", "light", 390]]) {
  describe(`credentials, script ${script}`, () => {
    let hub, ada, grace;
    before(async () => {
      hub = await startHub({ PLEXUS_REGISTRATION: "open" });
      ada = await openTab(browser, { script, theme, width });
      await signUp(ada, hub.adminLink, "ada");
      grace = await openTab(browser, { script, theme, width });
      grace.expect(/status of 422/);
      await signUp(grace, `${hub.url}/signup`, "grace");
    });
    after(async () => {
      await ada?.close();
      await grace?.close();
      await hub?.stop();
    });

    test("the owner registers it; each person brings their own", async () => {
      await register(ada, hub, guarded.url, {
        fill: async () => {
          await ada.page.getByText("It requires a bearer token").waitFor();
          await ada.page.getByRole("radio", { name: /^Each user/ }).check();
          await ada.page.getByLabel("Your credential").fill(TOKEN);
        },
      });
      await chat(ada);
    });

    test("a person without credentials is asked for them, and what cannot be one is refused", async () => {
      await find(grace, hub, "lighthouse", "Lighthouse keeper");
      await checkPage(grace, "agent-asks-for-credentials");
      await grace.page.getByRole("link", { name: "Add your credentials" }).click();
      await grace.page.getByLabel("Token").fill("x".repeat(9_000));
      await checkPage(grace, "credentials");
      await press(grace, "Save credentials");
      await grace.page.locator("#f-secret-error").waitFor();
      await checkPage(grace, "credentials-refused");
    });

    test("with credentials of her own it answers", async () => {
      await grace.page.getByLabel("Token").fill(TOKEN);
      await press(grace, "Save credentials");
      await grace.page.getByRole("heading", { level: 1, name: "Lighthouse keeper" }).waitFor();
      await chat(grace);
    });

    test("deleted credentials are asked for again", async () => {
      await go(grace, `${hub.url}/@grace`);
      await find(grace, hub, "lighthouse", "Lighthouse keeper");
      const page = new URL(grace.page.url()).pathname;
      await go(grace, `${hub.url}${page}/credentials`);
      await grace.page.getByText("Credentials are already stored.").waitFor();
      await press(grace, "Delete credentials");
      await grace.page.getByText("Credentials deleted.").waitFor();
      await go(grace, `${hub.url}${page}`);
      await grace.page.getByRole("link", { name: "Add your credentials" }).waitFor();
    });

    test("the owner's own serve all users if the owner chooses so", async () => {
      await register(ada, hub, guarded.url, {
        fill: async () => {
          await ada.page.getByLabel("Name in its address").fill("for-all");
          await ada.page.getByRole("radio", { name: /^Mine, for all users/ }).check();
          await ada.page.getByLabel("Your credential").fill(TOKEN);
        },
      });
      await chat(grace, "@ada/for-all");
    });

    async function chat(tab, to) {
      if (to) {
        await go(tab, `${hub.url}/chat?to=${to}`);
      } else {
        await find(tab, hub, "lighthouse", "Lighthouse keeper");
        await tab.page.getByRole("link", { name: "Chat", exact: true }).last().click();
      }
      await tab.islands();
      await send(tab, "hello");
      await says(tab, "Good evening from the lighthouse.");
      await answered(tab);
    }
  });
}
