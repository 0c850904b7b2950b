// Federation pages: the graph, the page of a hub, and its administration. With and without JavaScript.

import { after, before, describe, test } from "node:test";
import { launch, openTab } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { go, hubOfAda, press, signIn } from "../lib/walk.mjs";

const PATIENCE = 60_000;
const JOINED = {
  PLEXUS_P2P_LISTEN: "127.0.0.1:0",
  PLEXUS_FEDERATION_MODE: "open",
  PLEXUS_ALLOW_PRIVATE_NETWORKS: "true",
};

let browser, harbour, island, shout;
before(async () => {
  browser = await launch();
  harbour = await hubOfAda(browser, { ...JOINED, PLEXUS_HUB_NAME: "Harbour" });
  const way = harbour.log.match(/Hubs connect to (\S+)/)[1];
  island = await hubOfAda(browser, { ...JOINED, PLEXUS_HUB_NAME: "Island", PLEXUS_P2P_BOOTSTRAP: way });
  const everywhere = ["--summary", "Says it louder.", "--visibility", "federated", "--access", "open"];
  shout = await harbour.join("shout", ["tr", "a-z", "A-Z"], everywhere);
});
after(async () => {
  await shout?.stop();
  await browser?.close();
  await island?.stop();
  await harbour?.stop();
});

for (const [script, theme, width] of [["on", "light", 1280], ["off", "dark", 390]]) {
  describe(`the network, script ${script}`, () => {
    let tab;
    before(async () => {
      tab = await openTab(browser, { script, theme, width });
      tab.expect(/status of 422/);
      await signIn(tab, island, "ada");
    });
    after(() => tab?.close());

    test("a hub is drawn, listed and opened", async () => {
      await untilShown(tab, `${island.url}/network`, () => tab.page.getByRole("row", { name: /Harbour.*Alive.*1/ }));
      await tab.page.getByRole("img", { name: "This hub and its known hubs" }).waitFor();
      await checkPage(tab, "network");
      await tab.page.getByRole("link", { name: "Harbour" }).click();
      await tab.page.getByRole("heading", { name: "1 agent here" }).waitFor();
      await checkPage(tab, "network-hub");
    });

    test("an administrator blocks it, and undoes that", async () => {
      await tab.page.getByLabel("Reason").fill("It is a test.");
      await press(tab, "Block hub");
      await tab.page.getByText("It is a test.").waitFor();
      await checkPage(tab, "network-hub-blocked");
      await press(tab, /^Undo/);
      await tab.page.getByText("Saved.").waitFor();
    });

    test("rules are imported", async () => {
      await go(tab, `${island.url}/admin/network`);
      await tab.page.getByLabel("Rules of another hub").fill("Rules, please.");
      await press(tab, "Import rules");
      await tab.page.getByText("not a valid signed rule list").first().waitFor();
      await checkPage(tab, "admin-network");
    });
  });
}

/** Polls a page until it shows something that arrives asynchronously. */
async function untilShown(tab, url, what) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    await go(tab, url);
    await tab.page.getByRole("heading", { name: "Network", exact: true }).waitFor();
    if (await what().count()) return;
    if (Date.now() > end) throw new Error(`not in time: ${url}`);
    await tab.page.waitForTimeout(100);
  }
}
