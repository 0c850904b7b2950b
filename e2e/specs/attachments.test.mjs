// Files in messages: dropped, pasted and chosen, with progress and limits; shown in the thread; without JavaScript too.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deflateSync, crc32 } from "node:zlib";
import { launch, openTab } from "../lib/browser.mjs";
import { accessible, checkPage } from "../lib/checks.mjs";
import { answered, go, hubOfAda, press, says, signIn } from "../lib/walk.mjs";

const MAX_BYTES = 200_000;

let hub, browser;
before(async () => {
  browser = await launch();
  hub = await hubOfAda(browser, { PLEXUS_MAX_FILE_BYTES: String(MAX_BYTES) });
});
after(async () => {
  await browser?.close();
  await hub?.stop();
});

const words = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
const picture = (name) => ({ name, mimeType: "image/png", buffer: png(320, 200) });

for (const [theme, width] of [["light", 1280], ["dark", 390]]) {
  test(`files are chosen, pasted, dropped and sent, ${theme} ${width}`, async () => {
    const tab = await begin({ theme, width });
    const { page } = tab;
    await page.locator("#composer-file").setInputFiles([words("a.txt", "one two three"), picture("lake.png")]);
    await stored(tab, 2);
    await bring(tab, "paste", words("pasted.txt", "four"));
    await bring(tab, "drop", { name: "tide.csv", mimeType: "text/csv", buffer: Buffer.from("high,low\n4,9\n") });
    await stored(tab, 4);
    await page.getByText("Up to 10 files, 200 KB in all.").waitFor();
    assert.match(await page.locator("#composer-unread").textContent(), /It may ignore lake\.png/);
    await checkPage(tab, "composer-files");
    await press(tab, "Remove pasted.txt");
    await stored(tab, 3);
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Remove tide.csv", "the focus stays in the list");

    await page.locator("#composer-text").fill("Count these");
    await press(tab, "Send");
    await answered(tab);
    await stored(tab, 0);
    const image = page.locator(".message.person .picture img");
    assert.deepEqual(await image.evaluate(({ width, height }) => [width <= 320, Math.round((width / height) * 10)]), [true, 16]);
    await checkPage(tab, "chat-files");
    await image.click();
    await page.locator("dialog.lightbox[open] img").waitFor();
    await accessible(page);
    await tab.picture("lightbox");
    await page.keyboard.press("Escape");
    await page.locator("dialog.lightbox[open]").waitFor({ state: "hidden" });

    await page.getByRole("link", { name: "Preview tide.csv" }).click();
    await page.getByRole("cell", { name: "9" }).waitFor();
    await checkPage(tab, "file-table");
    await tab.close();
  });
}

test("a refused file is named, and an upload can be cancelled", async () => {
  const tab = await begin({});
  tab.expect(/422/);
  const { page } = tab;
  await page.locator("#composer-file").setInputFiles([words("large.txt", "x".repeat(MAX_BYTES + 1))]);
  await page.getByText("large.txt does not fit").waitFor();
  await page.locator("#composer-file").setInputFiles([{ name: "no.png", mimeType: "image/png", buffer: Buffer.from("text") }]);
  await page.getByText("no.png is not a valid image.").waitFor();
  await accessible(page);
  await page.locator("#composer-file").setInputFiles(Array.from({ length: 11 }, (_, at) => words(`${at}.txt`, `${at}`)));
  await page.getByText("A message has at most 10 files.").waitFor();
  await stored(tab, 10);

  // An upload that the hub does not answer.
  for (let left = 10; left > 0; left--) await page.locator(".attachment button").first().click();
  await page.route("**/api/v1/uploads?*", () => undefined);
  await page.locator("#composer-file").setInputFiles([words("slow.txt", "slow")]);
  await page.getByRole("progressbar", { name: "Upload of slow.txt" }).waitFor();
  await accessible(page);
  await tab.picture("composer-uploading");
  await page.locator("#composer-text").fill("Count");
  await press(tab, "Send");
  await page.getByText("A file is still being uploaded.").waitFor();
  await press(tab, "Remove slow.txt");
  assert.equal(await page.locator(".attachment").count(), 0);
  await press(tab, "Send");
  await answered(tab);
  await tab.close();
});

for (const script of ["no wasm", "off"]) {
  test(`a form sends files, script ${script}`, async () => {
    const tab = await begin({ script, theme: "dark", width: 390 });
    tab.expect(/413/);
    const { page } = tab;
    if (script === "off") {
      await page.getByText("Up to 10 files, 200 KB in all.").waitFor();
      await page.locator("#composer-text").fill("Count these");
      await page.locator("#composer-file").setInputFiles([words("a.txt", "one two"), words("large.txt", "x".repeat(MAX_BYTES))]);
      await press(tab, "Send");
      await page.getByText("Send smaller or fewer files.").waitFor();
      assert.equal(await page.locator("#composer-text").inputValue(), "Count these");
      await accessiblePage(tab);
      await press(tab, "Remove a.txt");
      await page.locator(".attachment").waitFor({ state: "detached" });
    }
    await page.locator("#composer-text").fill("Count these");
    await page.locator("#composer-file").setInputFiles([words("a.txt", "one two"), picture("lake.png")]);
    if (script !== "off") await stored(tab, 2);
    await press(tab, "Send");
    await answered(tab);
    await says(tab, /a\.txt|words/i);
    await go(tab, page.url().replace("?follow", ""));
    await page.locator(".message.person .picture img").waitFor();
    await checkPage(tab, "chat-files");
    await tab.close();
  });
}

/** Opens a new chat with the agent that counts words. */
async function begin(mode) {
  const tab = await openTab(browser, mode);
  await signIn(tab, hub, "ada");
  await go(tab, `${hub.url}/chat?to=@plexus/text`);
  await tab.islands();
  if (tab.mode.script !== "off") await tab.page.locator('#composer[data-attachments="ready"]').waitFor();
  return tab;
}

const accessiblePage = (tab) => tab.withScript(accessible);

/** Waits until this many files are stored. */
async function stored(tab, count) {
  await tab.page.waitForFunction(
    (expected) =>
      document.querySelectorAll(".attachment input[name=upload]").length === expected && document.querySelectorAll("#composer-files li").length === expected,
    count,
  );
}

/** Pastes a file into the text field, or drops it on the thread. */
async function bring(tab, how, { name, mimeType, buffer }) {
  await tab.page.evaluate(
    ([kind, fileName, type, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], fileName, { type }));
      const init = { bubbles: true, cancelable: true };
      if (kind === "paste") document.getElementById("composer-text").dispatchEvent(new ClipboardEvent("paste", { ...init, clipboardData: data }));
      else {
        const thread = document.querySelector(".thread");
        thread.dispatchEvent(new DragEvent("dragover", { ...init, dataTransfer: data }));
        thread.dispatchEvent(new DragEvent("drop", { ...init, dataTransfer: data }));
      }
    },
    [how, name, mimeType, buffer.toString()],
  );
}

/** Returns a PNG of stripes. */
function png(width, height) {
  const chunk = (kind, data) => {
    const body = Buffer.concat([Buffer.from(kind), data]);
    const frame = Buffer.alloc(8 + body.length);
    frame.writeUInt32BE(data.length, 0);
    body.copy(frame, 4);
    frame.writeUInt32BE(crc32(body), 4 + body.length);
    return frame;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const rows = Array.from({ length: height }, (_, y) => Buffer.from([0, ...Array.from({ length: width }, (_, x) => [40, 90 + (y % 60), 120 + (x % 90)]).flat()]));
  const magic = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([magic, chunk("IHDR", head), chunk("IDAT", deflateSync(Buffer.concat(rows))), chunk("IEND", Buffer.alloc(0))]);
}
