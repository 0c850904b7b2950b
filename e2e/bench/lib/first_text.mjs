// The moment at which the first text of an answer is in a painted frame (Element Timing).

/**
 * Runs in the page before its scripts: collects the moments at which the browser presented the first text of each
 * answer. `selector` finds elements with text of the answer, each in an element that `of` finds.
 */
export function watchFirstText({ selector, of }) {
  window.firstTexts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.identifier === "first-text") window.firstTexts.push(performance.timeOrigin + entry.renderTime);
    }
  }).observe({ type: "element" });
  // Runs before the frame that shows the change is painted.
  new MutationObserver(() => {
    const text = [...document.querySelectorAll(selector)].at(-1);
    const answer = text?.closest(of);
    if (!answer || answer.dataset.timed) return;
    answer.dataset.timed = "yes";
    text.setAttribute("elementtiming", "first-text");
  }).observe(document, { childList: true, subtree: true, characterData: true });
}

/** Time for which the report of a frame may be late. */
const LATE_MS = 2_000;

/**
 * Returns the moment at which the first text of the answer to `ask` was presented, by the clock of the page.
 * Undefined if no frame showed it as it was: a busy machine may present nothing before the answer has ended.
 */
export async function presentedDuring(page, ask) {
  const before = await page.evaluate(() => window.firstTexts.length);
  await ask();
  const handle = page.waitForFunction((known) => window.firstTexts[known], before, { timeout: LATE_MS });
  return handle.then((moment) => moment.jsonValue(), () => undefined);
}
