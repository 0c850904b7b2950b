// Checks of the crawler that run on every page: layout and labels.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A whole run of axe takes most of a second per page; these rules find what layout and templates break. */
const RULES = [
  "aria-input-field-name",
  "button-name",
  "duplicate-id-aria",
  "empty-heading",
  "empty-table-header",
  "heading-order",
  "label",
  "link-name",
  "page-has-heading-one",
  "scrollable-region-focusable",
  "select-name",
  "summary-name",
];

/** Returns the violations of an open page, one line each. */
export async function axeProblems(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate((values) => window.axe.run(document, { runOnly: { type: "rule", values } }), RULES);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/**
 * Runs in the page: returns what the window cuts off. Menus are opened first. A region that scrolls by itself
 * counts as reachable if the keyboard can scroll it; its row actions must be inside the window regardless.
 */
export function layoutProblems() {
  const problems = [];
  const width = document.documentElement.clientWidth;
  const name = (element) =>
    `<${element.tagName.toLowerCase()} class="${element.getAttribute("class") ?? ""}"> ${(element.textContent ?? "").trim().slice(0, 40)}`;
  const check = (state) => {
    const inside = document.documentElement.scrollWidth;
    if (inside > width) problems.push(`the page is ${inside} px wide ${state}`);
  };
  check("as loaded");
  const closed = [...document.querySelectorAll("details:not([open])")];
  for (const details of closed) details.open = true;
  check("with menus open");
  const scrollsAround = (element) => {
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(at).overflowX) && at !== document.body) return at;
    }
  };
  const main = document.querySelector("main");
  for (const control of main.querySelectorAll("a[href], button, input, select, textarea, summary")) {
    const box = control.getBoundingClientRect();
    const hidden = !control.checkVisibility({ visibilityProperty: true }) || control.closest(".hidden, [popover], dialog");
    if (hidden || box.width === 0 || (box.right <= width + 1 && box.left >= -1)) continue;
    const around = scrollsAround(control);
    if (!around) problems.push(`outside the window: ${name(control)}`);
    else if (control.closest("td.end")) problems.push(`the actions of rows are scrolled out of ${around.getAttribute("aria-label")}`);
  }
  // Text that is cut without an ellipsis, a scroll bar or a wrap.
  for (const element of main.querySelectorAll("*")) {
    const style = getComputedStyle(element);
    if (!/hidden|clip/.test(style.overflowX) || style.textOverflow === "ellipsis" || element.closest(".hidden, svg, .code, input, textarea")) continue;
    if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1) problems.push(`cut off: ${name(element)}`);
  }
  for (const details of closed) details.open = false;
  return [...new Set(problems)];
}
