// Import of chats of other services, and an imported chat that continues; with and without JavaScript.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openTab, SCRIPTS } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { answered, go, hubOfAda, press, send, signIn } from "../lib/walk.mjs";

let hub, browser;
before(async () => {
  browser = await launch();
  hub = await hubOfAda(browser);
});
after(async () => {
  await browser?.close();
  await hub?.stop();
});

const LOOKS = [{ theme: "light", width: 1280 }, { theme: "dark", width: 390 }];

for (const script of SCRIPTS) {
  for (const look of LOOKS) {
    const mode = { script, ...look };
    const title = `Sourdough ${script} ${look.theme}`;

    test(`a chat is imported, opened and continued, script ${script}, ${look.theme} ${look.width}`, async () => {
      const tab = await openTab(browser, mode);
      await signIn(tab, hub, "ada");
      await go(tab, `${hub.url}/settings/shares`);
      await checkPage(tab, "settings-import");
      tab.expect(/status of 422/);
      await choose(tab, "notes.json", "Dear diary");
      await tab.page.getByText("The file is not complete JSON").waitFor();
      await checkPage(tab, "settings-import-refused");
      await choose(tab, "conversations.json", JSON.stringify([conversation(title)]));
      await tab.page.getByText("1 chat imported from ChatGPT.").waitFor();
      await tab.page.getByText("1 image", { exact: true }).waitFor();
      await checkPage(tab, "settings-imported");
      await choose(tab, "conversations.json", JSON.stringify([conversation(title)]));
      await tab.page.getByText("1 chat was imported before and skipped.").waitFor();

      await go(tab, `${hub.url}/chat/search?q=${encodeURIComponent(title)}`);
      await tab.page.getByRole("main").getByRole("link", { name: title }).first().click();
      const answer = tab.page.locator("article.message.agent");
      await answer.getByText("Imported", { exact: true }).waitFor();
      assert.match(await answer.locator("h2").innerText(), /ChatGPT · gpt-4o/);
      await answer.getByText("Answer 2 of 2").waitFor();
      await checkPage(tab, "chat-imported");
      await send(tab, "@plexus/calc 6 * 7");
      assert.match(await answered(tab), /42/);
      await tab.close();
    });
  }
}

async function choose(tab, name, content) {
  await tab.page.getByLabel("Exported file").setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(content) });
  await press(tab, "Import chats");
}

function conversation(title) {
  const message = (role, create_time, parts) => ({
    author: { role }, create_time, metadata: { model_slug: "gpt-4o" }, content: { content_type: "multimodal_text", parts },
  });
  return {
    conversation_id: title, title, create_time: 1700000000, current_node: "b",
    mapping: {
      root: { id: "root", parent: null, message: null },
      a: { id: "a", parent: "root", message: message("user", 1700000001, [{ content_type: "image_asset_pointer" }, "How?"]) },
      b: { id: "b", parent: "a", message: message("assistant", 1700000003, ["**Knead** it"]) },
      c: { id: "c", parent: "a", message: message("assistant", 1700000002, ["Buy it"]) },
    },
  };
}
