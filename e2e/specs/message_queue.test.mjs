// Messages that wait for the answer that is being written. The agent answers when the test creates a file.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, openTab } from "../lib/browser.mjs";
import { accessible, fits } from "../lib/checks.mjs";
import { answer, go, hubOfAda, press, says, send, signIn } from "../lib/walk.mjs";

let hub, browser, agent, folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "plexus-gate-"));
  browser = await launch();
  hub = await hubOfAda(browser);
  const command = 'read -r text; case "$text" in wait*) while [ ! -e "$0/go" ]; do sleep 0.1; done;; fail*) exit 1;; esac; echo "Done: $text"';
  agent = await hub.join("clerk", ["sh", "-c", command, folder]);
});
after(async () => {
  await agent?.stop();
  await browser?.close();
  await hub?.stop();
  await rm(folder, { recursive: true, force: true });
});

for (const mode of [{ width: 1280 }, { theme: "dark", width: 390 }]) {
  test(`messages wait for the answer that is being written, ${mode.width} px`, async () => {
    const tab = await begin(mode);
    for (const text of ["first", "second"]) {
      await send(tab, text);
      await queued(tab).getByText(text).waitFor();
    }
    await tab.page.getByText("Queued. Sent when the answer has ended.").waitFor();
    await accessible(tab.page);
    await fits(tab.page);
    await tab.picture("chat-queue");
    await queued(tab).getByRole("listitem").nth(1).getByRole("button", { name: "Edit message" }).click();
    assert.equal(await box(tab).inputValue(), "second");
    await writeFile(join(folder, "go"), "");
    await says(tab, "Done: first");
    assert.equal(await queued(tab).getByRole("listitem").count(), 0);
    assert.deepEqual(await tab.page.locator("#thread article.agent .body").allInnerTexts(), ["Done: wait", "Done: first"]);
    await rm(join(folder, "go"));
    await tab.close();
  });
}

test("a queued message that is sent now stops the answer", async () => {
  const tab = await begin();
  await send(tab, "first");
  await send(tab, "second");
  await queued(tab).getByRole("listitem").nth(1).getByRole("button", { name: "Send now" }).click();
  await tab.page.locator("#thread article.agent.stopped").first().waitFor();
  await says(tab, "Done: first");
  const asked = await tab.page.locator("#thread article.person .body").allInnerTexts();
  assert.deepEqual(asked, ["wait", "second", "first"]);
  await tab.close();
});

test("a failed answer holds the queue", async () => {
  const tab = await begin();
  await send(tab, "fail");
  await send(tab, "next");
  await writeFile(join(folder, "go"), "");
  await answer(tab).and(tab.page.locator(".failed")).waitFor();
  await tab.page.getByText("The last answer failed. Send or remove the queued messages.").waitFor();
  await press(tab, "Send now");
  await says(tab, "Done: next");
  await rm(join(folder, "go"));
  await tab.close();
});

test("a queued message is the draft of the chat when its page is left", async () => {
  const tab = await begin();
  await send(tab, "first");
  await queued(tab).getByText("first").waitFor();
  await tab.page.reload({ waitUntil: "commit" });
  await tab.islands();
  assert.equal(await box(tab).inputValue(), "first");
  await tab.page.getByRole("button", { name: /^Stop/ }).first().click();
  await answer(tab).and(tab.page.locator(".stopped")).waitFor();
  await tab.close();
});

const box = (tab) => tab.page.locator("#composer-text");
const queued = (tab) => tab.page.getByRole("list", { name: "Queued messages" });

/** Opens a tab with Ada signed in, at a chat with an answer that is being written. */
async function begin(mode) {
  const tab = await openTab(browser, mode);
  await signIn(tab, hub, "ada");
  await go(tab, `${hub.url}/chat?to=@ada/clerk`);
  await tab.islands();
  await send(tab, "wait");
  await answer(tab).waitFor();
  return tab;
}
