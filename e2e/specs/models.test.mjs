// Model providers in the browser: found on this machine or entered, tested, used by an agent, paused and removed.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startScripted } from "../lib/agents.mjs";
import { launch, openTab } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { startHub } from "../lib/hub.mjs";
import { answered, confirm, go, press, publishInstructions, send, signUp } from "../lib/walk.mjs";

let hub, browser, model, tab;
before(async () => {
  model = await startScripted("--tokens", "4", "--rate", "0");
  hub = await startHub();
  browser = await launch();
  tab = await openTab(browser);
  tab.expect(/status of 422/);
  await signUp(tab, hub.adminLink, "ada");
});
after(async () => {
  await browser?.close();
  await hub?.stop();
  await model?.stop();
});

// The page may also offer "Connect without a test".
const pressConnect = () => tab.page.getByRole("button", { name: "Connect", exact: true }).click();
const notice = (text) => tab.page.getByRole("status").filter({ hasText: text }).waitFor();

test("an administrator without a model is led to the page that connects one", async () => {
  await go(tab, `${hub.url}/register/instructions`);
  await tab.page.getByRole("link", { name: "Connect a model" }).click();
  await tab.page.getByRole("heading", { name: "Models", level: 1 }).waitFor();
  await checkPage(tab, "models-empty");
});

test("a server that does not answer is refused at its field", async () => {
  await tab.page.getByRole("link", { name: "Ollama" }).click();
  await tab.page.getByRole("heading", { name: "Connect Ollama" }).waitFor();
  assert.equal(await tab.page.getByLabel("Address").inputValue(), "http://127.0.0.1:11434/v1");
  await tab.page.getByLabel("Address").fill("http://127.0.0.1:9/v1");
  await pressConnect();
  await tab.page.getByRole("button", { name: "Connect without a test" }).waitFor();
  await checkPage(tab, "models-refused");
});

test("a provider is connected and its model tested", async () => {
  await tab.page.getByLabel("Name").fill("desk");
  await tab.page.getByLabel("Address").fill(model.url);
  await pressConnect();
  await notice("Provider connected.");
  await tab.page.getByText(/Answers after \d+ ms/).waitFor();
  await checkPage(tab, "model-provider");
  await go(tab, `${hub.url}/admin/models`);
  await tab.page.getByRole("row", { name: /desk/ }).getByText(/Answers after/).waitFor();
  await checkPage(tab, "models");
});

test("an agent is created with it and answers", async () => {
  await tab.page.getByRole("link", { name: "Manage" }).click();
  await tab.page.getByRole("link", { name: "Create agent" }).click();
  assert.equal(await tab.page.getByLabel("Model").inputValue(), "desk/scripted");
  await publishInstructions(tab, { title: "Clerk", name: "clerk", summary: "Counts.", instructions: "Count." });
  await go(tab, `${hub.url}/chat?to=@ada/clerk`);
  await tab.islands();
  await send(tab, "Count.");
  assert.equal((await answered(tab)).trim(), "t1 t2 t3 t4");
});

test("a provider is paused, resumed and removed after a question", async () => {
  await go(tab, `${hub.url}/admin/models/desk`);
  await press(tab, "Pause");
  await notice("Provider paused.");
  await checkPage(tab, "model-provider-paused");
  await press(tab, "Resume");
  await notice("Provider resumed.");
  await press(tab, "Remove");
  await confirm(tab, "Remove provider");
  await notice("Provider removed.");
  await tab.page.getByRole("heading", { name: "No model yet" }).waitFor();
  await tab.close();
});
