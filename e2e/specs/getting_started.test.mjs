// First evening of an administrator on a hub without settings: the steps of the page "Next steps" that need nothing but
// this machine, a lost password, and the move to another database by a backup.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startScripted, startTools } from "../lib/agents.mjs";
import { launch, openTab } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { emptyDatabase, startHub, startRestoredHub } from "../lib/hub.mjs";
import { answered, chatOf, copyable, go, press, publishInstructions, send, signIn, signUp } from "../lib/walk.mjs";

/** Ports where the hub looks for model servers. */
const MODEL_PORTS = [11_434, 1_234, 8_080, 8_000];
const NEW_PASSWORD = "another set of plain words";
const TEAM = { timeout: 60_000 };

let hub, browser, model, tools, ada, grace, chat, folder, archive;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "plexus-backup-"));
  archive = join(folder, "backup.tar.gz");
  [model, tools, browser] = await Promise.all([startModelOnKnownPort(), startTools(), launch()]);
  hub = await startHub();
  ada = await openTab(browser);
  grace = await openTab(browser);
});
after(async () => {
  await browser?.close();
  await hub?.stop();
  await Promise.all([model?.stop(), tools?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

test("the link in the log leads to the next steps", async () => {
  await signUp(ada, hub.adminLink, "ada");
  await ada.page.getByRole("heading", { name: /^Next steps/ }).waitFor();
  await stepsDone(0);
});

test("the model server of this machine is found and connected", async () => {
  await ada.page.getByRole("link", { name: "Connect a model" }).click();
  const server = ada.page.getByRole("listitem").filter({ hasText: model.url });
  await server.getByRole("button", { name: /^Connect/ }).click();
  await ada.page.getByText("Provider connected.").waitFor();
  await ada.page.getByText(/Answers after \d+ ms/).waitFor();
});

test("an agent is made of instructions, a tool server and a file", async () => {
  await ada.page.getByRole("link", { name: "Create agent" }).click();
  const form = { title: "Harbour clerk", name: "clerk", summary: "Knows the fees.", instructions: "Answer from your files." };
  await publishInstructions(ada, { ...form, servers: tools.url });
  await go(ada, `${hub.url}/@ada/clerk/manage`);
  const fees = { name: "fees.md", mimeType: "text/markdown", buffer: Buffer.from("# Fees\n\nA berth costs ten crowns.\n") };
  await ada.page.getByLabel("Text and PDF files").setInputFiles(fees);
  await press(ada, "Add files");
  await ada.page.getByText("File added.").waitFor();
});

test("its answers cite the file and use the tool", async () => {
  await go(ada, `${hub.url}/chat?to=@ada/clerk`);
  await ada.islands();
  await asks(ada);
  chat = chatOf(ada);
  await send(ada, 'call=add {"a": 40, "b": 2}');
  assert.match(await answered(ada), /The tools said: 42/);
});

test("a team reaches the first example goal", async () => {
  await go(ada, `${hub.url}/teams`);
  await ada.page.getByRole("link", { name: "Convert a time and count words" }).click();
  await ada.page.waitForURL(/example=/);
  await press(ada, "Launch team");
  await ada.page.locator(".team-head .badge", { hasText: "Done" }).waitFor(TEAM);
  const report = await ada.page.getByRole("main").innerText();
  assert.match(report, /12,?000/);
  assert.match(report, /\b14\b/);
});

test("a second person signs up with an invitation, and gets a new password", async () => {
  await go(ada, `${hub.url}/admin/invites`);
  await press(ada, "Create invitation");
  await signUp(grace, await copyable(ada), "grace");
  await go(ada, `${hub.url}/admin/users`);
  const row = ada.page.getByRole("row").filter({ hasText: "@grace" });
  await row.locator("summary").click();
  await row.getByRole("button", { name: /^Create reset link/ }).click();
  await go(grace, await copyable(ada));
  await grace.page.getByLabel("New password").fill(NEW_PASSWORD);
  await press(grace, "Set password");
  await signIn(grace, hub, "grace", NEW_PASSWORD);
});

test("a backup is written while the hub runs, and the next steps count it", async () => {
  const { stdout } = await hub.command("backup", archive, "--with-secret-key");
  assert.match(stdout, /^Wrote and checked/);
  await go(ada, `${hub.url}/admin/setup`);
  await stepsDone(6);
  await checkPage(ada, "setup-six-done");
});

test("restored into Postgres, the chat goes on, and both people sign in", async () => {
  await hub.stop();
  hub = await startRestoredHub(archive, { DATABASE_URL: await emptyDatabase() });
  await signIn(ada, hub, "ada");
  await go(ada, hub.url + chat);
  await ada.islands();
  await ada.page.getByText("The tools said: 42").waitFor();
  await asks(ada);
  await signIn(grace, hub, "grace", NEW_PASSWORD);
  await Promise.all([ada.close(), grace.close()]);
});

/** Asks the agent what only its file tells. */
async function asks(tab) {
  await send(tab, "What does a berth cost? passage=1");
  const text = await answered(tab);
  assert.match(text, /A berth costs ten crowns\. \[1\]/);
  assert.match(text, /Sources:\s+\[1\] fees\.md/);
}

function stepsDone(number) {
  return ada.page.getByText(`${number} of 7 done.`).waitFor();
}

async function startModelOnKnownPort() {
  for (const port of MODEL_PORTS) {
    // A model server ends at once if its port is in use.
    const server = await startScripted("--port", String(port), "--tokens", "4", "--rate", "0").catch(() => undefined);
    if (server) return server;
  }
  throw new Error(`no port for a model server is free: ${MODEL_PORTS}`);
}
