// Model agent, on a real small model behind an OpenAI-compatible server.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startModel } from "../lib/agents.mjs";
import { launch, openTab } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { startHub } from "../lib/hub.mjs";
import { ANSWER, answer, answered, go, newAnswer, press, publishInstructions, send, signUp, textOf } from "../lib/walk.mjs";

let hub, browser, model, tab;
before(async () => {
  model = await startModel();
  hub = await startHub({ PLEXUS_LLM_BASE_URL: model.url, PLEXUS_LLM_MODEL: "smollm2" });
  browser = await launch();
  tab = await openTab(browser);
  await signUp(tab, hub.adminLink, "ada");
});
after(async () => {
  await browser?.close();
  await hub?.stop();
  await model?.stop();
});

test("an agent is made of instructions and a model", async () => {
  await go(tab, `${hub.url}/register/instructions`);
  await checkPage(tab, "instructions");
  const summary = "Answers questions about the sea.";
  await publishInstructions(tab, { title: "Tide clerk", name: "tides", summary, instructions: "You answer in one short sentence." });
});

test("it streams, counts its tokens, and remembers the conversation", async () => {
  await go(tab, `${hub.url}/chat?to=@ada/tides`);
  await tab.islands();
  await send(tab, "Say hello to the sea.");
  assert.ok((await answered(tab)).length > 0);
  assert.match(await answer(tab).locator("footer").innerText(), /\d+ tokens?/);
  await send(tab, "And again.");
  await answered(tab);
  await checkPage(tab, "chat-llm");
});

test("it gets a text file to answer from", async () => {
  await go(tab, `${hub.url}/@ada/tides/manage`);
  const guide = { name: "guide.md", mimeType: "text/markdown", buffer: Buffer.from("# Fees\n\nA berth costs ten crowns.\n") };
  await tab.page.getByLabel("Text and PDF files").setInputFiles(guide);
  await press(tab, "Add files");
  await tab.page.getByText("File added.").waitFor();
  await tab.page.getByRole("rowheader", { name: "guide.md" }).waitFor();
  await checkPage(tab, "knowledge");
  tab.expect(/422/);
  await tab.page.getByLabel("Text and PDF files").setInputFiles({ name: "photo.png", mimeType: "image/png", buffer: Buffer.from([0x89]) });
  await press(tab, "Add files");
  await tab.page.getByText("photo.png is neither a text file nor a PDF file.").first().waitFor();
  await checkPage(tab, "knowledge-refused");
  await go(tab, `${hub.url}/chat?to=@ada/tides`);
  await tab.islands();
  await send(tab, "What does a berth cost?");
  assert.ok((await answered(tab)).length > 0);
});

test("it can be stopped in mid-answer", async () => {
  // Race: a small model may finish before the button is pressed. Then it is asked again.
  for (let asked = 1; !(await stoppedInMidAnswer()); asked++) {
    assert.ok(asked < TRIES, `${TRIES} answers ended by themselves`);
  }
  assert.ok((await textOf(tab)).length > 0);
  await tab.close();
});

const TRIES = 5;
async function stoppedInMidAnswer() {
  await send(tab, "Tell a very long story about a lighthouse, with many chapters.");
  const mine = newAnswer(tab);
  const ended = mine.and(tab.page.locator(".stopped, .done"));
  await mine.locator(".body").getByText(/\w+ \w+/).first().waitFor(ANSWER);
  const stop = mine.getByRole("button", { name: /^Stop/ });
  await Promise.race([stop.click().catch(() => {}), ended.waitFor(ANSWER)]);
  await ended.waitFor(ANSWER);
  return mine.evaluate((article) => article.classList.contains("stopped"));
}
