// Answers: colours and tools of code, copied Markdown, blocks that are still being written.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, openTab } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { answer, answered, go, hubOfAda, send, signIn } from "../lib/walk.mjs";

const ANSWER = "```python\n# a comment\ndef add(a, b=1):\n    return 'x' * 3\n```\n\n> [!WARNING]\n> Mind the gap.\n\n| a | b |\n|---|---|\n| 1 | 2 |";

let hub, browser, program, folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "plexus-answers-"));
  await writeFile(join(folder, "answer.md"), ANSWER);
  browser = await launch();
  hub = await hubOfAda(browser);
  program = await hub.join("reader", ["cat", join(folder, "answer.md")]);
  // The first block of a language compiles its patterns. In a debug build that exceeds the time for rendering, and the
  // answer stays without colours.
  await (await ask({})).close();
});
after(async () => {
  await program?.stop();
  await browser?.close();
  await hub?.stop();
  await rm(folder, { recursive: true, force: true });
});

for (const [theme, width] of [["light", 1280], ["dark", 390]]) {
  test(`code and alerts are coloured, and copying keeps the Markdown, ${theme}`, async () => {
    const tab = await ask({ theme, width });
    await tab.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const colours = await answer(tab).evaluate((article) => {
      const of = (selector) => getComputedStyle(article.querySelector(selector)).color;
      return [".hl-c", ".hl-k", ".hl-s", ".hl-n", ".hl-f", ".body"].map(of);
    });
    assert.equal(new Set(colours).size, colours.length, `equal colours: ${colours.join(" ")}`);
    const edge = await answer(tab).locator(".alert-warning").evaluate((alert) => getComputedStyle(alert).borderInlineStartWidth);
    assert.equal(edge, "3px");
    await answer(tab).locator("footer .copy").click();
    await answer(tab).getByText("Copied").waitFor();
    assert.equal(await tab.page.evaluate(() => navigator.clipboard.readText()), ANSWER);
    await tab.picture("answer");
    const code = answer(tab).locator(".code");
    assert.equal(await code.locator("figcaption > span").first().innerText(), "python");
    const wrap = code.getByRole("button", { name: "Wrap" });
    await wrap.click();
    assert.equal(await wrap.getAttribute("aria-pressed"), "true");
    assert.equal(await code.locator("pre").evaluate((pre) => getComputedStyle(pre).whiteSpace), "pre-wrap");
    const saved = tab.page.waitForEvent("download");
    await code.getByRole("button", { name: "Download" }).click();
    assert.equal((await saved).suggestedFilename(), "code.py");
    assert.match(await readFile(await (await saved).path(), "utf8"), /^# a comment\ndef add/);
    await checkPage(tab, "answer-code");
    await tab.close();
  });
}

test("a block that is still being written is shown as what it will become", async () => {
  const [start, code, table] = ["start.md", "code", "table"].map((name) => join(folder, name));
  await writeFile(start, "Look:\n\n```python\nx = 1\ny");
  execFileSync("mkfifo", [code, table]);
  // Each pipe blocks until the test writes to it.
  const writer = await hub.join("writer", ["cat", start, code, table]);
  const tab = await openTab(browser);
  await signIn(tab, hub, "ada");
  await go(tab, `${hub.url}/chat?to=@ada/writer`);
  await tab.islands();
  await send(tab, "hi");
  const open = answer(tab).locator(".tail");
  await answer(tab).locator(".tail.open-code", { hasText: "x = 1" }).waitFor();
  assert.equal(await open.getAttribute("data-language"), "python");
  assert.equal(await open.innerText(), "x = 1\ny");
  await tab.picture("answer-open-code");
  await writeFile(code, " = 2\n```\n\n| a | b |\n|---|---|\n| 1 | 2");
  await answer(tab).locator(".closed .code", { hasText: "y = 2" }).waitFor();
  await open.locator("td", { hasText: "2" }).waitFor();
  assert.deepEqual(await open.locator("th, td").allInnerTexts(), ["a", "b", "1", "2"]);
  await checkPage(tab, "answer-open-table");
  await writeFile(table, " |\n\n> Quoted");
  await answered(tab);
  assert.equal(await answer(tab).locator("blockquote").innerText(), "Quoted");
  await tab.close();
  await writer.stop();
});

test("the end of an answer keeps what the reader has selected in it", async () => {
  const [start, end] = ["start", "end"].map((name) => join(folder, name));
  execFileSync("mkfifo", [start, end]);
  const writer = await hub.join("pen", ["cat", start, end]);
  const tab = await openTab(browser);
  await signIn(tab, hub, "ada");
  await go(tab, `${hub.url}/chat?to=@ada/pen`);
  await tab.islands();
  await send(tab, "hi");
  // The page replaces text that came with the article when it is streamed, so the article comes first.
  await tab.page.locator("#thread article[aria-busy]").waitFor();
  await writeFile(start, "The first paragraph.\n\n```text\none line\n```\n\nThe second");
  await answer(tab).locator(".tail", { hasText: "The second" }).waitFor();
  const paragraph = answer(tab).getByText("The first paragraph.");
  await paragraph.evaluate((element) => getSelection().selectAllChildren(element));
  await writeFile(end, " paragraph.");
  await answered(tab);
  assert.equal(await tab.page.evaluate(() => getSelection().toString()), "The first paragraph.");
  assert.equal(await answer(tab).locator(".body").innerText().then((text) => text.split("paragraph.").length), 3);
  assert.equal(await answer(tab).locator(".code").getByRole("button", { name: "Copy" }).count(), 1);
  await tab.close();
  await writer.stop();
});

for (const script of ["on", "off"]) {
  test(`nothing says that a finished answer is still written, script ${script}`, async () => {
    const tab = await ask({ script });
    await tab.page.locator("#chats li").first().getByText("Answering").waitFor({ state: "hidden" });
    assert.equal(await answer(tab).getByRole("button", { name: /^Stop/ }).count(), 0);
    const caret = await answer(tab).evaluate((article) =>
      [article, ...article.querySelectorAll("*")].some((part) => getComputedStyle(part, "::after").content === '""'));
    assert.ok(!caret, "the caret is shown");
    await tab.close();
  });
}

async function ask(mode) {
  const tab = await openTab(browser, mode);
  await signIn(tab, hub, "ada");
  await go(tab, `${hub.url}/chat?to=@ada/reader`);
  await tab.islands();
  await send(tab, "hi");
  if (mode.script === "off") await tab.page.waitForLoadState("load");
  else await answered(tab);
  return tab;
}
