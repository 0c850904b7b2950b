// User actions, found by the visible text of the pages. Each one works with and without JavaScript.

import assert from "node:assert/strict";
import { openTab } from "./browser.mjs";
import { startHub } from "./hub.mjs";

export const PASSWORD = "four or five plain words";

/** Generous: some answers are those of a real model, on two cores that other tests use too. */
export const ANSWER = { timeout: 180_000 };

/** Starts a hub with Ada as its administrator. */
export async function hubOfAda(browser, env) {
  const hub = await startHub(env);
  const tab = await openTab(browser);
  await signUp(tab, hub.adminLink, "ada");
  await tab.close();
  return hub;
}

/**
 * Opens a URL. A streaming page never finishes loading, so each action waits for the elements that it needs.
 */
export async function go(tab, url) {
  return tab.page.goto(url, { waitUntil: "commit" });
}

export async function signUp(tab, url, name) {
  await tryToSignUp(tab, url, name);
  await signedIn(tab, name);
}

export async function tryToSignUp(tab, url, name) {
  await go(tab, url);
  await tab.page.getByLabel("Name", { exact: true }).fill(name);
  await tab.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await press(tab, "Sign up");
}

export async function signIn(tab, hub, name, password = PASSWORD) {
  await tryToSignIn(tab, hub, name, password);
  await signedIn(tab, name);
}

export async function tryToSignIn(tab, hub, name, password = PASSWORD) {
  await go(tab, `${hub.url}/login`);
  await tab.page.getByLabel("Name", { exact: true }).fill(name);
  await tab.page.getByLabel("Password", { exact: true }).fill(password);
  await tab.page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
}

export function signedIn(tab, name) {
  return tab.page.getByText(`Account of ${name}`).waitFor({ state: "attached" });
}

/** Presses the button of an open confirmation dialog. */
export function confirm(tab, name) {
  return tab.page.locator("dialog:popover-open, dialog[open]").getByRole("button", { name }).click();
}

export function press(tab, name) {
  return tab.page.getByRole("button", { name }).click();
}

/**
 * Registers the agent at a URL and publishes it on this hub, with or without trusting its origin. `look` is
 * called for each page on the way, `fill` for the page of the agent card.
 */
export async function register(tab, hub, url, { look = async () => {}, fill = async () => {}, trust = true } = {}) {
  await go(tab, `${hub.url}/register`);
  await look("register");
  await tab.page.getByRole("link", { name: "The address of an A2A agent" }).click();
  await look("register-address");
  await tab.page.getByLabel("Address of the agent").fill(url);
  await press(tab, "Fetch card");
  await tab.page.getByLabel("Name in its address").waitFor();
  await look("register-card");
  await fill();
  await press(tab, "Continue");
  await tab.page.waitForURL(/\/(proof|publish)$/);
  if (tab.page.url().endsWith("/proof")) await prove(tab, { look, trust });
  await tab.page.getByRole("radio", { name: /Public on this hub/ }).check();
  await look("register-publish");
  await press(tab, "Publish");
  await tab.page.getByRole("heading", { name: /is registered/ }).waitFor();
  await look("register-done");
}

/** Completes origin verification. An origin that was trusted for another agent is verified already. */
async function prove(tab, { look, trust }) {
  await look("register-proof");
  const ask = tab.page.getByRole("button", { name: "Trust origin" });
  if (trust && (await ask.count()) > 0) await ask.first().click();
  await tab.page.getByRole("button", { name: trust ? "Continue" : "Continue as unverified", exact: true }).click();
}

/**
 * Fills the open form of an agent made of instructions, and publishes the agent. `look` is called for the filled form.
 */
export async function publishInstructions(tab, { title, name, summary, instructions, servers = "", look = async () => {} }) {
  await tab.page.getByLabel("Title").fill(title);
  await tab.page.getByLabel("Name in its address").fill(name);
  await tab.page.getByLabel("Summary").fill(summary);
  await tab.page.getByLabel("Instructions").fill(instructions);
  await tab.page.getByLabel("MCP servers").fill(servers);
  await look();
  await press(tab, "Continue");
  await press(tab, "Publish");
  await tab.page.getByRole("heading", { name: `${title} is registered` }).waitFor();
}

/** The text that the page offers to copy, such as a new link. */
export async function copyable(tab) {
  return (await tab.page.locator(".copyable code").first().innerText()).trim();
}

/** Searches for words and opens the agent of that name. */
export async function find(tab, hub, words, name) {
  await go(tab, `${hub.url}/`);
  await tab.page.getByRole("main").getByRole("searchbox").fill(words);
  await tab.page.getByRole("main").getByRole("button", { name: "Search" }).click();
  await tab.page.getByRole("main").getByRole("link", { name, exact: true }).click();
  await tab.page.getByRole("heading", { name, level: 1 }).waitFor();
}

/**
 * Sends a message. The first one of a chat opens the chat's page and resolves when its islands run: the HTML
 * shows the text before the scripts are loaded.
 */
export async function send(tab, text) {
  const box = tab.page.locator("#composer-text");
  const isFirst = new URL(tab.page.url()).pathname === "/chat";
  if (text.length > LONG) await paste(box, text);
  else await box.fill(text);
  await rememberAnswer(tab);
  await tab.page.getByRole("button", { name: "Send", exact: true }).click();
  if (!isFirst || tab.mode.script !== "on") return;
  await tab.page.waitForURL(/\/chat\/./, { waitUntil: "commit" });
  await tab.islands();
}

/** A browser takes minutes to type a long text. */
const LONG = 10_000;
const paste = (box, text) =>
  box.evaluate((element, value) => {
    element.value = value;
    element.dispatchEvent(new Event("input", { bubbles: true }));
  }, text);

const ANSWERS = "#thread article.agent";

/** Remembers the last answer before a message is sent. A long page removes its oldest ones, so they are not counted. */
export async function rememberAnswer(tab) {
  const ids = await tab.page.locator(ANSWERS).evaluateAll((answers) => answers.map(({ id }) => id));
  tab.answerBefore = ids.at(-1) ?? null;
}

/** The first answer to the last message. */
export const newAnswer = ({ page, answerBefore }) => page.locator(answerBefore ? `[id="${answerBefore}"] ~ article.agent` : ANSWERS).first();

/** The last message of an agent. */
export const answer = (tab) => tab.page.locator(ANSWERS).last();

/**
 * Waits until the answer to the last message has ended as `state`, and returns its text. Without the island,
 * the streamed page ends with the answer but still shows it as open. Its text must equal that of the chat's
 * own page.
 */
export async function answered(tab, state = "done") {
  if (tab.mode.script !== "on") await followed(tab);
  const awaited = tab.answerBefore === undefined ? answer(tab) : newAnswer(tab);
  await awaited.and(tab.page.locator(`.${state}`)).waitFor(ANSWER);
  return textOf(tab);
}

async function followed(tab) {
  await tab.page.waitForLoadState("load", ANSWER);
  if (!tab.page.url().endsWith("?follow")) return;
  const shown = await textOf(tab);
  await go(tab, tab.page.url().replace("?follow", ""));
  await answer(tab).waitFor();
  assert.equal(await textOf(tab), shown);
}

export async function says(tab, pattern) {
  await answer(tab).getByText(pattern).first().waitFor(ANSWER);
}

export async function textOf(tab) {
  return answer(tab).locator(".body").innerText();
}

/**
 * Asserts that the numbers matched by `pattern` are 1, 2, 3, … without gaps or duplicates. Returns their
 * count.
 */
export function countsUp(text, pattern) {
  const numbers = Array.from(text.matchAll(pattern), (match) => Number(match[1]));
  numbers.forEach((number, index) => assert.equal(number, index + 1, `after ${index} comes ${number}`));
  return numbers.length;
}

export const chatOf = (tab) => new URL(tab.page.url()).pathname;

/** Calls the API of the hub in the session of a tab. */
export async function api(tab, hub, method, path, body) {
  const headers = { "content-type": "application/json", origin: hub.url };
  const data = body && JSON.stringify(body);
  const answer = await tab.context.request.fetch(`${hub.url}/api/v1${path}`, { method, headers, data });
  assert.ok(answer.ok(), `${method} ${path}: ${answer.status()} ${await answer.text()}`);
  return answer.json();
}

/** Asks the calculator `1 + 0`, `2 + 0`, … in a new chat, each after the answer to the one before. Returns its path. */
export async function writeChat(tab, hub, questions) {
  const { chat } = await api(tab, hub, "POST", "/chats", { id: crypto.randomUUID(), text: "1 + 0", to: "@plexus/calc" });
  const path = `/chat/${chat}`;
  await answeredOverApi(tab, hub, path);
  await askAll(tab, hub, path, 2, questions);
  return path;
}

/** Asks such questions from number `from` to number `to` over the API. */
export async function askAll(tab, hub, path, from, to) {
  for (let number = from; number <= to; number += 1) await askOverApi(tab, hub, path, `${number} + 0`);
}

/** Asks over the API in the chat at this path of a page, and waits until the answer has ended. */
export async function askOverApi(tab, hub, path, text) {
  await api(tab, hub, "POST", `${path.replace("/chat/", "/chats/")}/messages`, { id: crypto.randomUUID(), text });
  await answeredOverApi(tab, hub, path);
}

/** Waits until the last message of a chat has ended. */
export async function answeredOverApi(tab, hub, path) {
  for (let state = "open"; state === "open"; ) {
    const { messages } = await api(tab, hub, "GET", path.replace("/chat/", "/chats/"));
    state = messages.at(-1).state;
  }
}
