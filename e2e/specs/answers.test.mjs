// Finished answers: colours of code, copied Markdown, and no sign of work in progress.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, openTab } from "../lib/browser.mjs";
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
    await tab.close();
  });
}

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
