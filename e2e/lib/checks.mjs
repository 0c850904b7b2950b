// Checks for every page: accessibility, valid HTML, no horizontal overflow.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { HtmlValidate } from "html-validate";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Milliseconds. */
const LONGEST_LOAD = 30_000;

const validator = new HtmlValidate({
  extends: ["html-validate:standard"],
  // A single ">" in text is unambiguous (WHATWG HTML 13.1.3).
  rules: { "no-raw-characters": ["error", { relaxed: true }] },
  elements: ["html5", { "leptos-island": { flow: true, phrasing: true }, "leptos-children": { flow: true, phrasing: true } }],
});

/** Runs all checks on an open page. */
export async function checkPage(tab, name) {
  await tab.islands();
  await styled(tab.page);
  await tab.withScript(accessible);
  await fits(tab.page);
  await validAgain(tab);
  await tab.picture(name);
}

/**
 * Waits for the style sheets, which give elements their size. It does not wait for the load event, because a
 * page may still be streaming.
 */
async function styled(page) {
  const begun = performance.now();
  const isStyled = () =>
    page.evaluate(() => {
      // A navigation is over for the test when its response begins, so the document may still be empty.
      const links = [...document.querySelectorAll("link[rel=stylesheet]")];
      return links.length > 0 && links.every(({ sheet }) => sheet);
    });
  while (!(await isStyled())) {
    assert.ok(performance.now() - begun < LONGEST_LOAD, `${page.url()} has no style sheet`);
  }
}

/** Validates the HTML that the hub sends for this URL. Skips responses that never end (`?follow`). */
async function validAgain(tab) {
  const url = tab.page.url();
  if (url.endsWith("?follow")) return;
  const response = await tab.context.request.get(url);
  const isPage = response.headers()["content-type"]?.startsWith("text/html");
  if (isPage) await validSource(await response.text(), url);
}

/**
 * Asserts that axe finds no violation of WCAG 2.2 AA or of its best practices in a part of the page. A list that
 * lies over the page is checked by itself: axe takes what it half covers for targets that are too small.
 */
export async function accessible(page, part = "html") {
  await page.evaluate(settled);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(
    ([part, values]) => window.axe.run(part, { runOnly: { type: "tag", values } }),
    [part, TAGS],
  );
  const lines = violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}\n    ${node.html}\n    ${node.failureSummary?.replaceAll("\n", "\n    ")}`),
  );
  assert.equal(lines.length, 0, `axe on ${page.url()}:\n  ${lines.join("\n  ")}`);
}

/** Ends transitions, during which colours have less contrast. Animations that repeat forever keep running. */
function settled() {
  const ends = (animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime);
  document.getAnimations().filter(ends).forEach((animation) => animation.finish());
}

/** Asserts that the page does not scroll horizontally. */
export async function fits(page) {
  const { inside, window: width } = await page.evaluate(() => ({
    inside: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
  }));
  assert.ok(inside <= width, `${page.url()} is ${inside} px wide in a window of ${width} px`);
}

/**
 * Asserts that the HTML from the hub is valid. Leptos marks places by `<!>`, which parsers read as an empty
 * comment.
 */
export async function validSource(html, name) {
  const report = await validator.validateString(html.replaceAll("<!>", "<!---->"));
  const lines = report.results.flatMap(({ messages }) =>
    messages.map(({ line, column, ruleId, message }) => `${line}:${column} ${ruleId}: ${message}`),
  );
  assert.equal(lines.length, 0, `html-validate on ${name}:\n  ${lines.join("\n  ")}`);
}
