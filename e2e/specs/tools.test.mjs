// A model that calls tools: tool cards, approvals, and answers that wait in the queue.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startScripted, startTools } from "../lib/agents.mjs";
import { launch, openTab } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { answer, answered, go, hubOfAda, publishInstructions, send, signIn, textOf } from "../lib/walk.mjs";

const ADD = 'call=add {"a": 40, "b": 2}\ncall=fail {}';
const NOTE = 'call=note {"text": "milk"}';

let hub, browser, model, tools;
before(async () => {
  [model, tools, browser] = await Promise.all([startScripted(), startTools(), launch()]);
  const env = { PLEXUS_LLM_BASE_URL: model.url, PLEXUS_LLM_MODEL: "scripted", PLEXUS_MAX_RUNS_PER_AGENT: "1" };
  hub = await hubOfAda(browser, env);
  await withTab({}, async (tab) => {
    await publish(tab, "Adder", "adder", tools.url);
    await publish(tab, "Clerk", "clerk", `${tools.url} ask`);
  });
});
after(async () => {
  await browser?.close();
  await hub?.stop();
  await Promise.all([model?.stop(), tools?.stop()]);
});

async function withTab(mode, then) {
  const tab = await openTab(browser, mode);
  await signIn(tab, hub, "ada");
  await then(tab);
  await tab.close();
}

async function publish(tab, title, name, servers) {
  await go(tab, `${hub.url}/register/instructions`);
  const look = () => checkPage(tab, "instructions-tools");
  await publishInstructions(tab, { title, name, summary: "Uses tools.", instructions: "Use your tools.", servers, look });
}

async function begin(tab, name, text) {
  await go(tab, `${hub.url}/chat?to=@ada/${name}`);
  await tab.islands();
  await send(tab, text);
  await tab.page.waitForURL(/\/chat\/[0-9a-f-]+/);
}

const modes = [
  { theme: "light", width: 1280 },
  { theme: "dark", width: 390 },
];

for (const mode of modes) {
  test(`tools are cards with what they were given and said (${mode.theme}, ${mode.width} px)`, () =>
    withTab(mode, async (tab) => {
      await begin(tab, "adder", ADD);
      assert.match(await answered(tab), /The tools said: 42/);
      await answer(tab).getByText(/\/add$/).click();
      await answer(tab).getByText('"a": 40').waitFor();
      await checkPage(tab, `chat-tools-${mode.theme}`);
    }));

  test(`a question waits, outlives a reload, and is answered once (${mode.theme}, ${mode.width} px)`, () =>
    withTab(mode, async (tab) => {
      await begin(tab, "clerk", NOTE);
      const allow = answer(tab).getByRole("button", { name: "Allow once" });
      await allow.waitFor();
      await answer(tab).getByText('"text": "milk"').waitFor();
      await checkPage(tab, `chat-approval-${mode.theme}`);
      await waitsInSidebar(tab, true);
      assert.match(await tab.page.title(), /^Waiting for you: /);
      const other = await tab.beside();
      await go(other, `${hub.url}/chat`);
      await waitsInSidebar(other, true);
      await tab.page.reload({ waitUntil: "commit" });
      await tab.islands();
      await allow.click();
      await answer(tab).getByText("Allowed.").waitFor();
      await answer(tab).and(tab.page.locator(".done")).waitFor();
      assert.match(await textOf(tab), /Kept note \d+/);
      await waitsInSidebar(tab, false);
      assert.doesNotMatch(await tab.page.title(), /Waiting/);
      await waitsInSidebar(other, false);
      await other.page.close();
      await checkPage(tab, `chat-approved-${mode.theme}`);

      await send(tab, NOTE);
      await answer(tab).getByRole("button", { name: "Refuse" }).click();
      await answer(tab).getByText("Refused.").waitFor();
      await answer(tab).and(tab.page.locator(".done")).waitFor();
    }));

  test(`an answer that waits for its turn says so and can be stopped (${mode.theme}, ${mode.width} px)`, () =>
    withTab(mode, async (tab) => {
      await begin(tab, "adder", "call=sleep {}");
      await answer(tab).getByText("running").waitFor();
      const other = await tab.beside();
      await begin(other, "adder", ADD);
      await answer(other).getByText("Queued (position 1).").waitFor();
      await checkPage(other, `chat-queued-${mode.theme}`);
      await answer(tab).getByRole("button", { name: /^Stop/ }).click();
      await answer(tab).getByText("not finished").waitFor();
      await answer(other).and(other.page.locator(".done")).waitFor();
      assert.equal(await answer(other).getByText("Queued (position").count(), 0);
    }));
}

test("a long argument of an approval is shown whole", () =>
  withTab({ theme: "light", width: 390 }, async (tab) => {
    await begin(tab, "clerk", `call=note {"text": "${"milk-and-honey/".repeat(60)}end"}`);
    await answer(tab).getByRole("button", { name: "Allow once" }).waitFor();
    const [inner, outer] = await answer(tab).locator(".approval pre").evaluate((pre) => [pre.scrollWidth, pre.clientWidth]);
    assert.ok(inner <= outer, `${inner} px of text in ${outer} px`);
    await checkPage(tab, "chat-approval-long");
    await answer(tab).getByRole("button", { name: "Refuse" }).click();
    await answer(tab).getByText("Refused.").waitFor();
  }));

test("without JavaScript the question is on the page while it is being sent, and a form answers it", () =>
  withTab({ script: "off" }, async (tab) => {
    await go(tab, `${hub.url}/chat?to=@ada/clerk`);
    await send(tab, NOTE);
    await answer(tab).getByRole("button", { name: "Allow once" }).waitFor();
    await waitsInSidebar(tab, true);
    await answer(tab).getByRole("button", { name: "Allow once" }).click();
    await answer(tab).getByText("Allowed.").waitFor();
    await answer(tab).getByText(/The tools said: .*Kept note \d+/).waitFor();
  }));

/** Waits until the newest chat of the sidebar says that it waits for its reader, or that nothing is going on. */
async function waitsInSidebar(tab, waits) {
  const words = async () => {
    const when = tab.page.locator("#chats li .when").first();
    const parts = await when.locator("span").evaluateAll((all) =>
      all.filter((one) => getComputedStyle(one).display !== "none").map((one) => one.textContent),
    );
    return parts.join("").trim();
  };
  const expected = waits ? "Waiting for you," : "";
  const until = Date.now() + 20_000;
  while ((await words()) !== expected && Date.now() < until);
  assert.equal(await words(), expected);
}
