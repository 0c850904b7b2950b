// Versions of an agent with what each changed, and the agent as a file; with and without JavaScript.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { startScripted } from "../lib/agents.mjs";
import { launch, openTab } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { go, hubOfAda, press, publishInstructions, signIn } from "../lib/walk.mjs";

const INSTRUCTIONS = "You answer questions about the harbour.\nSay where you know it from.";
const GUIDE = { name: "guide.md", mimeType: "text/markdown", buffer: Buffer.from("# Fees\n\nA berth costs ten crowns.\n") };
const MODES = [
  { theme: "light", width: 1280, script: "on" },
  { theme: "dark", width: 390, script: "off" },
];

let hub, browser, model;
before(async () => {
  [model, browser] = await Promise.all([startScripted(), launch()]);
  hub = await hubOfAda(browser, { PLEXUS_LLM_BASE_URL: model.url, PLEXUS_LLM_MODEL: "scripted" });
});
after(async () => {
  await browser?.close();
  await hub?.stop();
  await model?.stop();
});

for (const [number, mode] of MODES.entries()) {
  const look = `${mode.theme}-${mode.width}`;
  test(`a version shows what it changed and is restored; the agent moves as a file and is copied (${look}, script ${mode.script})`, async () => {
    const name = `clerk${number}`;
    const tab = await openTab(browser, mode);
    await signIn(tab, hub, "ada");
    await go(tab, `${hub.url}/register/instructions`);
    await publishInstructions(tab, { title: "Harbour clerk", name, summary: "Knows the harbour.", instructions: INSTRUCTIONS });

    await go(tab, `${hub.url}/@ada/${name}/edit`);
    await tab.page.getByLabel("Instructions").fill(`${INSTRUCTIONS}\nBe <b>brief</b>.`);
    await tab.page.getByLabel("Summary").fill("Knows the harbour and its fees.");
    await press(tab, "Save as a new version");
    await go(tab, `${hub.url}/@ada/${name}/versions`);
    await tab.page.getByText("Be <b>brief</b>.").waitFor();
    await tab.page.getByText("Knows the harbour.", { exact: true }).last().waitFor();
    await checkPage(tab, `agent-versions-${look}`);
    await tab.page.locator("details.fold", { hasText: "First version" }).locator("summary").click();
    await press(tab, /^Restore this version/);
    await tab.page.getByText("Version restored as a new version.").waitFor();
    await checkPage(tab, `agent-restored-${look}`);

    await go(tab, `${hub.url}/@ada/${name}/manage`);
    await tab.page.getByLabel("Text and PDF files").setInputFiles(GUIDE);
    await press(tab, "Add files");
    const download = tab.page.waitForEvent("download");
    await tab.page.getByRole("link", { name: "Export agent" }).click();
    const saved = await readFile(await (await download).path());
    assert.equal(JSON.parse(saved).instructions, INSTRUCTIONS);

    await go(tab, `${hub.url}/register/import`);
    await checkPage(tab, `register-import-${look}`);
    tab.expect(/422/);
    const choose = (buffer) =>
      tab.page.getByLabel("File", { exact: true }).setInputFiles({ name: "a.json", mimeType: "application/json", buffer });
    await choose(Buffer.from("{}"));
    await press(tab, "Import agent");
    await tab.page.getByText(/its “format” is not/).first().waitFor();
    await checkPage(tab, `register-import-refused-${look}`);
    await choose(saved);
    await tab.page.getByLabel("Name in its address").fill(`moved${number}`);
    await press(tab, "Import agent");
    await tab.page.getByText("Agent imported.").waitFor();
    await tab.page.getByRole("rowheader", { name: "guide.md" }).waitFor();
    await checkPage(tab, `agent-imported-${look}`);

    await go(tab, `${hub.url}/@ada/${name}`);
    await tab.page.getByRole("link", { name: "Copy agent" }).click();
    await tab.page.getByRole("heading", { name: "Copy agent" }).waitFor();
    await checkPage(tab, `agent-copy-${look}`);
    await tab.page.getByLabel("Name in its address").fill(`copy${number}`);
    await press(tab, "Copy agent");
    await tab.page.getByText("Agent copied.").waitFor();
    await tab.page.getByRole("group", { name: "Allow copies" }).getByLabel("Yes").check();
    await press(tab, "Save setting");
    await tab.page.getByText("Saved.").waitFor();
    assert.ok(await tab.page.getByRole("group", { name: "Allow copies" }).getByLabel("Yes").isChecked());
    await tab.close();
  });
}
