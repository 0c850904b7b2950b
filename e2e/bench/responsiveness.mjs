// Benchmark of a page on which 2,000 messages have arrived: how long typing, menus and sending take until the next
// frame (INP), and the longest task while an answer streams. On a slow processor, beside a page without
// scripts of the hub.
//   PLEXUS_BINARY=target/release/plexus node e2e/bench/responsiveness.mjs

import { answered, answeredOverApi, askOverApi, go, newAnswer, rememberAnswer } from "../lib/walk.mjs";
import { ask, beginChat, openBrowser, post, slowDown, startBench } from "./lib/hub.mjs";
import { measureInteractions, watchInteractions } from "./lib/interactions.mjs";
import { markdown, numbered } from "./lib/model_server.mjs";
import { heading, numberOf, row, whole } from "./lib/report.mjs";
import { measureTasks } from "./lib/tasks.mjs";

const MESSAGES = numberOf("PLEXUS_BENCH_MESSAGES", 2_000);
const SLOWER = 4;
const TEXT = "the quick brown fox jumps over the lazy dog and runs off";
const MENUS = 20;
const SENT = 10;
/** Time between the actions of a hand. */
const REST_MS = 150;
/** Time in which the page removes its oldest messages after an answer. */
const TRIM_MS = 1_000;
/** Paragraphs and pieces per second of the answer that streams meanwhile. */
const LONG_ANSWER = { paragraphs: 40, rate: 60 };

const BARE_PAGE = `<!doctype html><title>Bare page</title><main>${"<p>A message.</p>".repeat(60)}</main>
<details class="menu"><summary>Menu</summary><p>One item</p></details>
<form onsubmit="event.preventDefault(); const p = document.createElement('p'); p.textContent = text.value; document.querySelector('main').append(p); text.value = ''">
<textarea id="text" onkeydown="if (event.key === 'Enter') { event.preventDefault(); form.requestSubmit(); }"></textarea></form>`;

const bench = await startBench((question) =>
  question.startsWith("stream") ? { tokens: markdown(LONG_ANSWER.paragraphs), rate: LONG_ANSWER.rate } : { tokens: numbered(20) },
);
try {
  await measure();
} finally {
  await bench.stop();
}

async function measure() {
  const columns = ["page", "typing", "typing while an answer streams", "opening a menu", "sending", "longest task while an answer streams"];
  const tab = await openChat();
  heading(`INP in ms (longest) on a processor ${SLOWER} times slower`, columns);
  await measureChat(tab, `a chat that opens, ${await shown(tab)} messages`);
  await grow(tab);
  await measureChat(tab, `the same after ${MESSAGES} messages arrived; it shows ${await shown(tab)}`);
  await tab.stop();
  await measureBarePage();
}

async function openChat() {
  const tab = await openBrowser(bench.storageState);
  await tab.page.addInitScript(watchInteractions);
  const path = await beginChat(tab, bench.hub, "hello");
  await converse(tab, path, 60);
  await go(tab, bench.hub.url + path);
  await tab.page.locator('html[data-islands="ready"]').waitFor({ state: "attached" });
  return { ...tab, path };
}

async function measureChat(tab, name) {
  const { page, session } = tab;
  const box = page.locator("#composer-text");
  await slowDown(session, SLOWER);
  const typing = await measureInteractions(page, () => type(page, box));
  const menus = await measureInteractions(page, () => openMenus(page));
  const sending = await measureInteractions(page, () => sendAll(tab, box));
  const streaming = await whileStreaming(tab, box);
  await slowDown(session, 1);
  const [task] = streaming.tasks;
  row([name, ...[typing, streaming.typing, menus, sending].map(inp), `${whole(task.ms)} ms`]);
  console.error(`  longest task: ${task.parts}`);
  for (const [what, { worst }] of Object.entries({ typing, "typing while streaming": streaming.typing, menus, sending })) {
    if (worst) console.error(`  longest of ${what}: ${JSON.stringify(worst)}`);
  }
}

function inp({ inp, longest }) {
  return `${whole(inp)} (${whole(longest)})`;
}

function shown({ page }) {
  return page.locator("#thread article.message").count();
}

async function type(page, box) {
  await box.click();
  await page.keyboard.type(TEXT, { delay: 40 });
  await box.fill("");
}

/** Opens the menus of the last messages with the mouse, each once. */
async function openMenus(page) {
  const menus = page.locator("#thread article.message details.menu > summary");
  const count = await menus.count();
  for (let back = 1; back <= MENUS; back += 1) {
    const menu = menus.nth(count - back);
    await menu.scrollIntoViewIfNeeded();
    await press(page, menu);
    await page.keyboard.press("Escape");
  }
}

/** Presses an element like a hand: the pointer is there before. A locator's own click runs scripts in the page. */
async function press(page, element) {
  const { x, y, width, height } = await element.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.waitForTimeout(REST_MS);
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForTimeout(REST_MS);
}

async function sendAll(tab, box) {
  for (let count = 0; count < SENT; count += 1) {
    await rememberAnswer(tab);
    await box.fill(`question ${count}`);
    await tab.page.waitForTimeout(REST_MS);
    await tab.page.keyboard.press("Enter");
    await answered(tab);
  }
}

/** Types while an answer streams. Returns the interactions, and the tasks of another answer without typing. */
async function whileStreaming(tab, box) {
  const typing = await streamed(tab, () => measureInteractions(tab.page, () => type(tab.page, box)));
  let tasks;
  await streamed(tab, async () => {
    tasks = await measureTasks(tab.browser, tab.page, () => answered(tab));
  });
  return { typing, tasks };
}

async function streamed(tab, act) {
  await post(tab, "stream");
  await newAnswer(tab).locator(".closed > *").first().waitFor();
  const result = await act();
  await answered(tab);
  return result;
}

/** Lets messages arrive on the open page until the chat has all of them. */
async function grow(tab) {
  await tab.page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await converse(tab, tab.path, MESSAGES - (await shown(tab)));
  await ask(tab, "the last one");
  await tab.page.waitForTimeout(TRIM_MS);
}

/** Asks over the API until there are so many more messages. */
async function converse(tab, path, more) {
  await answeredOverApi(tab, bench.hub, path);
  for (let count = 0; count < more; count += 2) await askOverApi(tab, bench.hub, path, `question ${count}`);
}

/** The floor: the same input on a page with sixty paragraphs, a menu and a text field. */
async function measureBarePage() {
  const tab = await openBrowser(undefined);
  const { page } = tab;
  await page.addInitScript(watchInteractions);
  await page.route("http://bare.test/", (route) => route.fulfill({ contentType: "text/html", body: BARE_PAGE }));
  await page.goto("http://bare.test/");
  await slowDown(tab.session, SLOWER);
  const box = page.locator("#text");
  const typing = await measureInteractions(page, () => type(page, box));
  const menus = await measureInteractions(page, async () => {
    for (let count = 0; count < MENUS; count += 1) await press(page, page.locator("summary"));
  });
  const sending = await measureInteractions(page, async () => {
    for (let count = 0; count < SENT; count += 1) {
      await box.fill(`question ${count}`);
      await page.keyboard.press("Enter");
    }
  });
  row(["floor: a page with 60 paragraphs", inp(typing), "–", inp(menus), inp(sending), "–"]);
  await tab.stop();
}
