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

test("settings of a model are checked, saved and shown in the list of models", async () => {
  await go(tab, `${hub.url}/admin/models/desk`);
  await tab.page.getByRole("link", { name: "Edit scripted" }).click();
  await tab.page.getByRole("heading", { name: "scripted", level: 1 }).waitFor();
  await checkPage(tab, "model-settings");
  await tab.page.getByLabel("Display name").fill("Counter");
  await tab.page.getByLabel("Price of a million tokens").fill("cheap");
  await press(tab, "Save settings");
  await tab.page.getByText("Enter two numbers, as in 0.15/0.60.").first().waitFor();
  assert.equal(await tab.page.getByLabel("Display name").inputValue(), "Counter");
  await checkPage(tab, "model-settings-refused");
  await tab.page.getByLabel("Price of a million tokens").fill("1000/2000");
  await tab.page.getByLabel("Reasoning").selectOption("no");
  await press(tab, "Save settings");
  await notice("Saved.");
  await tab.page.getByRole("row", { name: /Counter/ }).getByText("1000/2000").waitFor();
  await checkPage(tab, "model-list");
  await go(tab, `${hub.url}/admin/models`);
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

test("a model is offered in chats and answers by itself", async () => {
  await go(tab, `${hub.url}/admin/models/desk`);
  await press(tab, "Offer in chats");
  await tab.page.getByRole("heading", { name: "Counter", level: 1 }).waitFor();
  assert.match(tab.page.url(), /\/@models\/counter/);
  await checkPage(tab, "direct-model");
  await go(tab, `${hub.url}/chat`);
  await checkPage(tab, "new-chat-with-model");
  await tab.page.getByRole("link", { name: /Counter/ }).first().click();
  await tab.islands();
  await send(tab, "Count.");
  assert.equal((await answered(tab)).trim(), "t1 t2 t3 t4");
});

test("a provider takes keys of users, who enter and remove theirs", async () => {
  await go(tab, `${hub.url}/admin/models/desk`);
  await tab.page.getByLabel("Used when the user has one").check();
  await press(tab, "Save and test");
  await notice("Saved.");
  await go(tab, `${hub.url}/settings/usage`);
  await tab.page.getByRole("link", { name: "Model keys" }).click();
  await tab.page.getByRole("row", { name: /desk/ }).getByText("The hub pays").waitFor();
  await tab.page.getByLabel("API key").fill("key of mine");
  await press(tab, "Save key");
  await tab.page.getByText(/An API key has no spaces/).first().waitFor();
  await checkPage(tab, "model-keys-refused");
  await tab.page.getByLabel("API key").fill("key-of-mine");
  await press(tab, "Save key");
  await tab.page.getByRole("row", { name: /desk/ }).getByText("Added").waitFor();
  await checkPage(tab, "model-keys");
  await press(tab, "Remove desk");
  await confirm(tab, "Remove key");
  await tab.page.getByRole("row", { name: /desk/ }).getByText("None").waitFor();
});

test("use and cost are shown with charts, and a budget alerts", async () => {
  await go(tab, `${hub.url}/admin/usage`);
  await tab.page.getByRole("img", { name: /Tokens of each day/ }).waitFor();
  await tab.page.getByRole("row", { name: /desk\/scripted/ }).waitFor();
  await tab.page.getByRole("row", { name: /@ada\/clerk/ }).waitFor();
  await checkPage(tab, "admin-usage");
  await tab.page.getByRole("textbox", { name: /^Budget/ }).fill("0.0001");
  await press(tab, "Save budget");
  await notice("Saved.");
  await tab.page.getByText(/Models have cost [\d.]+ this month/).waitFor();
  await checkPage(tab, "admin-usage-alert");
  const [file] = await Promise.all([tab.page.waitForEvent("download"), tab.page.getByRole("link", { name: "Download as CSV" }).click()]);
  assert.equal(file.suggestedFilename(), "plexus-usage.csv");
  await go(tab, `${hub.url}/settings/usage`);
  await tab.page.getByRole("row", { name: /@ada\/clerk/ }).waitFor();
  await checkPage(tab, "settings-usage");
  await tab.page.getByRole("link", { name: "7 days" }).click();
  await tab.page.getByRole("link", { name: "7 days", exact: true }).and(tab.page.locator("[aria-current]")).waitFor();
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
