// Languages: the choice with and without JavaScript, pages from right to left, and pages that are not translated yet.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, openTab } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { answered, go, hubOfAda, signIn, writeChat } from "../lib/walk.mjs";

let hub, browser;
before(async () => {
  browser = await launch();
  hub = await hubOfAda(browser);
});
after(async () => {
  await browser?.close();
  await hub?.stop();
});

const root = (tab) => tab.page.evaluate(() => ({ lang: document.documentElement.lang, dir: getComputedStyle(document.documentElement).direction }));

/** Chooses a language in the footer. */
async function choose(tab, language) {
  await tab.page.locator("#footer-language").selectOption(language);
  await tab.page.locator("form.language button").click();
  await tab.page.locator(`html[lang="${language}"]`).waitFor({ state: "attached" });
}

for (const [script, theme, width] of [["on", "light", 1280], ["off", "dark", 390], ["on", "light", 390], ["off", "dark", 1280]]) {
  describe(`Arabic, ${width} px, script ${script}`, () => {
    let tab;
    before(async () => {
      tab = await openTab(browser, { script, theme, width });
      await go(tab, `${hub.url}/agents?q=calculator`);
      await choose(tab, "ar");
    });
    after(() => tab?.close());

    test("the choice returns to the page and stays", async () => {
      assert.equal(new URL(tab.page.url()).search, "?q=calculator");
      assert.deepEqual(await root(tab), { lang: "ar", dir: "rtl" });
      await go(tab, `${hub.url}/login`);
      assert.deepEqual(await root(tab), { lang: "ar", dir: "rtl" });
    });

    for (const path of ["/", "/agents", "/agents?q=zzzz&online=true", "/@plexus/calc", "/@plexus/calc/skills", "/@plexus/calc/connect", "/@plexus/calc/versions", "/login", "/signup", "/forgot", "/reset", "/email", "/settings/appearance", "/shortcuts", "/@plexus"]) {
      test(`${path} is accessible and fits the window`, async () => {
        await go(tab, hub.url + path);
        await checkPage(tab, `ar${path.replace(/\W+/g, "-")}`);
      });
    }

    test("an error page is Arabic", async () => {
      const answer = await tab.context.request.get(`${hub.url}/nothing`);
      assert.match(await answer.text(), /غير موجود/);
    });
  });
}

for (const language of ["de", "zh-Hans"]) {
  test(`pages in ${language} are accessible and fit a phone`, async () => {
    const tab = await openTab(browser, { width: 390 });
    await go(tab, `${hub.url}/`);
    await choose(tab, language);
    for (const path of ["/", "/agents", "/@plexus/calc", "/login", "/settings/appearance"]) {
      await go(tab, hub.url + path);
      await checkPage(tab, `${language}${path.replace(/\W+/g, "-")}`);
    }
    await tab.close();
  });
}

test("the language of the browser is used, and scripts show their texts in it", async () => {
  const context = await browser.newContext({ locale: "de-DE", viewport: { width: 1280, height: 844 } });
  const page = await context.newPage();
  await page.goto(`${hub.url}/login`);
  await page.locator("html[data-site=ready]").waitFor({ state: "attached" });
  const reveal = page.locator("button[data-reveal] > span").first();
  assert.equal(await reveal.textContent(), "Anzeigen");
  await reveal.click();
  assert.equal(await reveal.textContent(), "Verbergen");
  await context.close();
});

for (const [language, mode] of [["ar", { width: 390, theme: "dark" }], ["ar", { width: 1280 }], ["ar", { script: "off", width: 390 }], ["de", { width: 390 }], ["de", { width: 1280, theme: "dark" }]]) {
  test(`a chat in ${language}, ${mode.width} px, script ${mode.script ?? "on"}`, async () => {
    const tab = await openTab(browser, mode);
    await signIn(tab, hub, "ada");
    await tab.context.addCookies([{ name: "language", value: language, url: hub.url }]);
    await go(tab, `${hub.url}/chat`);
    await checkPage(tab, `${language}-chat-new`);
    await go(tab, `${hub.url}/chat?to=@plexus/calc`);
    await tab.page.locator("#composer-text").fill("2 ^ 10");
    await tab.page.locator("#composer .send").click();
    await tab.page.waitForURL(/\/chat\/./, { waitUntil: "commit" });
    assert.match(await answered(tab), /1024/);
    assert.equal(await tab.page.locator("main").getAttribute("lang"), null, "the page is translated");
    const retry = { ar: "إعادة المحاولة", de: "Wiederholen" }[language];
    await tab.page.locator("article.agent.done").getByText(retry).waitFor();
    assert.equal(await tab.page.getByText(/\b(Retry|Jump to latest|Send)\b/).count(), 0, "nothing is English");
    await checkPage(tab, `${language}-chat`);
    const chat = new URL(tab.page.url()).pathname;
    for (const path of [`${chat}/people`, `${chat}/share`, "/chat/all", "/chat/search?q=10"]) {
      await go(tab, hub.url + path);
      await checkPage(tab, `${language}${path.replace(chat, "-chat").replace(/\W+/g, "-")}`);
    }
    await tab.close();
  });
}

test("the list of agents in the composer is in the language of the page", async () => {
  const tab = await openTab(browser, { width: 1280 });
  await signIn(tab, hub, "ada");
  const chat = await writeChat(tab, hub, 1);
  await tab.context.addCookies([{ name: "language", value: "de", url: hub.url }]);
  await go(tab, hub.url + chat);
  await tab.islands();
  await tab.page.locator("#composer-text").fill("@pl");
  await tab.page.locator("#agent-options").getByText(/^(Ihre Agenten|Zuletzt verwendet|Agenten dieses Hubs)$/).first().waitFor();
  await tab.close();
});

test("settings, registration, teams, network and administration are Arabic, accessible and fit a phone", async () => {
  const tab = await openTab(browser, { width: 390 });
  await signIn(tab, hub, "ada");
  await go(tab, `${hub.url}/`);
  await choose(tab, "ar");
  for (const path of ["/settings/account", "/register/http", "/teams", "/network", "/admin/users"]) {
    await go(tab, hub.url + path);
    await checkPage(tab, `ar${path.replace(/\W+/g, "-")}`);
    const main = await tab.page.evaluate(() => document.querySelector("main").lang);
    assert.equal(main, "", path);
  }
  await tab.close();
});

test("a page that is not translated is English from left to right within the Arabic frame", async () => {
  const tab = await openTab(browser, { width: 1280 });
  await go(tab, `${hub.url}/`);
  await choose(tab, "ar");
  await go(tab, `${hub.url}/docs/use`);
  await checkPage(tab, "ar-docs");
  const main = await tab.page.evaluate(() => ({ lang: document.querySelector("main").lang, dir: getComputedStyle(document.querySelector("main")).direction }));
  assert.deepEqual(main, { lang: "en", dir: "ltr" });
  await tab.close();
});
