// What every page must pass: accessibility, valid HTML, nothing wider than the window.

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
  // A lone ">" in text means nothing else (WHATWG HTML 13.1.3).
  rules: { "no-raw-characters": ["error", { relaxed: true }] },
  elements: ["html5", { "leptos-island": { flow: true, phrasing: true }, "leptos-children": { flow: true, phrasing: true } }],
});

/** Everything at once, for a page that is open. */
export async function checkPage(tab, name) {
  await tab.islands();
  await styled(tab.page);
  await tab.withScript(accessible);
  await fits(tab.page);
  await validAgain(tab);
  await tab.picture(name);
}

/** A page may still be written to, so it is not waited for; but without its style sheet nothing has the size that it gets. */
async function styled(page) {
  const begun = performance.now();
  const isStyled = () =>
    page.evaluate(() => [...document.querySelectorAll("link[rel=stylesheet]")].every(({ sheet }) => sheet));
  while (!(await isStyled())) {
    assert.ok(performance.now() - begun < LONGEST_LOAD, `${page.url()} has no style sheet`);
  }
}

/** What the hub sends for this address, where asking again changes nothing and the answer has an end. */
async function validAgain(tab) {
  const url = tab.page.url();
  if (url.endsWith("?follow")) return;
  const response = await tab.context.request.get(url);
  const isPage = response.headers()["content-type"]?.startsWith("text/html");
  if (isPage) await validSource(await response.text(), url);
}

/** No violation of WCAG 2.2 AA, nor of axe's best practices. */
export async function accessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate((values) => window.axe.run(document, { runOnly: { type: "tag", values } }), TAGS);
  const lines = violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}\n    ${node.html}\n    ${node.failureSummary?.replaceAll("\n", "\n    ")}`),
  );
  assert.equal(lines.length, 0, `axe on ${page.url()}:\n  ${lines.join("\n  ")}`);
}

/** No horizontal scroll: the page fits its window. */
export async function fits(page) {
  const { inside, window: width } = await page.evaluate(() => ({
    inside: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
  }));
  assert.ok(inside <= width, `${page.url()} is ${inside} px wide in a window of ${width} px`);
}

/** The page as the hub sent it is valid HTML. Leptos marks places by `<!>`, which parsers read as an empty comment. */
export async function validSource(html, name) {
  const report = await validator.validateString(html.replaceAll("<!>", "<!---->"));
  const lines = report.results.flatMap(({ messages }) =>
    messages.map(({ line, column, ruleId, message }) => `${line}:${column} ${ruleId}: ${message}`),
  );
  assert.equal(lines.length, 0, `html-validate on ${name}:\n  ${lines.join("\n  ")}`);
}
