// Crawler: every page that each role can reach by links and forms, in three widths.
//
// Slow: about 300 pages in Chromium.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, openTab } from "../lib/browser.mjs";
import { axeProblems, layoutProblems } from "../lib/crawl_checks.mjs";
import { go, hubOfAda, signIn, signUp } from "../lib/walk.mjs";

const WIDTHS = [1280, 768, 390];
/** Pages that are opened per URL template. Two catch what differs between a full and an empty page. */
const SAMPLES = 2;
/** Words without a space, as long as the fields permit, so that nothing wraps by itself. */
const LONG_TITLE = "Donaudampfschifffahrtsgesellschaftskapitaensmuetzenverwaltung";
const LONG_NAME = "a".repeat(39);
const HTML = /^text\/html/;

let hub, browser;
before(async () => {
  browser = await launch();
  hub = await hubOfAda(browser, { PLEXUS_REGISTRATION: "open" });
  await furnish();
});
after(async () => {
  await browser?.close();
  await hub?.stop();
});

for (const role of [undefined, "user", "moderator", "admin"]) {
  test(`every page of ${role ?? "a signed-out visitor"} opens, fits and is labelled`, async () => {
    const tab = await openTab(browser);
    if (role) await signIn(tab, hub, { user: LONG_NAME, moderator: "grace", admin: "ada" }[role]);
    const crawl = new Crawl(tab, role);
    await crawl.run(["/", "/chat", "/network", "/register", "/teams", "/login", "/signup"]);
    await tab.close();
    assert.ok(crawl.opened > (role === "moderator" ? 8 : 25), `only ${crawl.opened} pages were found`);
    assert.equal(crawl.problems.length, 0, `${crawl.problems.length} problems:\n  ${crawl.problems.join("\n  ")}`);
  });
}

describe("confirmation dialogs", () => {
  for (const path of ["/@ada/tides/manage", "/admin/agents", "/admin/users", "/settings/tokens", "/admin/invites"]) {
    test(`those of ${path} take the focus, keep it, and give it back`, async () => {
      const tab = await openTab(browser);
      await signIn(tab, hub, "ada");
      await go(tab, `${hub.url}${path}`);
      await tab.page.locator('html[data-site="ready"]').waitFor({ state: "attached" });
      await tab.page.evaluate(() => document.querySelectorAll("main details").forEach((it) => (it.open = true)));
      const opener = tab.page.locator("main [aria-haspopup=dialog]").first();
      await opener.click();
      const dialog = tab.page.locator("dialog[open]");
      await dialog.waitFor();
      const inside = () => tab.page.evaluate(() => document.activeElement?.closest("dialog[open]") !== null);
      assert.ok(await inside(), "the focus stays outside");
      const first = await tab.page.evaluate(() => document.activeElement.textContent.trim());
      assert.doesNotMatch(first, /^(Delete|Revoke|Remove)/, "Enter must not confirm by accident");
      for (let stop = 0; stop < 6; stop += 1) {
        await tab.page.keyboard.press("Tab");
        // Between two rounds the focus is in the browser's own controls.
        const left = await tab.page.evaluate(() => document.activeElement === document.body);
        assert.ok(left || (await inside()), `Tab ${stop} leaves the dialog`);
      }
      await tab.page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
      assert.ok(await opener.evaluate((button) => document.activeElement === button), "the focus does not return");
      await tab.close();
    });
  }
});

/** Breadth-first walk over links and GET forms of one role. */
class Crawl {
  problems = [];
  opened = 0;
  #tab;
  #role;
  #seen = new Set();
  #perTemplate = new Map();
  #queue = [];

  constructor(tab, role) {
    this.#tab = tab;
    this.#role = role;
    tab.page.on("console", (message) => {
      if (message.type() === "error") this.problems.push(`${tab.page.url()}: console: ${message.text()}`);
    });
    tab.expect(/./);
    tab.page.on("pageerror", (error) => this.problems.push(`${tab.page.url()}: thrown: ${error.message}`));
  }

  async run(paths) {
    for (const path of paths) this.#add(new URL(path, hub.url), "the start");
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) await this.#open(next);
  }

  #add(url, from) {
    if (url.origin !== hub.url || this.#isSameElsewhere(url.pathname)) return;
    const key = url.pathname + url.search;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const template = templateOf(url);
    const opened = this.#perTemplate.get(template) ?? 0;
    if (opened >= SAMPLES) return;
    this.#perTemplate.set(template, opened + 1);
    this.#queue.push({ url, from });
  }

  /** The documentation is the same for all roles; outside of the administration a moderator is a user. */
  #isSameElsewhere(path) {
    if (this.#role === "moderator") return !/^\/(admin|settings)?(\/|$)/.test(path);
    return this.#role && path.startsWith("/docs");
  }

  async #open({ url, from }) {
    const head = await this.#tab.context.request.get(url.href, { maxRedirects: 5 });
    const where = `${url.pathname}${url.search} (linked on ${from})`;
    if (head.status() >= 400) return void this.problems.push(`${where}: status ${head.status()}`);
    if (!HTML.test(head.headers()["content-type"] ?? "")) return;
    this.opened += 1;
    const { page } = this.#tab;
    await page.setViewportSize({ width: WIDTHS[0], height: 844 });
    await page.goto(url.href);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      for (const problem of await page.evaluate(layoutProblems)) this.problems.push(`${where}, ${width} px: ${problem}`);
    }
    for (const problem of await axeProblems(page)) this.problems.push(`${where}: ${problem}`);
    for (const href of await page.evaluate(destinations)) this.#add(new URL(href), url.pathname + url.search);
  }
}

/** Runs in the page: targets of its links, and of its GET forms as they are filled in. */
function destinations() {
  const links = [...document.querySelectorAll("a[href]")].map((link) => link.href);
  const forms = [...document.querySelectorAll("form")].filter((form) => form.method === "get");
  const sent = forms.map((form) => {
    // A field named "action" hides the property.
    const url = new URL(form.getAttribute("action") ?? "", location.href);
    url.search = new URLSearchParams(new FormData(form)).toString();
    return url.href;
  });
  return [...links, ...sent].filter((href) => href.startsWith("http")).map((href) => href.split("#")[0]);
}

/** Two URLs have the same template if the same code renders them. */
function templateOf({ pathname, searchParams }) {
  const path = pathname
    .replace(/^\/@[^/]+\/[^/]+/, "/@owner/agent")
    .replace(/^\/@[^/]+$/, "/@owner")
    .replace(/[0-9a-f-]{20,}|12D3\w+|[0-9]+/gi, "ID")
    .replace(/^\/(chat|network|teams)\/[^/]+/, "/$1/ID");
  const names = new Set(searchParams.keys());
  // Facets combine freely; pairs of them are rendered by the same code as one.
  return `${path}?${names.size > 1 ? "several" : [...names]}`;
}

/** Fills the hub with what makes pages long, wide and many. */
async function furnish() {
  const tab = await openTab(browser);
  await signUp(tab, `${hub.url}/signup`, LONG_NAME);
  await tab.close();
  const other = await openTab(browser);
  await signUp(other, `${hub.url}/signup`, "grace");
  await other.close();
  const admin = await openTab(browser);
  await signIn(admin, hub, "ada");
  const post = async (path, data, form) => {
    const options = { headers: { origin: hub.url }, ...(form ? { form: data } : { data }) };
    const answer = await admin.context.request.post(`${hub.url}${path}`, options);
    assert.ok(answer.ok(), `${path}: ${answer.status()} ${await answer.text()}`);
    return answer;
  };
  const agent = (name, title, tags) =>
    post("/api/v1/agents", { attached: true, name, title, summary: `${LONG_TITLE} at work`, visibility: "public", tags });
  await agent("tides", LONG_TITLE.slice(0, 60), ["tides", "W".repeat(30)]);
  await Promise.all(Array.from({ length: 30 }, (_, index) => agent(`keeper-${index}`, `Keeper ${index}`, ["lighthouse"])));
  await post("/admin/invites", { days: "7" }, true);
  await post("/admin/origins", { origin: `https://${"sub.".repeat(20)}${"w".repeat(60)}.example`, note: LONG_TITLE }, true);
  await post("/settings/tokens", { name: LONG_TITLE.slice(0, 60), scope: "read", days: "30" }, true);
  await post("/admin/network", { subject: `tag:${"w".repeat(30)}`, reason: LONG_TITLE.repeat(3).slice(0, 200) }, true);
  await post("/api/v1/teams", { goal: `17 * 23 ${LONG_TITLE}`, members: ["@plexus/calc"] });
  await post("/api/v1/chats", { id: crypto.randomUUID(), to: "@plexus/calc", text: `2 + 2 ${LONG_TITLE}` });
  await makeModerator(admin, "grace");
  await admin.close();
}

async function makeModerator(admin, name) {
  await go(admin, `${hub.url}/admin/users?q=${name}`);
  const row = admin.page.getByRole("row").filter({ hasText: `@${name}` });
  await row.locator("summary").click();
  await row.getByRole("button", { name: /^Make moderator/ }).click();
  const confirm = admin.page.locator("dialog[open]").getByRole("button", { name: /^Make moderator/ });
  if ((await confirm.count()) > 0) await confirm.click();
  await row.getByText("Moderator").waitFor();
}
