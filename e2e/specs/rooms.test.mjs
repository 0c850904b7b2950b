// Rooms: several people and agents in one chat, in two browsers and on a phone; by keyboard; without JavaScript.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, nameOf, openTab, PAIRED_MODES } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { answered, api, copyable, go, hubOfAda, press, send, signIn, signUp } from "../lib/walk.mjs";

const PEOPLE = ["bob", "rita"];

let hub, browser;
before(async () => {
  browser = await launch();
  hub = await hubOfAda(browser, { PLEXUS_REGISTRATION: "open" });
  for (const name of PEOPLE) {
    const tab = await openTab(browser);
    await signUp(tab, `${hub.url}/signup`, name);
    await tab.close();
  }
});
after(async () => {
  await browser?.close();
  await hub?.stop();
});

test("two browsers and a phone agree on a conversation of two people with two agents", async () => {
  const ada = await at("ada", { theme: "light", width: 1280 });
  const bob = await at("bob", { theme: "dark", width: 1280 });
  const chat = await begin(ada, "6 * 7");
  await invite(ada, chat, { user: "bob" });

  await go(bob, `${hub.url}/chat`);
  await bob.page.getByRole("link", { name: "Invitations: 1" }).click();
  await bob.page.getByRole("heading", { name: "Invitations" }).waitFor();
  await checkPage(bob, "chat-invitations");
  await press(bob, /^Accept/);
  await bob.page.waitForURL(`${hub.url}${chat}`);
  await bob.islands();
  await bob.page.getByText("People: ada, bob").waitFor();
  await go(ada, hub.url + chat);
  await ada.islands();
  const phone = await at("bob", { theme: "dark", width: 390 });
  await go(phone, hub.url + chat);
  await phone.islands();
  const tabs = [ada, bob, phone];

  await bob.page.locator("#composer-text").pressSequentially("hello");
  await typing(ada, "bob is typing…");
  for (const tab of [bob, phone]) await typing(tab, "");
  await say(bob, "@plexus/text Count these four words");
  for (const tab of tabs) await articles(tab, 4);
  await typing(ada, "");
  await ada.page.locator("#composer-text").pressSequentially("hello");
  for (const tab of [bob, phone]) await typing(tab, "ada is typing…");
  await checkPage(phone, "chat-room-typing");
  const live = "[role=status], [role=alert], [aria-live]:not([aria-live=off])";
  assert.ok(await bob.page.locator("#room-typing").evaluate((line, live) => !line.closest(live), live), "no announcement");
  await say(ada, "@bob thank you");
  for (const tab of tabs) await articles(tab, 5);
  for (const tab of [bob, phone]) await typing(tab, "");
  await say(phone, "@plexus/calc 10 * 10");
  for (const tab of tabs) await articles(tab, 7);
  const [first, ...others] = await Promise.all(tabs.map(conversation));
  assert.match(first.at(-1), /100/);
  for (const other of others) assert.deepEqual(other, first);

  assert.equal(await own(ada).count(), 2, "the first message and the one to Bob");
  assert.equal(await own(bob).count(), 2);
  assert.equal(await ada.page.locator(".message.person:not(.own) [data-edit]:visible").count(), 0);
  for (const tab of tabs) await checkPage(tab, "chat-room");
  const still = await at("rita", { script: "off", theme: "light", width: 390 });
  await invite(ada, chat, { user: "rita", role: "reader" });
  await go(still, `${hub.url}/chat/invitations`);
  await press(still, /^Accept/);
  await still.page.getByText("You can only read this chat.").waitFor();
  assert.deepEqual(await conversation(still), first);
  await checkPage(still, "chat-reader");

  const menu = ada.page.locator(".room-head");
  await menu.getByRole("link", { name: /^People: ada, bob/ }).click();
  await ada.page.getByRole("heading", { name: "People", exact: true }).waitFor();
  bob.expect(/404|stream/i);
  phone.expect(/404|stream/i);
  const dialog = await removal(ada, "bob");
  await dialog.getByRole("button", { name: /^Remove from chat/ }).click();
  await ada.page.getByText("User removed from the chat.").waitFor();
  for (const tab of [bob, phone]) await tab.page.locator(".offline").getByText("You are no longer a member of this chat.").waitFor();
  await checkPage(phone, "chat-room-removed");
  await go(bob, hub.url + chat);
  await bob.page.getByRole("heading", { name: "Not found" }).or(bob.page.getByText("Chat not found.")).first().waitFor();
  for (const tab of [...tabs, still]) await tab.close();
});

for (const mode of PAIRED_MODES) {
  test(`a question is handed over to an agent that the answer mentions, ${nameOf(mode)}`, async () => {
    const ada = await at("ada", mode);
    const chat = await begin(ada, "1 + 1");
    for (const text of ["@plexus/text one two", "@plexus/calc see @plexus/text"]) {
      await go(ada, hub.url + chat);
      await ada.islands();
      await send(ada, text);
      await answered(ada);
    }
    await go(ada, hub.url + chat);
    await ada.islands();
    await checkPage(ada, "chat-hand-over");
    await ada.page.getByRole("button", { name: "Ask @plexus/text" }).click();
    await ada.page.locator("#thread article.message").nth(7).waitFor();
    await ada.page.getByText("@plexus/text see @plexus/text").waitFor();
    const name = await ada.page.locator("#thread article.message.agent h2 .address").last().textContent();
    assert.equal(name, "@plexus/text");
    await ada.close();
  });
}

test("a member stops an answer to the own message only, and the owner every answer", async () => {
  const program = await hub.join("slow", ["sh", "-c", "echo Begun; exec sleep 600"], ["--visibility", "public", "--access", "open"]);
  const [ada, bob] = [await at("ada"), await at("bob")];
  const chat = await begin(ada, "1 + 1");
  await invite(ada, chat, { user: "bob" });
  await accept(bob);
  for (const tab of [ada, bob]) await opened(tab, chat);
  await say(ada, "@ada/slow hello");
  for (const tab of [ada, bob]) await running(tab).getByText("Begun").waitFor();
  assert.equal(await stops(bob).count(), 0);
  await checkPage(bob, "chat-room-answering");
  await stops(ada).last().click();
  for (const tab of [ada, bob]) await running(tab).waitFor({ state: "detached" });
  await say(bob, "@ada/slow hello");
  for (const tab of [ada, bob]) await running(tab).getByText("Begun").waitFor();
  await stops(bob).first().click();
  for (const tab of [ada, bob]) await running(tab).waitFor({ state: "detached" });
  await say(bob, "@ada/slow hello");
  await running(ada).getByText("Begun").waitFor();
  await stops(ada).first().click();
  for (const tab of [ada, bob]) {
    await tab.page.locator("#thread article.agent.stopped").nth(2).waitFor();
    await tab.close();
  }
  await program.stop();
});

test("an unread room is marked until it is opened", async () => {
  const [ada, bob] = [await at("ada"), await at("bob")];
  const chat = await begin(ada, "1 + 1");
  await invite(ada, chat, { user: "bob" });
  await accept(bob);
  await go(bob, `${hub.url}/chat`);
  await bob.islands();
  const row = bob.page.locator(`#chats li[data-chat="${chat.split("/").at(-1)}"]`);
  await row.and(bob.page.locator(".unread.shared")).waitFor();
  await go(bob, hub.url + chat);
  await bob.islands();
  await row.and(bob.page.locator(":not(.unread)")).waitFor();
  await go(bob, `${hub.url}/chat`);
  await say(await opened(ada, chat), "@bob hello");
  await row.and(bob.page.locator(".unread")).waitFor({ timeout: 20_000 });
  await checkPage(bob, "chat-unread");
  for (const tab of [ada, bob]) await tab.close();
});

test("a user is invited, joins and writes by keyboard alone", async () => {
  const [ada, bob] = [await at("ada"), await at("bob", { theme: "dark", width: 390 })];
  const chat = await begin(ada, "2 + 2");
  await go(ada, `${hub.url}${chat}/people`);
  await focus(ada, ada.page.getByLabel("User", { exact: true }));
  await ada.page.keyboard.type("bob");
  await ada.page.keyboard.press("Enter");
  await ada.page.getByText("User invited.").waitFor();

  await go(bob, `${hub.url}/chat/invitations`);
  await focus(bob, bob.page.getByRole("button", { name: /^Accept/ }).first());
  await bob.page.keyboard.press("Enter");
  await bob.page.waitForURL(`${hub.url}${chat}`);
  await bob.islands();
  await bob.page.locator("#composer-text").focus();
  await bob.page.keyboard.type("@ada hello");
  await bob.page.keyboard.press("Control+Enter");
  await articles(bob, 3);
  await focus(bob, bob.page.getByRole("link", { name: /^People: / }));
  await bob.page.keyboard.press("Enter");
  await focus(bob, bob.page.getByRole("button", { name: "Leave chat" }));
  await bob.page.keyboard.press("Enter");
  const leave = bob.page.getByRole("dialog").getByRole("button", { name: "Leave", exact: true });
  await focus(bob, leave);
  await bob.page.keyboard.press("Enter");
  await bob.page.getByText("You have left the chat.").waitFor();
  for (const tab of [ada, bob]) await tab.close();
});

for (const mode of PAIRED_MODES) {
  test(`people are invited by a link and get roles, ${nameOf(mode)}`, async () => {
    const [ada, rita] = [await at("ada", mode), await at("rita", mode)];
    const chat = await begin(ada, "3 + 3");
    await go(ada, `${hub.url}${chat}/people`);
    await checkPage(ada, "chat-people-alone");
    await press(ada, "Create link");
    await ada.page.getByText("Send this link.").waitFor();
    const link = await copyable(ada);
    await ada.picture("chat-people-link");

    await go(rita, link);
    await rita.page.getByRole("heading", { name: /^Join/ }).waitFor();
    await checkPage(rita, "chat-join");
    await press(rita, "Join chat");
    await rita.page.waitForURL(`${hub.url}${chat}`);
    await go(ada, `${hub.url}${chat}/people`);
    await checkPage(ada, "chat-people");
    await ada.page.getByLabel("Role of rita").selectOption("reader");
    await press(ada, /^Change role/);
    await ada.page.getByText("Role changed.").waitFor();
    await ada.page.getByLabel("Limit of @plexus/calc", { exact: true }).fill("1");
    await press(ada, /^Set limit/);
    await ada.page.getByText("Saved.").waitFor();
    await go(ada, hub.url + chat);
    await ada.page.getByText("@plexus/calc has reached its limit in this chat: 1 answer a day.").waitFor();
    await checkPage(ada, "chat-limit-reached");
    if (mode.script !== "off") {
      await ada.islands();
      ada.expect(/429/);
      await say(ada, "1 + 1");
      await ada.page.locator("#composer-error").getByText("Ask another agent.").waitFor();
    }
    await go(rita, `${hub.url}${chat}`);
    await rita.page.getByText("You can only read this chat.").waitFor();
    await go(rita, `${hub.url}${chat}/people`);
    await checkPage(rita, "chat-people-reader");
    for (const tab of [ada, rita]) await tab.close();
  });
}

async function at(name, mode = {}) {
  const tab = await openTab(browser, mode);
  await signIn(tab, hub, name);
  return tab;
}

/** Begins a chat with the calculator. Returns its path. */
async function begin(tab, text) {
  await go(tab, `${hub.url}/chat?to=@plexus/calc`);
  await tab.islands();
  await send(tab, text);
  await answered(tab);
  return new URL(tab.page.url()).pathname;
}

async function opened(tab, chat) {
  await go(tab, hub.url + chat);
  await tab.islands();
  return tab;
}

const invite = (tab, chat, body) => api(tab, hub, "POST", `/chats/${chat.split("/").at(-1)}/invitations`, body);

/** Accepts the only invitation without opening the room. */
async function accept(tab) {
  const { items } = await api(tab, hub, "GET", "/invitations");
  await api(tab, hub, "POST", `/invitations/${items[0].id}/accept`, {});
}

async function say(tab, text) {
  await tab.page.locator("#composer-text").fill(text);
  await tab.page.getByRole("button", { name: "Send", exact: true }).click();
}

/** Waits until this number of messages is shown and none is being written. */
async function articles(tab, count) {
  await tab.page.locator("#thread article.message").nth(count - 1).waitFor({ timeout: 30_000 });
  await tab.page.locator("#thread article[aria-busy], #thread article.sending").first().waitFor({ state: "detached", timeout: 30_000 });
  assert.equal(await tab.page.locator("#thread article.message").count(), count);
}

/** Waits until the line on people that type has this text. */
const typing = (tab, text) =>
  tab.page.waitForFunction((text) => document.getElementById("room-typing").textContent === text, text, { timeout: 10_000 });

const running = (tab) => tab.page.locator("#thread article[aria-busy]");

/** The visible buttons that stop an answer: the one of its article, and the one above the composer. */
const stops = (tab) => tab.page.getByRole("button", { name: /^Stop/ }).filter({ visible: true });

const own = (tab) => tab.page.locator("#thread article.message.own");

/** The authors and texts of all messages. */
const conversation = (tab) =>
  tab.page.locator("#thread article.message").evaluateAll((all) =>
    all.map((article) => `${article.querySelector("h2").textContent}: ${article.querySelector(".body").textContent.trim()}`),
  );

async function removal(tab, name) {
  await tab.page.getByRole("row", { name: new RegExp(`^${name}`) }).getByRole("button", { name: /^Remove/ }).first().click();
  return tab.page.getByRole("dialog");
}

/** Moves the focus to an element by the Tab key. */
async function focus(tab, target) {
  for (let step = 0; step < 120; step += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await tab.page.keyboard.press("Tab");
  }
  assert.fail("the Tab key does not reach the element");
}
