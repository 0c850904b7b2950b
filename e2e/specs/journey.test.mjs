// Full journey with third-party agents: the first administrator registers two, finds them, chats, reloads,
// stops one, and asks the guide. A user without that role is refused administrative actions.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startLighthouse, startWeaver } from "../lib/agents.mjs";
import { launch, openTab, SCRIPTS } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { startHub } from "../lib/hub.mjs";
import { answer, answered, countsUp, find, go, press, register, says, send, signUp, textOf } from "../lib/walk.mjs";

const FLASHES = /(\d+)/g;
const ROWS = /row (\d+) of/g;

let browser, lighthouse, weaver;
before(async () => {
  [browser, lighthouse, weaver] = await Promise.all([launch(), startLighthouse("--delay", "0.02"), startWeaver()]);
});
after(async () => {
  await browser?.close();
  await Promise.all([lighthouse?.stop(), weaver?.stop()]);
});

for (const script of SCRIPTS) {
  describe(`the whole way, script ${script}`, () => {
    let hub, tab;
    const look = (name) => checkPage(tab, name);

    before(async () => {
      hub = await startHub();
      tab = await openTab(browser, { script, theme: script === "off" ? "dark" : "light", width: script === "on" ? 1280 : 390 });
    });
    after(async () => {
      await tab?.close();
      await hub?.stop();
    });

    test("the first administrator signs up with the link that the hub printed", async () => {
      await go(tab, hub.adminLink);
      await look("signup-first");
      await signUp(tab, hub.adminLink, "ada");
    });

    test("both agents are registered by their address", async () => {
      await register(tab, hub, lighthouse.url, { look });
      await register(tab, hub, weaver.url);
    });

    test("a word of the description finds each", async () => {
      await find(tab, hub, "harbour", "Lighthouse keeper");
      await look("agent");
      await find(tab, hub, "loom", "Weaver");
      await go(tab, `${hub.url}/agents?q=signals`);
      await look("agents");
    });

    test("a chat streams, and a reload in mid-answer shows every token once", async () => {
      await find(tab, hub, "lighthouse", "Lighthouse keeper");
      await tab.page.getByRole("link", { name: "Chat", exact: true }).last().click();
      await tab.islands();
      await send(tab, "count to 200");
      await says(tab, /\b20\b/);
      await tab.page.reload({ waitUntil: "commit" });
      await says(tab, /\b40\b/);
      assert.equal(countsUp(await answered(tab), FLASHES), 200);
      await look("chat-a2a");
    });

    test("a question of the agent is answered in the same conversation", async () => {
      await send(tab, "ask me something");
      await says(tab, "Which harbour do you mean?");
      await answered(tab);
      await send(tab, "Bergen");
      await says(tab, "I keep the light for Bergen.");
    });

    test("stopping keeps what was written", async () => {
      await find(tab, hub, "loom", "Weaver");
      await tab.page.getByRole("link", { name: "Chat", exact: true }).last().click();
      await tab.islands();
      await send(tab, "weave 2000 rows");
      await says(tab, /row 10 of/);
      await answer(tab).getByRole("button", { name: /^Stop/ }).click();
      await answered(tab, "stopped");
      const rows = countsUp(await textOf(tab), ROWS);
      assert.ok(rows >= 10 && rows < 2000, `${rows} rows were kept`);
    });

    test("the guide finds an agent, and its button continues the chat with that agent", async () => {
      await go(tab, `${hub.url}/chat?to=@plexus/guide`);
      await tab.islands();
      await send(tab, "who repeats signals of a lighthouse?");
      await tab.page.getByRole("button", { name: "Ask Lighthouse keeper" }).click();
      await says(tab, /You said:/);
      await answered(tab);
      await look("chat-guide");
    });

    test("an ordinary person is refused an address of this machine, and told why", async () => {
      const other = await openTab(browser, { script });
      other.expect(/status of 4\d\d/);
      await signUp(other, `${hub.url}/signup`, "grace");
      await go(other, `${hub.url}/register/address`);
      await other.page.getByLabel("Address of the agent").fill(lighthouse.url);
      await press(other, "Fetch card");
      await other.page.getByText(/private|this machine|loopback|public addresses/i).first().waitFor();
      await checkPage(other, "register-refused");
      await other.close();
    });
  });
}
