// What a person does, step by step, by the words that the pages show. Each step works with script and without.

import assert from "node:assert/strict";
import { openTab } from "./browser.mjs";
import { startHub } from "./hub.mjs";

export const PASSWORD = "four or five plain words";

/** Some answers take a while on two busy cores. */
const ANSWER = { timeout: 60_000 };

/** A hub with Ada for its administrator. */
export async function hubOfAda(browser, env) {
  const hub = await startHub(env);
  const tab = await openTab(browser);
  await signUp(tab, hub.adminLink, "ada");
  await tab.close();
  return hub;
}

/** A page that streams never finishes loading, so steps wait for what they need instead. */
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

export function press(tab, name) {
  return tab.page.getByRole("button", { name }).click();
}

/**
 * Pastes the address of an agent, vouches for it or leaves it unverified, publishes it here. `look` sees each page on the
 * way, `fill` the one that shows the card.
 */
export async function register(tab, hub, url, { look = async () => {}, fill = async () => {}, vouch = true } = {}) {
  await go(tab, `${hub.url}/register`);
  await look("register");
  await tab.page.getByLabel("Address of the agent").fill(url);
  await press(tab, "Fetch card");
  await tab.page.getByLabel("Name in its address").waitFor();
  await look("register-card");
  await fill();
  await press(tab, "Continue");
  await tab.page.waitForURL(/\/(proof|publish)$/);
  if (tab.page.url().endsWith("/proof")) await prove(tab, { look, vouch });
  await tab.page.getByRole("radio", { name: /Public on this hub/ }).check();
  await look("register-publish");
  await press(tab, "Publish");
  await tab.page.getByRole("heading", { name: /is registered/ }).waitFor();
  await look("register-done");
}

/** What was vouched for before, for another agent at the same origin, is proved already. */
async function prove(tab, { look, vouch }) {
  await look("register-proof");
  const ask = tab.page.getByRole("button", { name: "Vouch for it" });
  if (vouch && (await ask.count()) > 0) await ask.first().click();
  await tab.page.getByRole("button", { name: vouch ? "Continue" : "Continue as unverified", exact: true }).click();
}

/** Types words into the search box and opens the agent of that name. */
export async function find(tab, hub, words, name) {
  await go(tab, `${hub.url}/`);
  await tab.page.getByRole("main").getByRole("searchbox").fill(words);
  await tab.page.getByRole("main").getByRole("button", { name: "Search" }).click();
  await tab.page.getByRole("main").getByRole("link", { name, exact: true }).click();
  await tab.page.getByRole("heading", { name, level: 1 }).waitFor();
}

/**
 * Sends a message. The first one of a chat leads to the chat's page, and ends when that one is live: its text stands in the HTML
 * before its scripts have arrived.
 */
export async function send(tab, text) {
  const box = tab.page.locator("#composer-text");
  const isFirst = new URL(tab.page.url()).pathname === "/chat";
  if (text.length > LONG) await paste(box, text);
  else await box.fill(text);
  tab.answersBefore = await tab.page.locator(ANSWERS).count();
  await press(tab, "Send");
  if (!isFirst || tab.mode.script !== "on") return;
  await tab.page.waitForURL(/\/chat\/./, { waitUntil: "commit" });
  await tab.islands();
}

/** Typing a long text takes a browser minutes. */
const LONG = 10_000;
const paste = (box, text) =>
  box.evaluate((element, value) => {
    element.value = value;
    element.dispatchEvent(new Event("input", { bubbles: true }));
  }, text);

const ANSWERS = "#thread article.agent";

/** The last message that an agent wrote. */
export const answer = (tab) => tab.page.locator(ANSWERS).last();

/**
 * Waits until the answer to what was sent last has ended as `state`, and gives its text. Without the island a page ends with its answer,
 * and still says that the answer is open: what it showed must be what the chat's own page shows.
 */
export async function answered(tab, state = "done") {
  if (tab.mode.script !== "on") await followed(tab);
  const awaited = tab.page.locator(ANSWERS).nth(tab.answersBefore ?? -1);
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

/** The number that `pattern` finds in each of its places, which must be 1, 2, 3, … with none missing or told twice. */
export function countsUp(text, pattern) {
  const numbers = Array.from(text.matchAll(pattern), (match) => Number(match[1]));
  numbers.forEach((number, index) => assert.equal(number, index + 1, `after ${index} comes ${number}`));
  return numbers.length;
}

export const chatOf = (tab) => new URL(tab.page.url()).pathname;
