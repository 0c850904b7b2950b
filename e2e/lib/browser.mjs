// Debian's headless Chromium, with pages in every mode: theme, width, with and without JavaScript.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const HEIGHT = 844;
/** Pages taller than this, or with parts that stick to the window, get a screenshot of the window only. */
const TALLEST = 8_000;

/** `on`: everything; `no wasm`: the module cannot be loaded; `off`: JavaScript is disabled. */
export const SCRIPTS = ["on", "no wasm", "off"];

export const MODES = SCRIPTS.flatMap((script) =>
  ["light", "dark"].flatMap((theme) => [390, 1280].map((width) => ({ script, theme, width }))),
);

/** Four modes with and without JavaScript, in which each two values of different properties meet once. */
export const PAIRED_MODES = [
  { script: "on", theme: "light", width: 1280 },
  { script: "on", theme: "dark", width: 390 },
  { script: "off", theme: "light", width: 390 },
  { script: "off", theme: "dark", width: 1280 },
];

export const nameOf = ({ script, theme, width }) => `${theme}, ${width} px, script ${script}`;

/** The headless shell draws no browser window, so it takes half of the processor time of `chromium --headless`. */
export function launch(args = []) {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell";
  return chromium.launch({ executablePath, args: [...FLAGS, ...args] });
}

/**
 * Opens a tab in a fresh profile. `tab.close()` fails if an error was logged, thrown, or reported as a
 * violation of the content security policy.
 */
export async function openTab(browser, mode = {}) {
  const { script = "on", theme = "light", width = 1280 } = mode;
  const context = await browser.newContext({
    colorScheme: theme,
    javaScriptEnabled: script !== "off",
    viewport: { width, height: HEIGHT },
  });
  if (script === "no wasm") await context.route("**/*.wasm", (route) => route.abort());
  return new Tab(context, await context.newPage(), { script, theme, width });
}

export class Tab {
  #problems;
  #expected = [];
  /** Id of the last answer on the page when the last message was sent; null if there was none. */
  answerBefore;

  constructor(context, page, mode, problems = []) {
    this.context = context;
    this.page = page;
    this.mode = mode;
    this.#problems = problems;
    if (mode.script === "no wasm") this.#expected.push(/\.wasm/);
    page.on("console", (message) => this.#hear(message));
    page.on("pageerror", (error) => this.#problems.push(`thrown: ${error.message}`));
  }

  /** Opens another tab in the same browser profile and session. Closing either closes both. */
  async beside() {
    return new Tab(this.context, await this.context.newPage(), this.mode, this.#problems);
  }

  /** Permits messages that match this pattern, such as the 422 of a rejected form. */
  expect(pattern) {
    this.#expected.push(pattern);
  }

  /** Saves a screenshot in `e2e/shots` for review, if `PLEXUS_TEST_SCREENSHOTS` is set. */
  async picture(name) {
    if (!process.env.PLEXUS_TEST_SCREENSHOTS) return;
    const folder = join(import.meta.dirname, "../shots");
    await mkdir(folder, { recursive: true });
    const { script, theme, width } = this.mode;
    const file = `${name}-${theme}-${width}-${script.replace(" ", "-")}.png`;
    const whole = await this.page.evaluate(
      (tallest) => !document.body.classList.contains("full") && document.documentElement.scrollHeight < tallest,
      TALLEST,
    );
    await this.page.screenshot({ path: join(folder, file), fullPage: whole });
  }

  /** Resolves when the islands of the page run; at once if there are none. */
  async islands() {
    if (this.mode.script !== "on" || (await this.page.locator("leptos-island").count()) === 0) return;
    await this.page.locator('html[data-islands="ready"]').waitFor({ state: "attached" });
  }

  /**
   * Runs a check that needs timers, as axe does. None fire where JavaScript is disabled, so the check then
   * runs on a copy of the page without its scripts, in a context that has JavaScript.
   */
  async withScript(check) {
    if (this.mode.script !== "off") return check(this.page);
    const body = await this.page.content();
    const still = body.replace(/<script\b[\s\S]*?<\/script>/g, "").replace(/<\/?noscript[^>]*>/g, "");
    const { theme: colorScheme, width } = this.mode;
    const context = await this.context.browser().newContext({ colorScheme, viewport: { width, height: HEIGHT } });
    await context.route(this.page.url(), (route) => route.fulfill({ contentType: "text/html; charset=utf-8", body: still }));
    const copy = await context.newPage();
    await copy.goto(this.page.url());
    await check(copy);
    await context.close();
  }

  async close() {
    await this.context.close();
    if (this.#problems.length > 0) throw new Error(`the browser complained:\n  ${this.#problems.join("\n  ")}`);
  }

  #hear(message) {
    const text = `${message.text()} (${message.location().url})`;
    const matters = message.type() === "error" || /content security policy/i.test(text);
    if (matters && !this.#expected.some((pattern) => pattern.test(text))) this.#problems.push(text);
  }
}
